// SPDX-License-Identifier: GPL-2.0-only
// Algorithms of log2 n rounds on a star, against the sum of their rounds; reduction in the switch;
// what all-reduce cannot be faster than, and who gets there. Parts are whole packets, so that a
// round in two messages takes as long as in one.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "tests/oracles/alpha_beta.h"
#include "tests/oracles/play.h"
#include "tests/oracles/star.h"

namespace {

using oracle::Star;
using oracle::Work;

constexpr std::int64_t kEnds = 16;

std::int64_t rounds(std::int64_t n) { return std::bit_width(static_cast<std::uint64_t>(n - 1)); }

// Doubling from one part: round j brings as many parts as there are already, the last the rest.
std::int64_t doubling(const Star& star, std::int64_t n, std::int64_t bytes) {
  std::int64_t time = star.launch;
  for (std::int64_t have = 1; have < n; have *= 2) {
    time += oracle::transfer(star, std::min(have, n - have) * (bytes / n));
  }
  return time;
}

std::vector<Work> whole_packets(const std::string& kind, const std::string& algorithm,
                                const std::vector<std::int64_t>& ranks) {
  std::vector<Work> work;
  for (const std::int64_t n : ranks) {
    work.push_back({kind, algorithm, n, {n * 4'096, n * 8 * 4'096}});
  }
  return work;
}

const std::vector<Star>& plain_stars() {
  static const std::vector<Star> stars = [] {
    Star costs;
    costs.launch = 6'000'000;
    costs.per_transfer = 1'500'000;
    costs.memory = 200'000;
    return std::vector<Star>{Star{}, costs};
  }();
  return stars;
}

TEST(StarSteps, BruckPatAndSwingDoubleWhatTheyHave) {
  for (const Star& star : plain_stars()) {
    for (const std::string algorithm : {"bruck", "pat", "swing"}) {
      for (const std::string kind : {"all_gather", "reduce_scatter"}) {
        const auto work = whole_packets(kind, algorithm, {2, 4, 8});
        for (const auto& one : played::play_all(oracle::text_of(star, kEnds, work))) {
          EXPECT_EQ(one.time_ps, doubling(star, one.ranks, one.bytes)) << one.name;
        }
      }
    }
  }
}

// Over other numbers a rank may begin a round before it has all of the one before.
TEST(StarSteps, BruckAndPatNeverTakeMoreThanTheirRounds) {
  for (const Star& star : plain_stars()) {
    for (const std::string algorithm : {"bruck", "pat"}) {
      const auto work = whole_packets("all_gather", algorithm, {3, 5, 6, 7, 9, 11, 12});
      for (const auto& one : played::play_all(oracle::text_of(star, kEnds, work))) {
        const std::int64_t form = doubling(star, one.ranks, one.bytes);
        EXPECT_LE(one.time_ps, form) << one.name;
        EXPECT_GE(one.time_ps, star.launch + (rounds(one.ranks) - 1) *
                                                 oracle::transfer(star, one.bytes / one.ranks))
            << one.name;
      }
    }
  }
}

// Where ports are shared: between the longest chain and the chain with everything that the busiest
// port carries in its way.
TEST(StarSteps, TreesAndPairsLieBetweenTheirChainAndTheirBusiestPort) {
  for (const Star& star : plain_stars()) {
    const auto trees = whole_packets("all_reduce", "double_tree", {2, 4, 8, 16});
    for (const auto& one : played::play_all(oracle::text_of(star, kEnds, trees))) {
      const std::int64_t chain = 2 * rounds(one.ranks) * oracle::transfer(star, one.bytes / 32);
      EXPECT_GE(one.time_ps, star.launch + chain) << one.name;
      EXPECT_LE(one.time_ps, star.launch + chain + 2 * oracle::transfer(star, 2 * one.bytes))
          << one.name;
    }
    const auto pairs = whole_packets("all_gather", "kangaring", {2, 4, 8, 16});
    for (const auto& one : played::play_all(oracle::text_of(star, kEnds, pairs))) {
      const std::int64_t part = one.bytes / one.ranks;
      const std::int64_t hops = one.ranks / 2 - 1;
      const std::int64_t chain = std::max<std::int64_t>(hops, 1) * oracle::transfer(star, part);
      EXPECT_GE(one.time_ps, star.launch + chain) << one.name;
      EXPECT_LE(one.time_ps, star.launch + oracle::transfer(star, part) +
                                 hops * oracle::transfer(star, 2 * part))
          << one.name;
    }
  }
}

// The tensor up once and down once. The star's switch does not say that it can reduce, so the case
// is made from another one.
TEST(StarSteps, TheSwitchTakesOneTransfer) {
  for (const std::string fidelity : {"packet", "flow", "analytic"}) {
    for (Star star : plain_stars()) {
      star.cut_through = true;
      std::vector<Work> work;
      for (std::int64_t n = 2; n <= kEnds; ++n) {
        work.push_back({"all_reduce", "one_shot", n, {1, 4'096, 1'000'000}});
      }
      const auto scenario =
          played::load(oracle::text_of(star, kEnds, work), {{"fidelity", fidelity}});
      for (scenarios::CaseSpec spec : scenario.cases) {
        spec.algorithm = "in_switch";
        const sim::CaseOutcome one = played::play(scenario, spec);
        EXPECT_EQ(one.failure, "");
        EXPECT_EQ(one.time_ps, star.launch + oracle::transfer(star, one.bytes))
            << one.name << ", " << fidelity;
      }
    }
  }
}

// Chan et al. 2007: no all-reduce at the ends sends less than 2(n-1)/n of the bytes from each rank.
TEST(StarBounds, RingAndRecursiveMeetTheBandwidthBound) {
  const Star star;
  std::vector<Work> work;
  for (const std::int64_t n : {2, 4, 8, 16}) {
    work.push_back({"all_reduce", "[ring, recursive]", n, {256 << 20}});
  }
  for (const auto& one :
       played::play_all(oracle::text_of(star, kEnds, work), {{"fidelity", "flow"}})) {
    const std::int64_t least =
        oracle::duration(2 * (one.ranks - 1) * (one.bytes / one.ranks), star.bandwidth);
    EXPECT_GE(one.time_ps, least) << one.name;
    EXPECT_LE(one.time_ps, least + least / 100) << one.name;
  }
}

// Who sends to one peer at a time needs log2 n rounds; recursive doubling takes no more, those that
// scatter first take twice as many.
TEST(StarBounds, RecursiveDoublingMeetsTheLatencyBound) {
  const Star star;
  for (const std::int64_t n : {2, 4, 8, 16}) {
    const std::vector<Work> work = {
        {"all_reduce", "[recursive_doubling, recursive, swing, bruck, ring]", n, {16}}};
    for (const auto& one : played::play_all(oracle::text_of(star, kEnds, work))) {
      const std::int64_t least = rounds(n) * oracle::transfer(star, 16);
      if (one.algorithm == "recursive_doubling") {
        EXPECT_EQ(one.time_ps, least) << one.name;
      } else {
        EXPECT_GT(one.time_ps, least) << one.name;
      }
    }
  }
}

}  // namespace
