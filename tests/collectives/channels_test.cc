// SPDX-License-Identifier: GPL-2.0-only
// Channels of a ring: right for any number of ranks, with the same bytes.
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <utility>

#include "collectives/collectives.h"
#include "sim/schedule/verify.h"

namespace collectives {
namespace {

using sim::Collective;
using sim::Rank;

Job job_of(Collective collective, Rank ranks, std::int64_t bytes) {
  Job job;
  job.collective = collective;
  job.ranks = ranks;
  job.bytes = sim::Bytes(bytes);
  return job;
}

TEST(Channels, AreRingsThatTogetherMoveTheSameBytes) {
  for (const Collective kind :
       {Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter}) {
    for (const Rank ranks : {2U, 3U, 5U, 6U, 8U, 12U}) {
      for (const std::uint32_t channels : {1U, 2U, 3U, 4U, 7U}) {
        Job job = job_of(kind, ranks, std::int64_t{ranks} * 420);
        const sim::Schedule plain = std::move(plan("ring", job)).value();
        job.options.channels = channels;
        const sim::Schedule schedule = std::move(plan("ring", job)).value();
        EXPECT_EQ(sim::verify(schedule), std::nullopt) << ranks << " x " << channels;
        EXPECT_EQ(schedule.sends(), plain.sends() * channels);
        for (Rank rank = 0; rank < ranks; ++rank) {
          EXPECT_EQ(schedule.bytes_sent(rank).value, plain.bytes_sent(rank).value);
        }
      }
    }
  }
}

// Over 8 ranks the numbers without a common factor are 1, 7, 3 and 5: four rings without a link in
// common.
TEST(Channels, OfEightRanksUseFourNeighboursEach) {
  Job job = job_of(Collective::kAllGather, 8, 1'024);
  job.options.channels = 4;
  const sim::Schedule schedule = std::move(plan("ring", job)).value();
  std::set<Rank> peers;
  for (const sim::Op& op : schedule.program(0).ops) peers.insert(op.peer);
  EXPECT_EQ(peers, (std::set<Rank>{1, 3, 5, 7}));
}

TEST(Channels, ReachTheOuterRingOfAHierarchy) {
  Job job = job_of(Collective::kAllReduce, 12, 12 * 420);
  job.options.inner = 4;
  job.options.channels = 2;
  EXPECT_EQ(sim::verify(std::move(plan("hierarchical", job)).value()), std::nullopt);
}

}  // namespace
}  // namespace collectives
