// SPDX-License-Identifier: GPL-2.0-only
// The scale-out Clos: tiers, planes, rails, NIC counts, oversubscription and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "sim/fabric/inspect.h"
#include "tests/topologies/hand_parameters.h"

namespace {

using sim::Bandwidth;
using sim::EndpointId;
using sim::LinkId;
using topologies_test::all_ends;
using topologies_test::Changes;
using topologies_test::make;
using topologies_test::try_make;

constexpr std::int64_t kGiga = 1'000'000'000;

Changes with(Changes changes, const Changes& more) {
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
}

// Servers of two chips, two NICs a ToR (25 GB/s each), two spines a ToR, two ToRs a pod.
const Changes kSmall = {{"servers", "16"},
                        {"chips", "2"},
                        {"trays", "1"},
                        {"ethernet.nics_per_tor", "2"},
                        {"ethernet.spines", "2"},
                        {"ethernet.radix", "8"},
                        {"ethernet.tier2.children", "2"}};

std::vector<LinkId> path(const sim::Topology& topology, std::uint32_t from, std::uint32_t to,
                         std::uint32_t number) {
  std::vector<LinkId> links;
  topology.routes->append_path(EndpointId{from}, EndpointId{to}, number, links);
  return links;
}

std::size_t switches(const sim::Topology& topology, const std::string& start) {
  return static_cast<std::size_t>(
      std::ranges::count_if(topology.fabric->nodes(),
                            [&](const sim::Node& node) { return node.name.starts_with(start); }));
}

// Every link of all paths of a pair is used by as many of them as its tier has paths below.
TEST(Clos, PathsOfAPairAreAllDifferentAndMeetAtEverySwitchOfTheLowestCommonTier) {
  const sim::Topology cluster = make("switched_cluster", kSmall);
  const std::uint32_t paths = cluster.routes->path_count(EndpointId{0}, EndpointId{31});
  std::set<std::vector<LinkId>> seen;
  std::set<sim::NodeId> tops;
  for (std::uint32_t number = 0; number < paths; ++number) {
    const std::vector<LinkId> links = path(cluster, 0, 31, number);
    seen.insert(links);
    tops.insert(cluster.fabric->link(links[links.size() / 2]).from);
  }
  EXPECT_EQ(paths, 8U);  // 2 spines x 2 x 2
  EXPECT_EQ(seen.size(), paths);
  EXPECT_EQ(tops.size(), paths);
}

TEST(Clos, TiersAreDrawnAsTheSizeNeedsThem) {
  const auto tiers = [](const char* servers) {
    const sim::Topology cluster = make("switched_cluster", with(kSmall, {{"servers", servers}}));
    return 1 + (switches(cluster, "spine") > 0) + (switches(cluster, "tier-3") > 0) +
           (switches(cluster, "tier-4") > 0);
  };
  EXPECT_EQ(tiers("1"), 1);
  EXPECT_EQ(tiers("2"), 2);
  EXPECT_EQ(tiers("4"), 2);  // 4 ToRs x 2 ports
  EXPECT_EQ(tiers("5"), 3);
  EXPECT_EQ(tiers("8"), 3);
  EXPECT_EQ(tiers("16"), 4);
}

TEST(Clos, WithoutOversubscriptionUniformTrafficIsBoundByTheNics) {
  const sim::Topology cluster = make("switched_cluster", kSmall);
  const auto load = uniform_all_to_all(cluster, all_ends(*cluster.fabric));
  EXPECT_EQ(load.injection, Bandwidth(25 * kGiga * 31 / 30));
  EXPECT_EQ(cluster.fabric->kind(load.fullest).name, "EFA link");
  EXPECT_EQ(bisection(*cluster.fabric), Bandwidth(16 * 25 * kGiga));
}

TEST(Clos, EachTierDividesTheBisectionByItsOversubscription) {
  for (const char* tier : {"tor", "tier2", "tier3"}) {
    const sim::Topology cluster =
        make("switched_cluster",
             with(kSmall, {{std::string("ethernet.") + tier + ".oversubscription", "2"}}));
    EXPECT_EQ(bisection(*cluster.fabric), Bandwidth(8 * 25 * kGiga)) << tier;
  }
}

TEST(Clos, ToRsOfOneNicStandInPlanesThatNeverMeet) {
  const Changes dual = with(kSmall, {{"ethernet.tors_per_nic", "2"}, {"servers", "8"}});
  const sim::Topology cluster = make("switched_cluster", dual);
  EXPECT_EQ(bisection(*cluster.fabric), Bandwidth(8 * 25 * kGiga));
  EXPECT_EQ(switches(cluster, "ToR"), 16U);
  for (const sim::Link& link : cluster.fabric->links()) {
    const std::string& a = cluster.fabric->node(link.from).name;
    const std::string& b = cluster.fabric->node(link.to).name;
    if (!a.ends_with("plane 0") && !a.ends_with("plane 1")) continue;
    if (!b.ends_with("plane 0") && !b.ends_with("plane 1")) continue;
    EXPECT_EQ(a.back(), b.back()) << a << " joins " << b;
  }
}

TEST(Clos, RailsPutNicsOfOneNumberOnOneToR) {
  const Changes rails = with(kSmall, {{"ethernet.wiring", "rails"}, {"servers", "4"}});
  const sim::Topology cluster = make("switched_cluster", rails);
  EXPECT_EQ(path(cluster, 0, 2, 0).size(), 4U);  // servers 0 and 1, both GPU 0
  EXPECT_EQ(path(cluster, 0, 3, 0).size(), 6U);  // the other rail
  EXPECT_EQ(path(cluster, 0, 4, 0).size(), 6U);  // two servers a ToR
}

TEST(Clos, ChipsOfSeveralNicsSpreadOverThemBehindAPcieSwitch) {
  const sim::Topology cluster =
      make("switched_cluster",
           {{"nic.per_chip", "4"}, {"servers", "2"}, {"ethernet.nics_per_tor", "32"}});
  EXPECT_EQ(cluster.routes->path_count(EndpointId{0}, EndpointId{8}), 4U * 9);
  std::set<LinkId> nics;
  for (std::uint32_t number = 0; number < 4; ++number) {
    const std::vector<LinkId> links = path(cluster, 0, 8, number);
    EXPECT_EQ(links.front(), path(cluster, 0, 8, 0).front());
    EXPECT_EQ(cluster.fabric->node(cluster.fabric->link(links[1]).to).kind, sim::NodeKind::kNic);
    nics.insert(links[1]);
  }
  EXPECT_EQ(nics.size(), 4U);
  EXPECT_EQ(bisection(*cluster.fabric), Bandwidth(8 * 4 * 25 * kGiga));
}

TEST(Clos, ChipsThatShareANicShareItsRate) {
  const sim::Topology cluster =
      make("switched_cluster", {{"nic.chips_per_nic", "2"}, {"servers", "2"}});
  EXPECT_EQ(bisection(*cluster.fabric), Bandwidth(4 * 25 * kGiga));
  EXPECT_EQ(path(cluster, 0, 8, 0)[1], path(cluster, 1, 8, 0)[1]);
}

TEST(Clos, InfinibandNeverDropsAndCutsThrough) {
  const sim::Topology cluster = make("switched_cluster", {{"nic.family", "infiniband"}});
  for (const sim::LinkClass& kind : cluster.fabric->classes()) {
    EXPECT_EQ(kind.flow, sim::FlowControl::kCredits) << kind.name;
  }
}

TEST(Clos, RefusesWhatDoesNotFit) {
  const auto fault = [](const Changes& changes) {
    return try_make("switched_cluster", with(kSmall, changes)).failure().what;
  };
  EXPECT_EQ(fault({{"ethernet.radix", "7"}}), "a switch of tier 1 would need 8 ports of 100 Gb/s");
  EXPECT_EQ(fault({{"ethernet.tiers", "1"}}), "32 NICs do not fit on one ToR of 2 NICs");
  EXPECT_EQ(fault({{"ethernet.tiers", "2"}}), "a switch of tier 2 would need 32 ports of 100 Gb/s");
  EXPECT_EQ(fault({{"nic.chips_per_nic", "3"}}), "3 chips per NIC do not divide 2 chips");
  EXPECT_EQ(fault({{"nic.chips_per_nic", "2"}, {"nic.per_chip", "2"}}),
            "chips cannot have several NICs and share them");
  EXPECT_EQ(fault({{"ethernet.radix", "4096"},
                   {"servers", "8000"},
                   {"ethernet.spines", "512"},
                   {"ethernet.tier3.parents", "512"}}),
            "the network would have 1052688000 links");  // 16,000 + 8,000 x 512 + 4,000 x 512 x 512
}

}  // namespace
