// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include "collectives/selection.h"

namespace collectives {
namespace {

using sim::Collective;

Job job_of(Collective collective, sim::Rank ranks, std::int64_t bytes) {
  Job job;
  job.collective = collective;
  job.ranks = ranks;
  job.bytes = sim::Bytes(bytes);
  return job;
}

std::string by(const std::string& preset, const Job& job) {
  const auto table = published(preset);
  if (!table) return "no table";
  const auto choice = choose(*table, job);
  return choice.ok() ? choice.value().algorithm : choice.failure().what;
}

// AWS Neuron SDK: Mesh below 1 MB, RDH from 1 to 56 MB, KangaRing above.
TEST(Selection, OfTheTrn2TorusIsTheDocumentedOne) {
  const auto all_reduce = [](sim::Rank ranks, std::int64_t bytes) {
    return by("trn2", job_of(Collective::kAllReduce, ranks, bytes));
  };
  EXPECT_EQ(all_reduce(64, 1'000'000), "direct");
  EXPECT_EQ(all_reduce(64, 1'000'001), "recursive");
  EXPECT_EQ(all_reduce(64, 56'000'000), "recursive");
  EXPECT_EQ(all_reduce(64, 56'000'001), "kangaring");
  EXPECT_EQ(all_reduce(63, 56'000'001), "ring");
  EXPECT_EQ(by("trn2", job_of(Collective::kAllGather, 12, 2'000'000)), "kangaring");
}

TEST(Selection, OfSwitchedBoxesGoesFromTreesToRings) {
  EXPECT_EQ(by("hgx-h100", job_of(Collective::kAllReduce, 8, 4'096)), "double_tree");
  EXPECT_EQ(by("hgx-h100", job_of(Collective::kAllReduce, 8, 1 << 30)), "ring");
  EXPECT_EQ(by("trn3-gen2", job_of(Collective::kAllReduce, 8, 4'096)), "no table");
}

TEST(Selection, ServesEveryKindOfCollective) {
  for (const Collective collective : sim::all_collectives()) {
    for (const std::int64_t bytes : {8, 1 << 20, 1 << 28}) {
      const Job job = job_of(collective, 24, bytes);
      for (const char* preset : {"trn2", "hgx-h100"}) {
        const std::string chosen = by(preset, job);
        EXPECT_NE(algorithms().find(chosen), nullptr) << chosen;
      }
      EXPECT_TRUE(computed({sim::Time(1), sim::Time(1), sim::Bandwidth(1)}, job).ok());
    }
  }
}

TEST(Selection, NeverTakesARuleWhoseAlgorithmCannotServe) {
  const Selection table{"mine", {{Collective::kAllToAll, "recursive"}}};
  EXPECT_TRUE(choose(table, job_of(Collective::kAllToAll, 16, 1'000)).ok());
  const auto refused = choose(table, job_of(Collective::kAllToAll, 12, 1'000));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().what,
            "the selection (mine) has no algorithm for all_to_all of 1000 bytes over 12 ranks");
  EXPECT_EQ(refused.failure().hint, "name one: direct, ring, bruck, pairwise");
}

TEST(Selection, RulesEndWithTheirSizesAndRanks) {
  const Selection table{"mine",
                        {{Collective::kAllReduce, "direct", 100, 8},
                         {Collective::kAllReduce, "ring", 100},
                         {Collective::kAllReduce, "bruck"}}};
  const auto chosen = [&](sim::Rank ranks, std::int64_t bytes) {
    return choose(table, job_of(Collective::kAllReduce, ranks, bytes)).value();
  };
  EXPECT_EQ(chosen(8, 100).algorithm, "direct");
  EXPECT_EQ(chosen(8, 100).why, "direct up to 100 bytes up to 8 ranks: mine");
  EXPECT_EQ(chosen(9, 100).algorithm, "ring");
  EXPECT_EQ(chosen(9, 101).algorithm, "bruck");
}

// One step of all bytes where latency is all, least bytes where bandwidth is all; with a cost for
// each message few of them.
TEST(Selection, ComputedFollowsTheCosts) {
  const auto chosen = [](StepCosts costs, std::int64_t bytes) {
    return computed(costs, job_of(Collective::kAllReduce, 64, bytes)).value().algorithm;
  };
  const sim::Bandwidth fast(100'000'000'000);
  EXPECT_EQ(chosen({sim::Time(1'000'000), sim::Time(0), fast}, 8), "one_shot");
  EXPECT_EQ(chosen({sim::Time(1'000'000), sim::Time(0), fast}, 1 << 30), "direct");
  EXPECT_EQ(chosen({sim::Time(1'000'000), sim::Time(1'000'000), fast}, 8), "recursive_doubling");
  EXPECT_EQ(chosen({sim::Time(1'000'000), sim::Time(1'000'000), fast}, 1 << 28), "recursive");
}

}  // namespace
}  // namespace collectives
