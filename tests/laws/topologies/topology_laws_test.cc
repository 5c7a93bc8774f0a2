// SPDX-License-Identifier: GPL-2.0-only
// What holds for every topology under every setting. A new topology adds its cases to the list
// below.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/fabric/inspect.h"
#include "sim/fabric/structure.h"
#include "tests/topologies/credit_cycles.h"
#include "tests/topologies/hand_parameters.h"

namespace {

using sim::EndpointId;
using sim::LinkId;
using topologies_test::Changes;

struct Setting {
  std::string name;
  std::string topology;
  Changes changes;
};

void add_ultraservers(std::vector<Setting>& settings) {
  for (const char* planes : {"1", "2", "4"}) {
    for (const char* relay : {"source", "destination", "split"}) {
      settings.push_back({std::string("ultraserver_") + planes + "_planes_" + relay,
                          "ultraserver",
                          {{"planes", planes}, {"relay", relay}}});
    }
  }
}

void add_families(std::vector<Setting>& settings) {
  const Changes trn1 = {{"torus.z", "1"}, {"nic.chips_per_nic", "2"}, {"servers", "2"}};
  const Changes four_tiers = {{"servers", "12"},
                              {"chips", "2"},
                              {"trays", "1"},
                              {"ethernet.nics_per_tor", "2"},
                              {"ethernet.spines", "2"},
                              {"ethernet.radix", "8"},
                              {"ethernet.tier2.children", "2"},
                              {"ethernet.tors_per_nic", "2"}};
  const std::vector<Setting> more = {
      {"torus_4_4_4", "torus", {}},
      {"torus_8_8", "torus", {{"torus.x", "8"}, {"torus.y", "8"}, {"torus.z", "1"}}},
      {"torus_7_2_5", "torus", {{"torus.x", "7"}, {"torus.y", "2"}, {"torus.z", "5"}}},
      {"torus_6_6_6", "torus", {{"torus.x", "6"}, {"torus.y", "6"}, {"torus.z", "6"}}},
      {"torus_open", "torus", {{"torus.x", "6"}, {"torus.ends", "open"}}},
      {"torus_cores", "torus", {{"torus.z", "1"}, {"endpoints_per_chip", "2"}}},
      {"torus_cluster_shared_nics", "torus_cluster", trn1},
      {"switched_8", "switched", {}},
      {"switched_72", "switched", {{"chips", "72"}, {"trays", "18"}}},
      {"switched_cluster_rails",
       "switched_cluster",
       {{"ethernet.wiring", "rails"},
        {"nic.family", "infiniband"},
        {"servers", "5"},
        {"ethernet.nics_per_tor", "2"}}},
      {"switched_cluster_4_nics", "switched_cluster", {{"nic.per_chip", "4"}}},
      {"switched_cluster_four_tiers", "switched_cluster", four_tiers},
      {"full_mesh_8", "full_mesh", {}},
      {"full_mesh_cluster", "full_mesh_cluster", {{"ethernet.nics_per_tor", "8"}}},
      {"pcie_8", "pcie", {}},
      {"pcie_one_socket", "pcie", {{"sockets", "1"}}},
      {"pcie_cluster", "pcie_cluster", {{"nic.chips_per_nic", "2"}}},
      {"ultraserver_gen1_direct",
       "ultraserver",
       {{"positions", "2"}, {"sleds", "16"}, {"planes", "2"}, {"sled.structure", "direct"}}},
      {"ultracluster_dual_tor", "ultracluster", {{"ethernet.tors_per_nic", "2"}}},
  };
  settings.insert(settings.end(), more.begin(), more.end());
}

std::vector<Setting> settings() {
  const Changes wide = {{"sled.bandwidth", "512 GB/s"}, {"rack.bandwidth", "512 GB/s"}};
  const Changes small = {{"ultraservers", "3"},          {"sleds", "3"},
                         {"endpoints_per_chip", "2"},    {"relay", "split"},
                         {"ethernet.nics_per_tor", "4"}, {"ethernet.spines", "3"}};
  std::vector<Setting> all = {
      {"star_2", "star", {{"ends", "2"}}},
      {"star_33", "star", {{"ends", "33"}, {"link.flow", "credits"}}},
      {"ultraserver_doc", "ultraserver", {}},
      {"ultraserver_full", "ultraserver", wide},
      {"ultraserver_headline", "ultraserver", {{"structure", "flat"}}},
      {"ultraserver_cores", "ultraserver", {{"sleds", "5"}, {"endpoints_per_chip", "4"}}},
      {"ultraserver_one_rack", "ultraserver", {{"racks", "1"}}},
      {"ultraserver_gen1", "ultraserver", {{"positions", "2"}, {"sleds", "16"}, {"planes", "2"}}},
      {"ultracluster_2", "ultracluster", {}},
      {"ultracluster_flat",
       "ultracluster",
       {{"structure", "flat"}, {"sleds", "6"}, {"ethernet.nics_per_tor", "12"}}},
      {"ultracluster_one", "ultracluster", {{"ultraservers", "1"}}},
      {"ultracluster_3_cores", "ultracluster", small},
  };
  add_ultraservers(all);
  add_families(all);
  return all;
}

class TopologyLaw : public testing::TestWithParam<Setting> {
 protected:
  TopologyLaw() : topology_(topologies_test::make(GetParam().topology, GetParam().changes)) {}

  const sim::Fabric& fabric() const { return *topology_.fabric; }
  const sim::Routes& routes() const { return *topology_.routes; }

