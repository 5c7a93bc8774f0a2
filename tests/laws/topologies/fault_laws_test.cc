// SPDX-License-Identifier: GPL-2.0-only
// What holds whichever part of a topology is dead: the pairs that are still joined have ways of
// live links that are chains, and no cycle of waits can form, detours included.
#include <gtest/gtest.h>

#include <string>

#include "sim/fabric/faults.h"
#include "sim/fabric/inspect.h"
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

std::vector<Setting> settings() {
  return {
      {"ultraserver", "ultraserver", {{"sleds", "4"}}},
      {"ultraserver_split", "ultraserver", {{"sleds", "4"}, {"relay", "split"}}},
      {"ultraserver_cores", "ultraserver", {{"sleds", "3"}, {"endpoints_per_chip", "2"}}},
      {"gen1",
       "ultraserver",
       {{"positions", "2"}, {"sleds", "6"}, {"planes", "2"}, {"sled.structure", "direct"}}},
      {"torus_4_4", "torus", {{"torus.z", "1"}}},
      {"torus_6_6", "torus", {{"torus.x", "6"}, {"torus.y", "6"}, {"torus.z", "1"}}},
      {"full_mesh", "full_mesh", {}},
      {"ultracluster",
       "ultracluster",
       {{"racks", "1"}, {"sleds", "2"}, {"ethernet.nics_per_tor", "4"}, {"ethernet.spines", "2"}}},
      {"switched_dual_tor",
       "switched_cluster",
       {{"ethernet.tors_per_nic", "2"}, {"ethernet.spines", "2"}, {"ethernet.nics_per_tor", "8"}}},
  };
}

class FaultLaw : public testing::TestWithParam<Setting> {
 protected:
  // With the links of every `stride`-th pair of links dead.
  sim::Topology faulty(std::size_t first, std::size_t stride) const {
    sim::Topology healthy = topologies_test::make(GetParam().topology, GetParam().changes);
    sim::FabricFaults faults;
    faults.rerouting = sim::Rerouting::kStatic;
    for (std::size_t pair = first; pair < healthy.fabric->links().size() / 2; pair += stride) {
      faults.links.push_back({LinkId{static_cast<std::uint32_t>(2 * pair)}, 0});
      faults.links.push_back({LinkId{static_cast<std::uint32_t>(2 * pair + 1)}, 0});
    }
    return with_faults(std::move(healthy), faults);
  }
};

void expect_live_chain(const sim::Topology& topology, EndpointId from, EndpointId to,
                       std::uint32_t path) {
  const sim::Fabric& fabric = *topology.fabric;
  std::vector<LinkId> links;
  topology.routes->append_path(from, to, path, links);
  sim::NodeId at = fabric.node_of(from);
  for (const LinkId link : links) {
    ASSERT_FALSE(fabric.dead(link));
    ASSERT_EQ(fabric.link(link).from, at);
    at = fabric.link(link).to;
  }
  ASSERT_EQ(at, fabric.node_of(to));
  ASSERT_LT(topology.routes->lane(from, to), topology.routes->lanes());
}

TEST_P(FaultLaw, PairsThatAreJoinedHaveLiveWaysAndEqualNumbersBothWays) {
  for (const std::size_t stride : {7U, 3U}) {
    const sim::Topology topology = faulty(1, stride);
    for (const EndpointId from : topologies_test::all_ends(*topology.fabric)) {
      for (const EndpointId to : topologies_test::all_ends(*topology.fabric)) {
        if (from == to) continue;
        const std::uint32_t paths = topology.routes->path_count(from, to);
        ASSERT_EQ(paths, topology.routes->path_count(to, from));
        const bool joined = max_flow(*topology.fabric, {{from}}, {{to}}).value > 0;
        ASSERT_EQ(paths > 0, joined);
        for (std::uint32_t path = 0; path < paths; ++path) {
          ASSERT_NO_FATAL_FAILURE(expect_live_chain(topology, from, to, path));
        }
      }
    }
  }
}

TEST_P(FaultLaw, CreditsCannotWaitInACycle) {
  for (const std::size_t stride : {11U, 5U, 3U}) {
    const sim::Topology topology = faulty(0, stride);
    EXPECT_FALSE(topologies_test::can_wait_in_a_cycle(*topology.fabric, *topology.routes));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FaultLaw, testing::ValuesIn(settings()),
                         [](const auto& setting) { return setting.param.name; });

}  // namespace
