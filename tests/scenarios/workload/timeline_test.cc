// SPDX-License-Identifier: GPL-2.0-only
// Lanes by hand: order, waiting, what is exposed, and what collectives beside compute cost it.
#include "scenarios/workload/timeline.h"

#include <gtest/gtest.h>

namespace workload {
namespace {

constexpr std::uint8_t kTensorLane = 1;
constexpr std::uint8_t kDataLane = 5;

LaneOp op(std::uint8_t lane, std::int64_t time, std::int32_t after = kNone,
          std::int32_t also = kNone) {
  return {lane, time, {after, also, kNone}};
}

TEST(Timeline, ExposesWhatComputeWaitsFor) {
  const LaneTimes times = play({op(0, 10), op(kTensorLane, 5, 0), op(0, 10, 1)}, 0);
  EXPECT_EQ(times.compute_end, 25);
  EXPECT_EQ(times.exposed[0], 5);
  EXPECT_EQ(times.total[0], 5);
}

TEST(Timeline, HidesWhatRunsBesideCompute) {
  const LaneTimes times = play({op(0, 10), op(kDataLane, 15, 0), op(0, 10, 0), op(0, 1, 1)}, 0);
  EXPECT_EQ(times.compute_end, 26);  // 10, then 15 of the collective, then 1
  EXPECT_EQ(times.exposed[4], 5);
  EXPECT_EQ(times.total[4], 15);
}

TEST(Timeline, CountsEachMomentOnce) {
  // Two collectives at once in the same gap: the first purpose gets what both cover.
  const LaneTimes times =
      play({op(0, 10), op(kTensorLane, 6, 0), op(kDataLane, 8, 0), op(0, 1, 1, 2)}, 0);
  EXPECT_EQ(times.compute_end, 19);
  EXPECT_EQ(times.exposed[0], 6);
  EXPECT_EQ(times.exposed[4], 2);
}

TEST(Timeline, SlowsComputeBesideCollectives) {
  const LaneTimes times = play({op(kDataLane, 50), op(0, 100)}, 0.1);
  EXPECT_EQ(times.compute_end, 105);
}

TEST(Timeline, KeepsTheTailApart) {
  const LaneTimes times = play({op(0, 10), op(kDataLane, 30, 0), op(0, 5, 0)}, 0);
  EXPECT_EQ(times.compute_end, 15);
  EXPECT_EQ(times.last_end, 40);
  EXPECT_EQ(times.exposed[4], 0);
}

TEST(Timeline, FillsTheGapsOfOneProgramWithTheOther) {
  const std::vector<LaneOp> one = {op(0, 10), op(kTensorLane, 10, 0), op(0, 10, 1)};
  EXPECT_EQ(play(one, 0).compute_end, 30);
  const LaneTimes both = play_both(one, one, 0);
  EXPECT_EQ(both.compute_end, 40);  // no gap is left
  EXPECT_EQ(both.exposed[0], 0);
}

}  // namespace
}  // namespace workload