  template <class Visit>
  void for_each_path(Visit visit) const {
    std::vector<LinkId> links;
    for (std::uint32_t from = 0; from < fabric().endpoints(); ++from) {
      for (std::uint32_t to = 0; to < fabric().endpoints(); ++to) {
        if (from == to) continue;
        const std::uint32_t paths = routes().path_count(EndpointId{from}, EndpointId{to});
        ASSERT_GE(paths, 1U);
        for (std::uint32_t path = 0; path < paths; ++path) {
          links.clear();
          routes().append_path(EndpointId{from}, EndpointId{to}, path, links);
          ASSERT_NO_FATAL_FAILURE(visit(EndpointId{from}, EndpointId{to}, links));
        }
      }
    }
  }

  sim::Topology topology_;
};

TEST_P(TopologyLaw, EveryNodeReachesEveryOther) { EXPECT_TRUE(strongly_connected(fabric())); }

TEST_P(TopologyLaw, EveryLinkHasAnEqualWayBack) {
  std::map<std::tuple<sim::NodeId, sim::NodeId, sim::ClassId, sim::Bandwidth, sim::Time>, int> open;
  for (const sim::Link& link : fabric().links()) {
    const bool forth = link.from < link.to;
    const auto [a, b] = std::minmax(link.from, link.to);
    open[{a, b, link.kind, link.bandwidth, link.latency}] += forth ? 1 : -1;
  }
  for (const auto& [pair, unpaired] : open) EXPECT_EQ(unpaired, 0);
}

TEST_P(TopologyLaw, PathsAreChainsFromEndToEndThatVisitNoNodeTwice) {
  for_each_path([&](EndpointId from, EndpointId to, const std::vector<LinkId>& links) {
    std::set<sim::NodeId> seen = {fabric().node_of(from)};
    sim::NodeId at = fabric().node_of(from);
    for (const LinkId link : links) {
      ASSERT_EQ(fabric().link(link).from, at);
      at = fabric().link(link).to;
      ASSERT_TRUE(seen.insert(at).second);
    }
    ASSERT_EQ(at, fabric().node_of(to));
  });
}

TEST_P(TopologyLaw, PathsPassThroughSwitchesChipsAndNicsButNeverThroughCores) {
  for_each_path([&](EndpointId, EndpointId, const std::vector<LinkId>& links) {
    for (std::size_t hop = 1; hop < links.size(); ++hop) {
      ASSERT_NE(fabric().node(fabric().link(links[hop]).from).kind, sim::NodeKind::kCore);
    }
  });
}

TEST_P(TopologyLaw, PathsAreAsShortAsTheFabricAllows) {
  const auto shortest = shortest_routes(fabric());
  std::vector<LinkId> best;
  for_each_path([&](EndpointId from, EndpointId to, const std::vector<LinkId>& links) {
    best.clear();
    shortest->append_path(from, to, 0, best);
    ASSERT_EQ(links.size(), best.size());
  });
}

TEST_P(TopologyLaw, CreditsCannotWaitInACycle) {
  EXPECT_FALSE(topologies_test::can_wait_in_a_cycle(fabric(), routes()));
}

TEST_P(TopologyLaw, GroupsOfALevelAreOfOneSizeAndChipsComeFirst) {
  ASSERT_FALSE(fabric().levels().empty());
  EXPECT_EQ(fabric().levels().front().name, "chip");
  for (const sim::Level& level : fabric().levels()) {
    std::vector<std::uint32_t> sizes(level.groups, 0);
    for (const std::uint32_t group : level.group_of) ++sizes[group];
    EXPECT_EQ(std::ranges::count(sizes, sizes.front()), level.groups) << level.name;
  }
}

TEST_P(TopologyLaw, UniformAllToAllCrossesTheBisectionNoFasterThanItCarries) {
  const sim::Level* outermost = nullptr;  // planes and twins cut across the others
  for (const sim::Level& level : fabric().levels()) {
    if (level.groups >= 2 && level.name != "plane" && level.name != "twin") outermost = &level;
  }
  ASSERT_NE(outermost, nullptr);
  const auto ends = topologies_test::all_ends(fabric());
  const auto n = static_cast<__int128>(ends.size());
  const __int128 half = n / outermost->groups * (outermost->groups / 2);
  const std::int64_t injection = uniform_all_to_all(topology_, ends).injection.value;
  EXPECT_LE(injection * half * (n - half) / (n - 1), __int128{bisection(fabric()).value});
}

// Exact but for rates that are rounded up.
TEST_P(TopologyLaw, TheBisectionByCutsIsThatOfTheMaximumFlow) {
  const auto flow = static_cast<double>(bisection(fabric()).value);
  const auto cuts = static_cast<double>(bisection_by_cuts(fabric()).value);
  EXPECT_GE(cuts, flow);
  EXPECT_LE(cuts, flow * 1.000001);
}

TEST_P(TopologyLaw, TheSameParametersMakeTheSameFabric) {
  const sim::Topology again = topologies_test::make(GetParam().topology, GetParam().changes);
  ASSERT_EQ(again.fabric->links().size(), fabric().links().size());
  for (std::uint32_t link = 0; link < fabric().links().size(); ++link) {
    ASSERT_EQ(again.fabric->describe(LinkId{link}), fabric().describe(LinkId{link}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, TopologyLaw, testing::ValuesIn(settings()),
                         [](const auto& setting) { return setting.param.name; });

}  // namespace
