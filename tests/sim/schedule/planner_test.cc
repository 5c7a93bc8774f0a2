// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/planner.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace sim {
namespace {

const BlockSizes kEight(Bytes(800), 8, 1);

// "a3" is the arrival in slot 3, "o2" the own op 2.
std::string waits(const RankProgram& program, std::size_t op) {
  std::string text;
  for (const Wait wait : program.waits_of(program.ops[op])) {
    if (!text.empty()) text += ' ';
    text += wait.is_arrival() ? 'a' : 'o';
    text += std::to_string(wait.index());
  }
  return text;
}

TEST(Planner, ASendOfUntouchedBlocksWaitsForNothing) {
  Planner planner(0, kEight);
  planner.send(1, {0, 8, 1, 1}, 0, 0);
  EXPECT_EQ(waits(std::move(planner).take(0), 0), "");
}

TEST(Planner, ASendWaitsOnceForEachWriterOfWhatItReads) {
  Planner planner(0, kEight);
  planner.receive({0, 4, 1, 1}, 7);
  planner.receive({4, 1, 1, 1}, 2);
  planner.receive({6, 1, 1, 1}, 7);
  planner.send(1, {0, 8, 1, 1}, 0, 0);
  EXPECT_EQ(waits(std::move(planner).take(8), 0), "a2 a7");
}

TEST(Planner, AReduceWaitsForItsArrivalAndForTheReduceBefore) {
  Planner planner(0, kEight);
  planner.receive_and_reduce({3, 1, 1, 1}, 0);
  planner.receive_and_reduce({3, 1, 1, 1}, 1);
  const RankProgram program = std::move(planner).take(2);
  EXPECT_EQ(waits(program, 0), "a0");
  EXPECT_EQ(waits(program, 1), "o0 a1");
}

TEST(Planner, AReduceWaitsForTheSendsThatStillReadItsBlocks) {
  Planner planner(0, kEight);
  planner.send(1, {0, 2, 1, 1}, 0, 0);
  planner.send(2, {1, 2, 1, 1}, 1, 0);
  planner.send(3, {4, 1, 1, 1}, 4, 0);
  planner.receive_and_reduce({1, 1, 1, 1}, 0);
  planner.receive_and_reduce({1, 1, 1, 1}, 1);
  const RankProgram program = std::move(planner).take(2);
  EXPECT_EQ(waits(program, 3), "o0 o1 a0");
  EXPECT_EQ(waits(program, 4), "o3 a1");
}

TEST(Planner, ACopyWaitsForWritersOfBothSidesAndReadersOfItsTarget) {
  Planner planner(0, kEight);
  planner.receive({0, 1, 1, 1}, 5);
  planner.receive({4, 1, 1, 1}, 6);
  planner.send(1, {4, 1, 1, 1}, 4, 0);
  planner.copy({4, 1, 1, 1}, 0);
  planner.receive_and_reduce({0, 1, 1, 1}, 1);  // after the copy has read block 0
  const RankProgram program = std::move(planner).take(7);
  EXPECT_EQ(waits(program, 1), "o0 a5 a6");
  EXPECT_EQ(waits(program, 2), "o1 a1 a5");
}

TEST(Planner, ZeroByteBlocksAreNoOps) {
  const BlockSizes sizes(Bytes(1), 4, 1);  // only the last part holds a byte
  Planner planner(0, sizes);
  planner.send(1, {0, 3, 1, 1}, 0, 0);
  planner.send_to_reduce(1, {1, 1, 1, 1}, 0);
  planner.receive({0, 1, 1, 1}, 0);
  planner.receive_and_reduce({2, 1, 1, 1}, 0);
  planner.copy({1, 1, 1, 1}, 0);
  planner.send(1, {0, 4, 1, 1}, 0, 0);
  const RankProgram program = std::move(planner).take(1);
  ASSERT_EQ(program.ops.size(), 1U);
  EXPECT_EQ(waits(program, 0), "");
}

}  // namespace
}  // namespace sim
