// SPDX-License-Identifier: GPL-2.0-only
// The kinds that have no phases (a root, a barrier, given pairs), in every algorithm that has them:
// symbolic end state, bytes sent by each rank, steps, for any root and any number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "collectives/collectives.h"
#include "sim/schedule/planner.h"
#include "sim/schedule/verify.h"
#include "tests/laws/collectives/steps.h"

namespace laws {
namespace {

using collectives::Job;
using sim::Collective;
using sim::Rank;

std::vector<Rank> group_sizes() {
  std::vector<Rank> sizes;
  for (Rank n = 2; n <= 17; ++n) sizes.push_back(n);
  for (const Rank n : {24U, 36U, 48U, 64U, 72U, 144U}) sizes.push_back(n);
  return sizes;
}

struct Served {
  std::string algorithm;
  Job job;

  [[nodiscard]] std::string told() const {
    return algorithm + " " + std::string(sim::name_of(job.collective)) + " over " +
           std::to_string(job.ranks) + " ranks of " + std::to_string(job.bytes.value) +
           " bytes, root " + std::to_string(job.root) + ", chunks " +
           std::to_string(job.options.chunks);
  }
  [[nodiscard]] sim::Schedule planned() const {
    return std::move(collectives::plan(algorithm, job)).value();
  }
};

std::vector<Rank> reversed(Rank n) {
  std::vector<Rank> targets(n);
  for (Rank rank = 0; rank < n; ++rank) targets[rank] = n - 1 - rank;
  return targets;
}

std::vector<Rank> shifted_but_the_last(Rank n) {
  std::vector<Rank> targets(n);
  std::iota(targets.begin(), targets.end(), 1U);
  targets.back() = sim::kNoRank;
  return targets;
}

// Every algorithm and kind without phases over n ranks, with a few roots, chunks and pairs.
std::vector<Served> all_served(Rank n, std::int64_t bytes) {
  std::vector<Served> all;
  for (const auto& entry : collectives::algorithms().entries()) {
    for (const Collective collective : sim::all_collectives()) {
      if (sim::is_flat_kind(collective)) continue;
      Job job;
      job.collective = collective;
      job.ranks = n;
      job.bytes = sim::Bytes(bytes);
      if (entry.make.refusal(job)) continue;
      all.push_back({entry.name, job});
      if (collective == Collective::kPermute) {
        for (const auto& targets : {reversed(n), shifted_but_the_last(n)}) {
          job.targets = targets;
          all.push_back({entry.name, job});
        }
      }
      if (!sim::has_root(collective)) continue;
      job.options.chunks = 1;
      job.root = n - 1;
      all.push_back({entry.name, job});
      job.options.chunks = 5;
      job.root = n / 2;
      all.push_back({entry.name, job});
    }
  }
  return all;
}

TEST(WholeGroupLaws, EveryRankEndsWithExactlyTheWantedData) {
  std::size_t checked = 0;
  for (const Rank n : group_sizes()) {
    for (const std::int64_t bytes :
         {std::int64_t{1}, std::int64_t{n} - 1, std::int64_t{1'000'003}}) {
      for (const Served& served : all_served(n, bytes)) {
        const sim::Schedule schedule = served.planned();
        for (const std::uint64_t seed : {1U, 2U}) {
          const auto fault = sim::verify(schedule, seed);
          ASSERT_FALSE(fault) << served.told() << ": " << *fault;
        }
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 2'000U);
}

// Places of a binomial tree, written from its picture and not from its bits: the first half of the
// places (a power of two) is a tree of its own, and its root adopts the root of the other half.
struct Tree {
  std::vector<Rank> parent;
  std::vector<std::int64_t> size;  // of the subtree
  std::vector<std::int64_t> children;
  std::vector<std::int64_t> depth;

  explicit Tree(Rank n) : parent(n), size(n, 1), children(n), depth(n) {
    grow(0, n, std::bit_ceil(n));
    for (Rank v = n; v-- > 1;) {
      size[parent[v]] += size[v];
      ++children[parent[v]];
    }
    for (Rank v = 1; v < n; ++v) depth[v] = depth[parent[v]] + 1;
  }

 private:
  void grow(Rank root, Rank end, Rank width) {
    if (width == 1) return;
    grow(root, end, width / 2);
    if (root + width / 2 >= end) return;
    parent[root + width / 2] = root;
    grow(root + width / 2, end, width / 2);
  }
};

std::int64_t log2_up(Rank n) { return std::bit_width(n - 1); }

// What a place sends: in tensors (broadcast, reduce), in parts (gather, scatter), in signals.
std::int64_t binomial_sends(const Job& job, const Tree& tree, Rank place) {
  const std::int64_t up = place == 0 ? 0 : 1;
  switch (job.collective) {
    case Collective::kBroadcast:
      return tree.children[place];
    case Collective::kReduce:
      return up;
    case Collective::kGather:
      return up * tree.size[place];
    case Collective::kScatter:
      return tree.size[place] - 1;
    default:
      return up + tree.children[place];
  }
}

std::int64_t chain_sends(const Job& job, Rank place) {
  const std::int64_t behind = job.ranks - 1 - place;
  switch (job.collective) {
    case Collective::kBroadcast:
      return behind > 0 ? 1 : 0;
    case Collective::kReduce:
      return place > 0 ? 1 : 0;
    case Collective::kGather:
      return place > 0 ? behind + 1 : 0;
    default:
      return behind;
  }
}

std::int64_t direct_sends(const Job& job, Rank place, Rank rank) {
  const std::int64_t others = job.ranks - 1;
  switch (job.collective) {
    case Collective::kBroadcast:
    case Collective::kScatter:
      return place == 0 ? others : 0;
    case Collective::kReduce:
    case Collective::kGather:
      return place == 0 ? 0 : 1;
    case Collective::kBarrier:
      return others;
    default:
      if (job.targets.empty()) return 1;
      return job.targets[rank] == sim::kNoRank || job.targets[rank] == rank ? 0 : 1;
  }
}

std::int64_t sends_of(const Served& served, const Tree& tree, Rank rank) {
  const Job& job = served.job;
  const Rank place = (rank + job.ranks - job.root) % job.ranks;
  if (served.algorithm == "direct") return direct_sends(job, place, rank);
  if (served.algorithm == "chain") return chain_sends(job, place);
  if (served.algorithm == "binomial") return binomial_sends(job, tree, place);
  EXPECT_EQ(served.algorithm, "dissemination") << "no law says what it sends";
  return log2_up(job.ranks);
}

TEST(WholeGroupLaws, EveryRankSendsTheBytesOfTheory) {
  for (const Rank n : group_sizes()) {
    const std::int64_t bytes = std::int64_t{n} * 80'000;  // whole parts and chunks
    const Tree tree(n);
    for (const Served& served : all_served(n, bytes)) {
      const bool cut = served.job.collective == Collective::kGather ||
                       served.job.collective == Collective::kScatter;
      const sim::Schedule schedule = served.planned();
      for (Rank rank = 0; rank < n; ++rank) {
        ASSERT_EQ(schedule.bytes_sent(rank).value,
                  sends_of(served, tree, rank) * (cut ? bytes / n : bytes))
            << served.told() << ", rank " << rank;
      }
    }
  }
}

std::int64_t binomial_steps(const Job& job, const Tree& tree) {
  const std::int64_t deepest = std::ranges::max(tree.depth);
  switch (job.collective) {
    case Collective::kBroadcast:
    case Collective::kScatter:
      return log2_up(job.ranks);
    case Collective::kReduce:
    case Collective::kGather:
      return deepest;
    default:
      return deepest + log2_up(job.ranks);
  }
}

std::int64_t steps_of(const Served& served, const Tree& tree) {
  const Job& job = served.job;
  if (served.algorithm == "direct") return 1;
  if (served.algorithm == "binomial") return binomial_steps(job, tree);
  if (served.algorithm == "dissemination") return log2_up(job.ranks);
  const bool cut = job.collective == Collective::kGather || job.collective == Collective::kScatter;
  return cut ? job.ranks - 1 : std::int64_t{job.ranks} - 2 + job.options.chunks;
}

// A subtree of a binomial gather or scatter that passes the last rank takes two messages.
TEST(WholeGroupLaws, TheLongestChainOfSendsIsTheStepsOfTheory) {
  for (const Rank n : group_sizes()) {
    const Tree tree(n);
    for (const Served& served : all_served(n, std::int64_t{n} * 80'000)) {
      const bool may_wrap = served.algorithm == "binomial" && served.job.root != 0;
      const std::int64_t expected = steps_of(served, tree);
      const std::int64_t found = steps(served.planned());
      EXPECT_GE(found, expected) << served.told();
      EXPECT_LE(found, may_wrap ? 2 * expected : expected) << served.told();
    }
  }
}

TEST(WholeGroupLaws, ZeroByteTensorsNeedNoOps) {
  for (const Served& served : all_served(8, 0)) {
    EXPECT_EQ(served.planned().sends(), 0U) << served.told();
    EXPECT_FALSE(sim::verify(served.planned()));
  }
}

TEST(WholeGroupLaws, BarriersHearOfEveryRank) {
  Job job;
  job.collective = Collective::kBarrier;
  job.ranks = 5;
  job.bytes = sim::Bytes(sim::kSignalBytes);
  const sim::Schedule schedule = std::move(collectives::plan("dissemination", job)).value();
  std::vector<sim::RankProgram> programs;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    sim::Planner planner(rank, schedule.layout().sizes);
    planner.send_to_reduce((rank + 1) % 5, {0, 1, 1, 1}, 0);  // only the first step
    planner.receive_and_reduce({0, 1, 1, 1}, 0);
    programs.push_back(std::move(planner).take(1));
  }
  const auto fault = sim::verify(sim::Schedule(schedule.layout(), "hasty", std::move(programs)));
  ASSERT_TRUE(fault);
  EXPECT_EQ(*fault,
            "rank 0 ends with part 0 of rank 0, 4 in block 0, and should hold part 0 of rank 0..4");
}

}  // namespace
}  // namespace laws
