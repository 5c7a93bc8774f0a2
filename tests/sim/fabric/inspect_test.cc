// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/inspect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "tests/sim/fabric/small_fabrics.h"

namespace {

using sim::Bandwidth;
using sim::EndpointId;
using sim_test::Arc;
using sim_test::fabric_of;

// Least cut between nodes 0, 1 and the last two, by trying every set of nodes on the source's side.
std::int64_t least_cut(std::uint32_t nodes, const std::vector<Arc>& arcs,
                       const std::vector<bool>& allowed) {
  const std::uint32_t source = 0b11;
  const std::uint32_t sink = 0b11U << (nodes - 2);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t side = 0; side < (1U << nodes); ++side) {
    if ((side & source) != source || (side & sink) != 0) continue;
    std::int64_t cut = 0;
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) {
      const bool leaves =
          ((side >> arcs[arc].from) & 1U) == 1 && ((side >> arcs[arc].to) & 1U) == 0;
      if (leaves && allowed[arc]) cut += arcs[arc].bandwidth;
    }
    least = std::min(least, cut);
  }
  return least;
}

TEST(MaxFlow, EqualsTheLeastCutOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto nodes = static_cast<std::uint32_t>(4 + seed % 6);
    const auto arcs = sim_test::random_arcs(nodes, 3 * nodes, seed);
    const sim::Fabric fabric = fabric_of(nodes, arcs);
    const std::vector<EndpointId> from{EndpointId{0}, EndpointId{1}};
    const std::vector<EndpointId> to{EndpointId{nodes - 2}, EndpointId{nodes - 1}};
    const std::vector<bool> all(arcs.size(), true);
    EXPECT_EQ(max_flow(fabric, from, to).value, least_cut(nodes, arcs, all)) << "seed " << seed;
    std::vector<bool> some(arcs.size());
    for (std::size_t arc = 0; arc < arcs.size(); ++arc) some[arc] = (arc * 7 + seed) % 3 != 0;
    EXPECT_EQ(max_flow(fabric, from, to, &some).value, least_cut(nodes, arcs, some))
        << "seed " << seed;
  }
}

TEST(StronglyConnected, IsFalseWhenOneWayBackIsMissing) {
  EXPECT_TRUE(strongly_connected(fabric_of(3, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}})));
  EXPECT_FALSE(strongly_connected(fabric_of(3, {{0, 1, 1}, {1, 2, 1}, {2, 1, 1}})));
}

TEST(Diameter, IsTheLongestOfTheShortestWays) {
  EXPECT_EQ(diameter(fabric_of(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 0, 1}})), 3U);
  EXPECT_EQ(diameter(fabric_of(2, {{0, 1, 1}, {1, 0, 1}})), 1U);
}

TEST(Bisection, CutsTheOutermostLevelThatNests) {
  // Two racks of two chips, 100 inside and 3 between; "plane" cuts across and must not be taken.
  sim::FabricBuilder builder;
  const auto kind = builder.add_class({.name = "wire"});
  std::vector<sim::NodeId> chips;
  for (const char* name : {"a", "b", "c", "d"}) {
    chips.push_back(builder.add_node({.kind = sim::NodeKind::kChip, .name = name}));
    builder.add_endpoint(chips.back());
  }
  builder.connect(chips[0], chips[1], kind, Bandwidth(100), {});
  builder.connect(chips[2], chips[3], kind, Bandwidth(100), {});
  builder.connect(chips[0], chips[2], kind, Bandwidth(3), {});
  builder.add_level("chip", {0, 1, 2, 3});
  builder.add_level("rack", {0, 0, 1, 1});
  builder.add_level("plane", {0, 1, 0, 1});
  EXPECT_EQ(bisection(std::move(builder).seal()), Bandwidth(3));
}

TEST(UniformAllToAll, NamesTheLinkThatBindsAndItsExactRate) {
  // A one-way ring of three: each link carries the near and the far share of two sources: 3 of 2
  // units.
  auto fabric =
      std::make_unique<const sim::Fabric>(fabric_of(3, {{0, 1, 30}, {1, 2, 20}, {2, 0, 30}}));
  auto routes = shortest_routes(*fabric);
  const sim::Topology ring{std::move(fabric), std::move(routes)};
  const std::vector<EndpointId> group{EndpointId{0}, EndpointId{1}, EndpointId{2}};
  const sim::UniformLoad load = uniform_all_to_all(ring, group);
  EXPECT_EQ(load.fullest, sim::LinkId{1});
  EXPECT_EQ(load.injection, Bandwidth(20 * 2 / 3));
  EXPECT_EQ(hop_histogram(ring), (std::vector<std::uint64_t>{0, 3, 3}));
}

}  // namespace
