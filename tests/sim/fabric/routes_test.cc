// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/routes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/fabric/small_fabrics.h"

namespace {

using sim::EndpointId;
using sim::LinkId;

// All distances by relaxing every arc until nothing changes (Floyd and Warshall).
std::vector<std::vector<std::uint32_t>> distances(std::uint32_t nodes,
                                                  const std::vector<sim_test::Arc>& arcs) {
  std::vector<std::vector<std::uint32_t>> far(nodes, std::vector<std::uint32_t>(nodes, 1000));
  for (std::uint32_t node = 0; node < nodes; ++node) far[node][node] = 0;
  for (const sim_test::Arc& arc : arcs) far[arc.from][arc.to] = 1;
  for (std::uint32_t via = 0; via < nodes; ++via) {
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = 0; b < nodes; ++b) {
        far[a][b] = std::min(far[a][b], far[a][via] + far[via][b]);
      }
    }
  }
  return far;
}

TEST(ShortestRoutes, AreChainsOfTheLeastLengthOnRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto nodes = static_cast<std::uint32_t>(3 + seed % 12);
    const auto arcs = sim_test::random_arcs(nodes, nodes, seed);
    const sim::Fabric fabric = sim_test::fabric_of(nodes, arcs);
    const auto routes = shortest_routes(fabric);
    const auto far = distances(nodes, arcs);
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = 0; b < nodes; ++b) {
        if (a == b) continue;
        std::vector<LinkId> links;
        routes->append_path(EndpointId{a}, EndpointId{b}, 0, links);
        ASSERT_EQ(links.size(), far[a][b]);
        sim::NodeId at = fabric.node_of(EndpointId{a});
        for (const LinkId link : links) {
          ASSERT_EQ(fabric.link(link).from, at);
          at = fabric.link(link).to;
        }
        ASSERT_EQ(at, fabric.node_of(EndpointId{b}));
      }
    }
  }
}

TEST(ShortestRoutes, PreferTheLowestLinkAmongEqualWays) {
  const sim::Fabric fabric =
      sim_test::fabric_of(4, {{0, 2, 1}, {0, 1, 1}, {1, 3, 1}, {2, 3, 1}, {3, 0, 1}, {3, 0, 1}});
  const auto routes = shortest_routes(fabric);
  std::vector<LinkId> links;
  routes->append_path(EndpointId{0}, EndpointId{3}, 0, links);
  EXPECT_EQ(links, (std::vector<LinkId>{LinkId{0}, LinkId{3}}));
  links.clear();
  routes->append_path(EndpointId{3}, EndpointId{0}, 0, links);
  EXPECT_EQ(links, (std::vector<LinkId>{LinkId{4}}));
}

}  // namespace
