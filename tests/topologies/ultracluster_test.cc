// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <string>

#include "sim/fabric/inspect.h"
#include "tests/topologies/credit_cycles.h"
#include "tests/topologies/hand_parameters.h"

namespace {

using sim::Bandwidth;
using sim::EndpointId;
using topologies_test::all_ends;
using topologies_test::Changes;
using topologies_test::make;

// Three UltraServers of 16 chips.
const Changes kSmall = {{"ultraservers", "3"},
                        {"sleds", "2"},
                        {"ethernet.nics_per_tor", "8"},
                        {"ethernet.spines", "3"}};

std::vector<std::string> kinds(const sim::Topology& topology, std::uint32_t from, std::uint32_t to,
                               std::uint32_t path) {
  std::vector<sim::LinkId> links;
  topology.routes->append_path(EndpointId{from}, EndpointId{to}, path, links);
  std::vector<std::string> names;
  for (const sim::LinkId link : links) names.push_back(topology.fabric->kind(link).name);
  return names;
}

TEST(Ultracluster, HasANicPerChipAndEveryToROnEverySpine) {
  const sim::Topology cluster = make("ultracluster");
  constexpr std::uint32_t kChips = 288;
  EXPECT_EQ(cluster.fabric->endpoints(), kChips);
  EXPECT_EQ(cluster.fabric->nodes().size(), kChips + 2 * 44 + kChips + 8 + 9);
  EXPECT_EQ(cluster.fabric->links().size(), 2 * (2 * 360 + 2 * kChips + 8 * 9));
  EXPECT_EQ(cluster.fabric->levels().back().name, "ultraserver");
  EXPECT_EQ(cluster.fabric->levels().back().groups, 2U);
  EXPECT_EQ(cluster.fabric->node(cluster.fabric->node_of(EndpointId{150})).name,
            "chip(ultraserver 1, rack 0, sled 1, position 2)");
}

TEST(Ultracluster, SpreadsOverAllSpinesBetweenToRsAndTakesOneWayElsewhere) {
  const sim::Topology cluster = make("ultracluster", kSmall);
  EXPECT_EQ(cluster.routes->path_count(EndpointId{0}, EndpointId{16}), 3U);
  EXPECT_EQ(cluster.routes->path_count(EndpointId{0}, EndpointId{15}), 1U);
  const std::vector<std::string> far = {"NIC bus",    "EFA link", "spine link",
                                        "spine link", "EFA link", "NIC bus"};
  std::vector<sim::NodeId> spines;
  for (std::uint32_t path = 0; path < 3; ++path) {
    EXPECT_EQ(kinds(cluster, 5, 40, path), far);
    std::vector<sim::LinkId> links;
    cluster.routes->append_path(EndpointId{5}, EndpointId{40}, path, links);
    spines.push_back(cluster.fabric->link(links[2]).to);
  }
  EXPECT_NE(spines[0], spines[1]);
  EXPECT_NE(spines[1], spines[2]);
  EXPECT_NE(spines[0], spines[2]);
  for (const std::string& kind : kinds(cluster, 0, 15, 0)) EXPECT_NE(kind, "NIC bus");
}

TEST(Ultracluster, TurnsAroundInAToRThatTwoUltraserversShare) {
  const sim::Topology cluster =
      make("ultracluster", {{"racks", "1"}, {"sleds", "1"}, {"ethernet.nics_per_tor", "8"}});
  EXPECT_EQ(cluster.routes->path_count(EndpointId{0}, EndpointId{4}), 1U);
  EXPECT_EQ(kinds(cluster, 0, 4, 0),
            (std::vector<std::string>{"NIC bus", "EFA link", "EFA link", "NIC bus"}));
}

TEST(Ultracluster, TheClosIsNonBlocking) {
  const sim::Topology cluster = make("ultracluster");
  EXPECT_EQ(bisection(*cluster.fabric), sim::gigabytes_per_second(144 * 25));
  // 144 of 287 shares leave the UltraServer over the NIC.
  const auto load = uniform_all_to_all(cluster, all_ends(*cluster.fabric));
  EXPECT_EQ(load.injection, Bandwidth(25'000'000'000LL * 287 / 144));
  EXPECT_EQ(cluster.fabric->kind(load.fullest).name, "EFA link");
}

TEST(Ultracluster, SpineLinksAreRoundedUpSoThatNoBytePerSecondIsMissing) {
  const sim::Topology cluster = make("ultracluster", {{"ethernet.spines", "7"}});
  EXPECT_EQ(bisection(*cluster.fabric), sim::gigabytes_per_second(144 * 25));
}

TEST(Ultracluster, HasADiameterOfSixLinksBetweenChipsAndEightBetweenCores) {
  EXPECT_EQ(diameter(*make("ultracluster", kSmall).fabric), 6U);
  Changes cores = kSmall;
  cores.emplace_back("endpoints_per_chip", "2");
  EXPECT_EQ(diameter(*make("ultracluster", cores).fabric), 8U);
}

TEST(Ultracluster, CreditsCannotWaitInACycle) {
  for (const char* relay : {"source", "destination", "split"}) {
    for (const char* cores : {"0", "2"}) {
      Changes changes = kSmall;
      changes.emplace_back("relay", relay);
      changes.emplace_back("endpoints_per_chip", cores);
      const sim::Topology cluster = make("ultracluster", changes);
      EXPECT_FALSE(topologies_test::can_wait_in_a_cycle(*cluster.fabric, *cluster.routes));
    }
  }
}

TEST(Ultracluster, OnlyEthernetDropsAndLimitsPacketsToTheMtu) {
  const sim::Topology cluster = make("ultracluster");
  for (const sim::LinkClass& kind : cluster.fabric->classes()) {
    const bool ethernet = kind.name == "EFA link" || kind.name == "spine link";
    EXPECT_EQ(kind.flow, ethernet ? sim::FlowControl::kDrop : sim::FlowControl::kCredits);
    EXPECT_EQ(kind.header, ethernet ? sim::Bytes(100) : sim::Bytes(0)) << kind.name;
    const sim::Bytes payload = kind.name == "NIC bus" ? sim::Bytes(0) : sim::kibibytes(4);
    EXPECT_EQ(kind.payload, ethernet ? sim::Bytes(8760) : payload) << kind.name;
  }
}

TEST(Ultracluster, SomeThousandsOfChipsAreBuilt) {
  const sim::Topology cluster = make("ultracluster", {{"ultraservers", "32"}});
  EXPECT_EQ(cluster.fabric->endpoints(), 4608U);
  EXPECT_TRUE(strongly_connected(*cluster.fabric));
}

}  // namespace
