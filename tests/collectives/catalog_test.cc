// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include "collectives/collectives.h"

namespace collectives {
namespace {

using Names = std::vector<std::string>;

Job job_of(sim::Collective collective, sim::Rank ranks) {
  Job job;
  job.collective = collective;
  job.ranks = ranks;
  job.bytes = sim::Bytes(1'000);
  return job;
}

sim::Failure failure_of(const std::string& algorithm, const Job& job) {
  const auto planned = plan(algorithm, job);
  return planned.ok() ? sim::Failure{"planned", ""} : planned.failure();
}

TEST(Catalog, ListsTheAlgorithms) {
  EXPECT_EQ(algorithms().names(), (Names{"direct", "ring", "recursive", "hierarchical"}));
}

TEST(Catalog, OnlyHierarchicalDeclaresKeys) {
  for (const auto& entry : algorithms().entries()) {
    EXPECT_FALSE(entry.summary.empty());
    Names keys;
    for (const sim::Key& key : entry.keys) keys.push_back(key.name);
    const Names expected = {"inner_ranks", "inner_algorithm", "outer_algorithm", "slices"};
    EXPECT_EQ(keys, entry.name == "hierarchical" ? expected : Names{});
  }
}

TEST(Catalog, AbleNamesWhoCanServe) {
  Job job = job_of(sim::Collective::kAllGather, 12);
  EXPECT_EQ(able(job), (Names{"direct", "ring"}));
  job.options.inner = 4;
  EXPECT_EQ(able(job), (Names{"direct", "ring", "hierarchical"}));
  job.ranks = 16;
  EXPECT_EQ(able(job), (Names{"direct", "ring", "recursive", "hierarchical"}));
}

TEST(Refusal, SaysWhyAndWhoCan) {
  const sim::Failure failure = failure_of("recursive", job_of(sim::Collective::kAllToAll, 12));
  EXPECT_EQ(failure.what,
            "recursive cannot serve all_to_all over 12 ranks: it needs a power of two of ranks");
  EXPECT_EQ(failure.hint, "use direct or ring");
}

TEST(Refusal, OneRankIsNoGroup) {
  for (const std::string& name : algorithms().names()) {
    const sim::Failure failure = failure_of(name, job_of(sim::Collective::kAllReduce, 1));
    EXPECT_EQ(failure.what,
              name + " cannot serve all_reduce over 1 rank: it needs at least 2 ranks");
    EXPECT_EQ(failure.hint, "no algorithm can serve it");
  }
}

struct Refused {
  sim::Rank ranks;
  Options options;
  std::string why;
};

TEST(Refusal, HierarchicalSaysWhatIsWrongWithItsOptions) {
  const std::vector<Refused> cases = {
      {12, {0, "direct", "ring", 1}, "it needs inner_ranks, the size of an inner group"},
      {12,
       {5, "direct", "ring", 1},
       "inner_ranks is 5, and must be at least 2, less than 12 and divide it"},
      {12,
       {12, "direct", "ring", 1},
       "inner_ranks is 12, and must be at least 2, less than 12 and divide it"},
      {12,
       {1, "direct", "ring", 1},
       "inner_ranks is 1, and must be at least 2, less than 12 and divide it"},
      {12, {4, "direct", "ring", 0}, "slices is 0, and must be at least 1"},
      {12, {4, "rign", "ring", 1}, "there is no inner_algorithm 'rign'"},
      {12,
       {6, "recursive", "ring", 1},
       "its inner_algorithm recursive cannot serve reduce_scatter over 6 ranks: it needs a power "
       "of "
       "two of ranks"},
  };
  for (const Refused& refused : cases) {
    Job job = job_of(sim::Collective::kAllReduce, refused.ranks);
    job.options = refused.options;
    const sim::Failure failure = failure_of("hierarchical", job);
    EXPECT_EQ(failure.what, "hierarchical cannot serve all_reduce over 12 ranks: " + refused.why);
    EXPECT_EQ(failure.hint, "use direct or ring or recursive");
  }
}

TEST(Refusal, HierarchicalAllReduceFoldsAnyOuterSizeByRecursive) {
  Job job = job_of(sim::Collective::kAllReduce, 12);
  job.options = {4, "recursive", "recursive", 2};
  EXPECT_EQ(failure_of("hierarchical", job).what, "planned");
  job.collective = sim::Collective::kAllGather;
  EXPECT_EQ(
      failure_of("hierarchical", job).what,
      "hierarchical cannot serve all_gather over 12 ranks: its outer_algorithm recursive cannot "
      "serve all_gather over 3 ranks: it needs a power of two of ranks");
}

TEST(Refusal, TooManyBlocksAreRefusedAndNotTried) {
  Job job = job_of(sim::Collective::kAllToAll, 100'000);
  EXPECT_EQ(failure_of("ring", job).what,
            "ring cannot serve all_to_all over 100000 ranks: its all-to-all serves at most 32768 "
            "ranks");
  job.options = {25'000, "ring", "direct", 1};
  EXPECT_EQ(failure_of("hierarchical", job).what,
            "hierarchical cannot serve all_to_all over 100000 ranks: it would cut the data into "
            "2500300000 blocks");
}

TEST(Plan, IsPureSoOneRankCanBePlannedAlone) {
  Job job = job_of(sim::Collective::kAllToAll, 12);
  job.options = {4, "ring", "direct", 2};
  for (const auto& entry : algorithms().entries()) {
    if (entry.make.refusal(job)) continue;
    const auto all = plan(entry.name, job);
    const sim::RankProgram alone = entry.make.plan(job, entry.make.layout(job), 7);
    const sim::RankProgram& among = all.value().program(7);
    ASSERT_EQ(alone.ops.size(), among.ops.size());
    for (std::size_t i = 0; i < alone.ops.size(); ++i) {
      EXPECT_EQ(alone.ops[i].blocks, among.ops[i].blocks);
      EXPECT_EQ(alone.ops[i].peer, among.ops[i].peer);
      EXPECT_EQ(alone.ops[i].slot, among.ops[i].slot);
    }
  }
}

TEST(Plan, DirectAllToAllSendsInRotatedOrder) {
  const auto schedule = plan("direct", job_of(sim::Collective::kAllToAll, 5));
  std::vector<sim::Rank> peers;
  for (const sim::Op& op : schedule.value().program(3).ops) {
    if (op.kind == sim::OpKind::kSend) peers.push_back(op.peer);
  }
  EXPECT_EQ(peers, (std::vector<sim::Rank>{4, 0, 1, 2}));
}

}  // namespace
}  // namespace collectives
