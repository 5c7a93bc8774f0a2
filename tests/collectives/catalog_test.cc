// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

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
  EXPECT_EQ(
      algorithms().names(),
      (Names{"direct", "one_shot", "ring", "bidirectional_ring", "recursive", "recursive_doubling",
             "bruck", "pat", "swing", "kangaring", "double_tree", "pairwise", "hierarchical",
             "torus", "binomial", "chain", "dissemination", "in_switch"}));
}

TEST(Catalog, AlgorithmsDeclareTheKeysTheyRead) {
  const std::map<std::string, Names> expected = {
      {"direct", {"window"}},
      {"pairwise", {"window"}},
      {"ring", {"channels"}},
      {"double_tree", {"chunks"}},
      {"chain", {"chunks"}},
      {"torus", {"dimensions", "dimension_algorithm"}},
      {"hierarchical",
       {"inner_ranks", "inner_algorithm", "outer_algorithm", "middle_ranks", "slices"}}};
  for (const auto& entry : algorithms().entries()) {
    EXPECT_FALSE(entry.summary.empty());
    Names keys;
    for (const sim::Key& key : entry.keys) keys.push_back(key.name);
    const auto found = expected.find(entry.name);
    EXPECT_EQ(keys, found == expected.end() ? Names() : found->second) << entry.name;
  }
}

TEST(Catalog, AbleNamesWhoCanServe) {
  Job job = job_of(sim::Collective::kAllGather, 12);
  EXPECT_EQ(able(job),
            (Names{"direct", "ring", "bidirectional_ring", "bruck", "pat", "kangaring"}));
  job.options.inner = 4;
  EXPECT_EQ(able(job), (Names{"direct", "ring", "bidirectional_ring", "bruck", "pat", "kangaring",
                              "hierarchical"}));
  job.ranks = 16;
  job.options.dimensions = {4, 4};
  EXPECT_EQ(able(job), (Names{"direct", "ring", "bidirectional_ring", "recursive", "bruck", "pat",
                              "swing", "kangaring", "hierarchical", "torus"}));
}

TEST(Refusal, SaysWhyAndWhoCan) {
  const sim::Failure failure = failure_of("recursive", job_of(sim::Collective::kAllToAll, 12));
  EXPECT_EQ(failure.what,
            "recursive cannot serve all_to_all over 12 ranks: it needs a power of two of ranks");
  EXPECT_EQ(failure.hint, "use direct or ring or bruck or pairwise");
}

TEST(Refusal, LevelsAndDimensionsNeedTwoRanks) {
  for (const std::string name : {"hierarchical", "torus"}) {
    const sim::Failure failure = failure_of(name, job_of(sim::Collective::kAllReduce, 1));
    EXPECT_EQ(failure.what,
              name + " cannot serve all_reduce over 1 rank: it needs at least 2 ranks");
    EXPECT_TRUE(failure.hint.starts_with("use direct or one_shot or ring")) << failure.hint;
  }
}

TEST(Refusal, SaysWhichKindsAnAlgorithmLacks) {
  EXPECT_EQ(failure_of("ring", job_of(sim::Collective::kBroadcast, 4)).what,
            "ring cannot serve broadcast over 4 ranks: it has no broadcast");
  EXPECT_EQ(failure_of("ring", job_of(sim::Collective::kBroadcast, 4)).hint,
            "use direct or binomial or chain");
  EXPECT_EQ(failure_of("binomial", job_of(sim::Collective::kAllReduce, 4)).what,
            "binomial cannot serve all_reduce over 4 ranks: it has no all_reduce");
  EXPECT_EQ(able(job_of(sim::Collective::kBarrier, 4)),
            (Names{"direct", "binomial", "dissemination"}));
  EXPECT_EQ(able(job_of(sim::Collective::kSendRecv, 4)), Names{"direct"});
}

