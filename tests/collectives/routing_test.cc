// SPDX-License-Identifier: GPL-2.0-only
// Expert routing against counts and closed forms: every token goes to top_k different experts, the
// means are those of theory, and what is deduplicated is what a plain count says.
#include "collectives/routing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace collectives {
namespace {

using Model = Routing::Model;
using Dedup = Routing::Dedup;

Routing routing_of(Model model, std::int64_t experts, std::int64_t top_k, std::int64_t tokens) {
  Routing routing;
  routing.model = model;
  routing.experts = experts;
  routing.top_k = top_k;
  routing.tokens = tokens;
  routing.token_bytes = sim::Bytes(1);
  routing.exponent_ppb = 1'200'000'000;
  routing.hot_factor_ppb = 4'000'000'000;
  routing.groups = 8;
  routing.top_groups = 4;
  return routing;
}

const std::vector<Model> kModels = {Model::kBalanced, Model::kUniform, Model::kPowerLaw,
                                    Model::kHotExpert, Model::kNodeLimited};

std::int64_t sum(const std::vector<std::int64_t>& list) {
  return std::accumulate(list.begin(), list.end(), std::int64_t{0});
}

TEST(Routing, EveryTokenGoesToTopKDifferentExperts) {
  for (const Model model : kModels) {
    for (const std::int64_t top_k : {1, 2, 8, 16}) {
      const Routing routing = routing_of(model, 64, top_k, 1);
      if (fault_in(routing, 8, 0)) continue;
      ExpertDraw draw(routing, 1);
      for (int token = 0; token < 500; ++token) {
        const std::vector<std::uint32_t>& experts = draw.next();
        const std::set<std::uint32_t> different(experts.begin(), experts.end());
        ASSERT_EQ(experts.size(), static_cast<std::size_t>(top_k));
        ASSERT_EQ(different.size(), experts.size());
        ASSERT_LT(*different.rbegin(), 64U);
      }
    }
  }
}

TEST(Routing, EveryRowIsCounted) {
  for (const Model model : kModels) {
    const sim::Traffic traffic = routed(routing_of(model, 64, 4, 250), 8, 0, 3);
    for (sim::Rank from = 0; from < 8; ++from) {
      std::int64_t rows = 0;
      for (sim::Rank to = 0; to < 8; ++to) rows += traffic.of(from, to);
      EXPECT_EQ(rows, 250 * 4);
    }
  }
}

TEST(Routing, SeedsSettleItAndDiffer) {
  for (const Model model : kModels) {
    const Routing routing = routing_of(model, 64, 4, 100);
    EXPECT_EQ(routed(routing, 8, 0, 1).pairs, routed(routing, 8, 0, 1).pairs);
    const bool same = routed(routing, 8, 0, 1).pairs == routed(routing, 8, 0, 2).pairs;
    EXPECT_EQ(same, !routing.is_random());
  }
}

TEST(Routing, BalancedIsEvenWhereNumbersDivide) {
  const sim::Traffic traffic = routed(routing_of(Model::kBalanced, 64, 4, 128), 16, 0, 1);
  for (const std::int64_t rows : traffic.pairs) EXPECT_EQ(rows, 128 * 4 / 16);
}

// Mean number of different parts of `parts` equal ones that a token reaches.
double mean_parts(const Routing& routing, std::uint32_t parts, int tokens) {
  const auto size = static_cast<std::uint32_t>(routing.experts) / parts;
  ExpertDraw draw(routing, 11);
  std::int64_t reached = 0;
  for (int token = 0; token < tokens; ++token) {
    std::set<std::uint32_t> seen;
    for (const std::uint32_t expert : draw.next()) seen.insert(expert / size);
    reached += static_cast<std::int64_t>(seen.size());
  }
  return static_cast<double>(reached) / tokens;
}

// parts x (1 - C(E - E/parts, k) / C(E, k)): how many of `parts` equal parts of E experts a token
// reaches whose k experts are drawn alike.
double expected_parts(double experts, double k, double parts) {
  double none = 1;
  for (double i = 0; i < k; ++i) none *= (experts - experts / parts - i) / (experts - i);
  return parts * (1 - none);
}

// Models of the table in the literature: DeepSeek-V3 256 of 8, gpt-oss 128 of 4, Mixtral 8 of 2.
TEST(Routing, UniformReachesThePartsOfTheClosedForm) {
  struct Case {
    std::int64_t experts, top_k;
    std::uint32_t parts;
    double known;
  };
  for (const Case& one : {Case{256, 8, 8, 5.295}, Case{256, 8, 64, 7.676}, Case{128, 4, 16, 3.680},
                          Case{8, 2, 4, 1.857}, Case{128, 8, 4, 3.629}}) {
    const double expected =
        expected_parts(static_cast<double>(one.experts), static_cast<double>(one.top_k), one.parts);
    EXPECT_NEAR(expected, one.known, 0.0006);
    const Routing routing = routing_of(Model::kUniform, one.experts, one.top_k, 1);
    EXPECT_NEAR(mean_parts(routing, one.parts, 40'000), expected, 0.012);
  }
}

// Groups at random: 4 of 8, then any 8 of the 128 experts in them: 3.629 groups are reached, which
// is what the closed form gives for 128 experts in 4 groups, and 7.359 ranks of 64.
TEST(Routing, NodeLimitedAtRandomReachesTheClosedForm) {
  Routing routing = routing_of(Model::kNodeLimited, 256, 8, 1);
  routing.groups_by_score = false;
  EXPECT_NEAR(mean_parts(routing, 8, 40'000), expected_parts(128, 8, 4), 0.012);
  EXPECT_NEAR(mean_parts(routing, 64, 40'000), expected_parts(128, 8, 32), 0.012);
}

// By score, as DeepSeek-V3 does it. Written a second time from the paper, in other words: the
// groups are those with the largest sums of two best, and a group is reached if its best expert is
// among the 8 best of the chosen groups.
double mean_groups_by_score(int tokens) {
  sim::Random random(99, "the second way");
  std::int64_t reached = 0;
  for (int token = 0; token < tokens; ++token) {
    std::vector<std::vector<double>> groups(8);
    for (std::vector<double>& group : groups) {
      for (int i = 0; i < 32; ++i) group.push_back(static_cast<double>(random.below(1U << 30U)));
      std::sort(group.rbegin(), group.rend());
    }
    std::sort(groups.begin(), groups.end(),
              [](const auto& a, const auto& b) { return a[0] + a[1] > b[0] + b[1]; });
    std::vector<double> open;
    for (int g = 0; g < 4; ++g) open.insert(open.end(), groups[g].begin(), groups[g].end());
    std::sort(open.rbegin(), open.rend());
    for (int g = 0; g < 4; ++g) reached += groups[g][0] >= open[7] ? 1 : 0;
  }
  return static_cast<double>(reached) / tokens;
}

// A group that is chosen by score has two high affinities, so that its best is nearly always among
// the 8: more groups than at random, and never more than 4.
TEST(Routing, NodeLimitedByScoreReachesNearlyAllItsGroups) {
  const double reached = mean_parts(routing_of(Model::kNodeLimited, 256, 8, 1), 8, 20'000);
  EXPECT_NEAR(reached, mean_groups_by_score(20'000), 0.01);
  EXPECT_GT(reached, expected_parts(128, 8, 4) + 0.2);
  EXPECT_LE(reached, 4.0);
}

std::vector<double> shares(const Routing& routing, std::uint64_t seed, int tokens) {
  std::vector<double> rows(static_cast<std::size_t>(routing.experts));
  ExpertDraw draw(routing, seed);
  for (int token = 0; token < tokens; ++token) {
    for (const std::uint32_t expert : draw.next()) rows[expert] += 1;
  }
  for (double& one : rows) one /= static_cast<double>(tokens);
  std::sort(rows.rbegin(), rows.rend());
  return rows;
}

// With one expert a token there are no repeats: shares are the weights themselves.
TEST(Routing, PowerLawFollowsItsWeights) {
  const std::vector<double> rows = shares(routing_of(Model::kPowerLaw, 16, 1, 1), 5, 60'000);
  double total = 0;
  for (int place = 1; place <= 16; ++place) total += std::pow(place, -1.2);
  for (int place = 1; place <= 16; ++place) {
    EXPECT_NEAR(rows[place - 1], std::pow(place, -1.2) / total, 0.006) << place;
  }
}

// Two of three without repeats, by weights 4 : 2 : 1 (exponent 1 would be 6 : 3 : 2): an expert is
// taken first, or second after another.
TEST(Routing, PowerLawDrawsWithoutRepeats) {
  Routing routing = routing_of(Model::kPowerLaw, 3, 2, 1);
  routing.exponent_ppb = 1'000'000'000;  // weights 6 : 3 : 2 of 11
  const std::vector<double> rows = shares(routing, 5, 60'000);
  const double w[] = {6.0 / 11, 3.0 / 11, 2.0 / 11};
  for (int i = 0; i < 3; ++i) {
    double taken = w[i];
    for (int j = 0; j < 3; ++j) taken += j == i ? 0 : w[j] * w[i] / (1 - w[j]);
    EXPECT_NEAR(rows[i], taken, 0.008) << i;
  }
}

TEST(Routing, TheHotExpertGetsItsFactorTheOthersAlike) {
  const std::vector<double> rows = shares(routing_of(Model::kHotExpert, 64, 4, 1), 5, 60'000);
  const double mean = 4.0 / 64;
  EXPECT_NEAR(rows[0], 4 * mean, 0.01);
  EXPECT_NEAR(rows[1], (4.0 - 4 * mean) / 63, 0.006);
  EXPECT_NEAR(rows[63], (4.0 - 4 * mean) / 63, 0.006);
}

TEST(Routing, CapacityDropsWhatIsBeyondOrPadsToIt) {
  Routing routing = routing_of(Model::kPowerLaw, 16, 2, 400);
  routing.capacity_ppb = 1'250'000'000;
  EXPECT_EQ(routing.capacity(), 63);  // ceil(400 x 2 / 16 x 1.25)
  const sim::Traffic dropped = routed(routing, 16, 0, 1);
  EXPECT_EQ(*std::ranges::max_element(dropped.pairs), 63);
  EXPECT_LT(sum(dropped.pairs), 16 * 400 * 2);
  routing.pad = true;
  EXPECT_FALSE(routing.is_random());
  for (const std::int64_t rows : routed(routing, 8, 0, 1).pairs) EXPECT_EQ(rows, 2 * 63);
}

// Rows counted once a rank, once a server, from the same draws.
TEST(Routing, DeduplicationCountsEachDestinationOnce) {
  Routing routing = routing_of(Model::kUniform, 64, 8, 200);
  routing.dedup = Dedup::kServer;
  const sim::Traffic shared = routed(routing, 16, 4, 1);
  routing.dedup = Dedup::kRank;
  EXPECT_EQ(routed(routing, 16, 4, 1).pairs, shared.pairs);
  ExpertDraw draw(routing, 1);
  std::vector<std::int64_t> pairs(16 * 16);
  std::vector<std::int64_t> bundles(16 * 4);
  for (std::uint32_t from = 0; from < 16; ++from) {
    for (int token = 0; token < 200; ++token) {
      std::set<std::uint32_t> ranks;
      std::set<std::uint32_t> servers;
      for (const std::uint32_t expert : draw.next()) {
        ranks.insert(expert / 4);
        servers.insert(expert / 16);
      }
      for (const std::uint32_t rank : ranks) ++pairs[from * 16 + rank];
      for (const std::uint32_t server : servers) ++bundles[from * 4 + server];
    }
  }
  EXPECT_EQ(shared.pairs, pairs);
  EXPECT_EQ(shared.bundles, bundles);
  EXPECT_TRUE(sim::is_sound(shared));
}

TEST(Routing, FaultsNameTheKeyToBlame) {
  const auto key = [](Routing routing, sim::Rank ranks, sim::Rank server) {
    const auto fault = fault_in(routing, ranks, server);
    return fault ? fault->key : "none";
  };
  EXPECT_EQ(key(routing_of(Model::kUniform, 64, 4, 10), 8, 0), "none");
  EXPECT_EQ(key(routing_of(Model::kUniform, 64, 4, 10), 12, 0), "experts");
  EXPECT_EQ(key(routing_of(Model::kUniform, 64, 65, 10), 8, 0), "top_k");
  EXPECT_EQ(key(routing_of(Model::kNodeLimited, 60, 4, 10), 4, 0), "groups");
  EXPECT_EQ(key(routing_of(Model::kNodeLimited, 16, 9, 10), 4, 0), "top_k");
  EXPECT_EQ(key(routing_of(Model::kHotExpert, 8, 4, 10), 4, 0), "hot_factor");
  EXPECT_EQ(key(routing_of(Model::kUniform, 64, 4, 1'000'000'000), 8, 0), "tokens");
  Routing routing = routing_of(Model::kUniform, 64, 4, 10);
  routing.dedup = Dedup::kServer;
  EXPECT_EQ(key(routing, 8, 3), "dedup");
  EXPECT_EQ(key(routing, 8, 0), "dedup");
  EXPECT_EQ(key(routing, 8, 4), "none");
  Routing matrix;
  matrix.model = Model::kMatrix;
  matrix.matrix = {0, 1, 2};
  EXPECT_EQ(key(matrix, 2, 0), "matrix");
}

}  // namespace
}  // namespace collectives
