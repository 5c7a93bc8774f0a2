// SPDX-License-Identifier: GPL-2.0-only
// What verify says, on schedules small enough to read. Systematic damage to real algorithms is in
// tests/laws/collectives/damage_test.cc.
#include "sim/schedule/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "sim/schedule/planner.h"

namespace sim {
namespace {

Blocks block(std::uint32_t number) { return {number, 1, 1, 1}; }

using Write = std::function<void(Planner&, Rank)>;

std::string fault_of(Collective collective, Rank ranks, BlockSizes sizes, const Write& write) {
  std::vector<RankProgram> programs;
  for (Rank rank = 0; rank < ranks; ++rank) {
    Planner planner(rank, sizes);
    write(planner, rank);
    programs.push_back(std::move(planner).take(2));
  }
  return verify(Schedule({collective, ranks, sizes}, "test", std::move(programs)))
      .value_or("right");
}

const BlockSizes kTwo(Bytes(8), 2, 1);

TEST(Verify, AcceptsAnExchange) {
  EXPECT_EQ(fault_of(Collective::kAllGather, 2, kTwo,
                     [](Planner& planner, Rank rank) {
                       planner.send(1 - rank, block(rank), rank, 0);
                       planner.receive(block(1 - rank), 0);
                     }),
            "right");
}

TEST(Verify, NamesAMissingPart) {
  EXPECT_EQ(fault_of(Collective::kAllGather, 2, kTwo,
                     [](Planner& planner, Rank rank) {
                       if (rank == 0) planner.send(1, block(0), 0, 0);
                     }),
            "rank 0 ends with nothing in block 1, and should hold part 1 of rank 1");
}

TEST(Verify, NamesAMissingContribution) {
  EXPECT_EQ(fault_of(Collective::kReduceScatter, 2, kTwo, [](Planner&, Rank) {}),
            "rank 0 ends with part 0 of rank 0 in block 0, and should hold part 0 of rank 0..1");
}

TEST(Verify, NamesAContributionThatCountsTwice) {
  EXPECT_EQ(fault_of(
                Collective::kAllReduce, 2, BlockSizes(Bytes(8), 1, 1),
                [](Planner& planner, Rank rank) {
                  planner.send_to_reduce(1 - rank, block(0), 0);
                  planner.receive_and_reduce(block(0), 0);
                  planner.send_to_reduce(1 - rank, block(0), 1);
                  planner.receive_and_reduce(block(0), 1);
                }).find("some count twice") != std::string::npos,
            true);
}

TEST(Verify, NamesAReadOfNothing) {
  EXPECT_EQ(fault_of(Collective::kAllGather, 2, kTwo,
                     [](Planner& planner, Rank rank) {
                       if (rank == 0) planner.send(1, block(1), 1, 0);
                     }),
            "rank 0 op 0 (send to rank 1) reads block 1, which holds nothing yet");
}

TEST(Verify, NamesAnArrivalThatNobodySends) {
  EXPECT_EQ(fault_of(Collective::kAllGather, 2, kTwo,
                     [](Planner& planner, Rank rank) {
                       if (rank == 0) planner.receive(block(1), 1);
                       if (rank == 0) planner.send(1, block(1), 1, 0);
                     }),
            "rank 0 op 0 (send to rank 1) waits for arrival 1, which nobody sends");
}

TEST(Verify, FindsAnArrivalOverwritingWhatAnotherSendStillReads) {
  EXPECT_EQ(
      fault_of(Collective::kAllGather, 2, kTwo,
               [](Planner& planner, Rank rank) {
                 planner.send(1 - rank, block(rank), 0, 0);  // rank 1's belongs in block 1
               }),
      "rank 1 op 0 (send to rank 0) writes block 0 of rank 0 while another op still reads it");
}

TEST(Verify, FindsTwoArrivalsInOneBlock) {
  const std::string fault = fault_of(Collective::kAllGather, 3, BlockSizes(Bytes(9), 3, 1),
                                     [](Planner& planner, Rank rank) {
                                       if (rank > 0) planner.send(0, block(rank), 1, rank - 1);
                                     });
  EXPECT_NE(fault.find("writes block 1 of rank 0 while another op still"), std::string::npos)
      << fault;
}

TEST(Verify, FindsBlocksBeyondTheLast) {
  EXPECT_EQ(fault_of(Collective::kAllGather, 2, kTwo,
                     [](Planner& planner, Rank rank) {
                       if (rank == 0) planner.send(1, block(0), 2, 0);
                     }),
            "rank 0 op 0 (send to rank 1) names blocks beyond the last one, 1");
}

TEST(Verify, FindsAReduceOfWhatWasNotLandedForIt) {
  EXPECT_EQ(fault_of(Collective::kAllReduce, 2, BlockSizes(Bytes(8), 1, 1),
                     [](Planner& planner, Rank rank) {
                       planner.send(1 - rank, block(0), 0, 0);
                       planner.receive_and_reduce(block(0), 0);
                     }),
            "rank 0 op 1 (reduce) merges what rank 1 op 0 (send to rank 0) does not land for it");
}

TEST(Verify, PartsOfZeroBytesNeedNoData) {
  EXPECT_EQ(fault_of(Collective::kAllReduce, 2, BlockSizes(Bytes(0), 2, 1), [](Planner&, Rank) {}),
            "right");
}

TEST(Verify, TheSameSeedTellsTheSameFault) {
  const auto write = [](Planner& planner, Rank rank) {
    planner.send(1 - rank, block(rank), 1 - rank, 0);
  };
  EXPECT_EQ(fault_of(Collective::kAllGather, 2, kTwo, write),
            fault_of(Collective::kAllGather, 2, kTwo, write));
}

}  // namespace
}  // namespace sim