TEST(Refusal, RootsAndTargetsHaveToFitTheGroup) {
  Job job = job_of(sim::Collective::kBroadcast, 4);
  job.root = 4;
  EXPECT_EQ(failure_of("chain", job).what,
            "chain cannot serve broadcast over 4 ranks: there is no rank 4 to be its root");
  job.root = 0;
  job.options.chunks = 0;
  EXPECT_EQ(failure_of("chain", job).what,
            "chain cannot serve broadcast over 4 ranks: chunks is 0, and must be at least 1");
  const auto permute = [](std::vector<sim::Rank> targets) {
    Job pairs = job_of(sim::Collective::kPermute, 3);
    pairs.targets = std::move(targets);
    return failure_of("direct", pairs).what;
  };
  const std::string prefix = "direct cannot serve permute over 3 ranks: ";
  EXPECT_EQ(permute({1, 0}), prefix + "it has 2 targets for 3 ranks");
  EXPECT_EQ(permute({1, 0, 3}), prefix + "there is no rank 3 to send to");
  EXPECT_EQ(permute({1, 1, 0}), prefix + "two ranks send to rank 1");
  EXPECT_EQ(permute({1, sim::kNoRank, 2}), "planned");
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
    EXPECT_EQ(failure.hint,
              "use direct or one_shot or ring or bidirectional_ring or recursive or "
              "recursive_doubling or bruck or pat or kangaring or double_tree");
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

TEST(Refusal, TorusSaysWhatIsWrongWithItsDimensions) {
  const auto refused = [](std::vector<sim::Rank> dimensions, const std::string& along) {
    Job job = job_of(sim::Collective::kAllReduce, 12);
    job.options.dimensions = std::move(dimensions);
    job.options.dimension_algorithm = along;
    return failure_of("torus", job).what;
  };
  const std::string prefix = "torus cannot serve all_reduce over 12 ranks: ";
  EXPECT_EQ(refused({}, "ring"), prefix + "it needs dimensions, the sizes of the grid");
  EXPECT_EQ(refused({3, 3}, "ring"),
            prefix + "its dimensions 3 x 3 are not 1 to 3 sizes whose product is 12");
  EXPECT_EQ(refused({1, 12}, "ring"), prefix + "each of its dimensions must be at least 2");
  EXPECT_EQ(refused({3, 4}, "rign"), prefix + "there is no dimension_algorithm 'rign'");
  EXPECT_EQ(refused({3, 4}, "swing"),
            prefix +
                "its dimension_algorithm swing cannot serve reduce_scatter over 3 ranks: it "
                "needs a power of two of ranks");
  EXPECT_EQ(refused({3, 4}, "kangaring"),
            prefix +
                "its dimension_algorithm kangaring cannot serve reduce_scatter over 3 ranks: "
                "it needs an even number of ranks");
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

std::vector<sim::Rank> distances(const sim::Schedule& schedule, sim::Rank rank) {
  std::vector<sim::Rank> distances;
  for (const sim::Op& op : schedule.program(rank).ops) {
    if (op.kind != sim::OpKind::kSend) continue;
    distances.push_back((op.peer + schedule.ranks() - rank) % schedule.ranks());
  }
  return distances;
}

TEST(Plan, TheIthSendsOfDirectAreRotationsByEveryDistanceOnce) {
  for (const sim::Rank n : {2U, 3U, 5U, 12U, 64U, 144U}) {
    const auto schedule = plan("direct", job_of(sim::Collective::kAllToAll, n));
    std::vector<sim::Rank> order = distances(schedule.value(), 0);
    for (sim::Rank rank = 1; rank < n; ++rank) EXPECT_EQ(distances(schedule.value(), rank), order);
    std::ranges::sort(order);
    for (sim::Rank d = 1; d < n; ++d) EXPECT_EQ(order[d - 1], d);
  }
}

// Of 16 peers in a row, as many as a DMA engine keeps going, no quarter of the group gets more than
// six.
TEST(Plan, AnyFewPeersInARowOfDirectAreSpreadOverTheGroup) {
  const auto schedule = plan("direct", job_of(sim::Collective::kAllToAll, 144));
  const std::vector<sim::Rank> order = distances(schedule.value(), 0);
  for (std::size_t first = 0; first + 16 <= order.size(); ++first) {
    std::array<int, 4> quarters{};
    for (std::size_t i = first; i < first + 16; ++i) ++quarters[order[i] / 36];
    EXPECT_LE(*std::ranges::max_element(quarters), 6);
  }
}

}  // namespace
}  // namespace collectives
