// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/schedule.h"

#include <gtest/gtest.h>

#include <utility>

#include "sim/schedule/planner.h"

namespace sim {
namespace {

const Layout kPair{Collective::kAllGather, 2, BlockSizes(Bytes(8), 2, 1)};

std::vector<RankProgram> exchange() {
  std::vector<RankProgram> programs;
  for (Rank rank = 0; rank < 2; ++rank) {
    Planner planner(rank, kPair.sizes);
    planner.send(1 - rank, {rank, 1, 1, 1}, rank, 0);
    planner.receive({1 - rank, 1, 1, 1}, 0);
    programs.push_back(std::move(planner).take(1));
  }
  return programs;
}

TEST(Schedule, NumbersOpsOverAllRanks) {
  const Layout layout{Collective::kAllGather, 4, BlockSizes(Bytes(40), 4, 1)};
  std::vector<RankProgram> programs;
  for (Rank rank = 0; rank < 4; ++rank) {  // ranks 1 and 2 have no ops
    Planner planner(rank, layout.sizes);
    if (rank == 0) planner.send(1, {0, 1, 1, 1}, 0, 0);
    if (rank == 0) planner.send(2, {0, 2, 1, 1}, 0, 0);
    if (rank == 3) planner.send(0, {3, 1, 1, 1}, 3, 0);
    programs.push_back(std::move(planner).take(1));
  }
  const Schedule schedule(layout, "test", std::move(programs));
  EXPECT_EQ(schedule.ops(), 3U);
  EXPECT_EQ(schedule.sends(), 3U);
  EXPECT_EQ(schedule.rank_of(0), 0U);
  EXPECT_EQ(schedule.rank_of(1), 0U);
  EXPECT_EQ(schedule.rank_of(2), 3U);
  EXPECT_EQ(schedule.op(2).peer, 0U);
  EXPECT_EQ(schedule.bytes_sent(0), Bytes(30));
  EXPECT_EQ(schedule.bytes_sent(1), Bytes(0));
}

TEST(Schedule, GroupsSideBySideSendInsideThemselves) {
  const Schedule one(kPair, "test", exchange());
  const Schedule three = side_by_side(one, 3);
  EXPECT_EQ(three.groups(), 3U);
  EXPECT_EQ(three.ranks(), 6U);
  EXPECT_EQ(three.layout().ranks, 2U);
  EXPECT_EQ(three.sends(), 3 * one.sends());
  for (OpId op = 0; op < three.ops(); ++op) {
    EXPECT_EQ(three.op(op).peer / 2, three.rank_of(op) / 2);
    EXPECT_NE(three.op(op).peer, three.rank_of(op));
  }
  EXPECT_EQ(three.bytes_sent(5), one.bytes_sent(1));
}

TEST(ScheduleDeathTest, RefusesASendToItself) {
  auto programs = exchange();
  programs[1].ops[0].peer = 1;
  EXPECT_DEATH(Schedule(kPair, "test", programs), "peer != rank");
}

TEST(ScheduleDeathTest, RefusesAPeerThatDoesNotExist) {
  auto programs = exchange();
  programs[1].ops[0].peer = 2;
  EXPECT_DEATH(Schedule(kPair, "test", programs), "peer < ");
}

TEST(ScheduleDeathTest, RefusesTwoSendsToOneSlot) {
  auto programs = exchange();
  programs[0].ops.push_back(programs[0].ops[0]);
  EXPECT_DEATH(Schedule(kPair, "test", programs), "used");
}

TEST(ScheduleDeathTest, RefusesASlotThatDoesNotExist) {
  auto programs = exchange();
  programs[0].ops[0].slot = 1;
  EXPECT_DEATH(Schedule(kPair, "test", programs), "slots");
}

TEST(ScheduleDeathTest, RefusesAWaitForALaterOp) {
  auto programs = exchange();
  programs[0].waits.push_back(Wait::op(0));
  programs[0].ops[0].wait_count = 1;
  EXPECT_DEATH(Schedule(kPair, "test", programs), "wait.index");
}

TEST(ScheduleDeathTest, RefusesAProgramTooFew) {
  auto programs = exchange();
  programs.pop_back();
  EXPECT_DEATH(Schedule(kPair, "test", programs), "ranks");
}

}  // namespace
}  // namespace sim
