// SPDX-License-Identifier: GPL-2.0-only
// Faults on small fabrics by hand; tests/laws/topologies holds detours on all topologies.
#include "sim/fabric/faults.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/fabric/inspect.h"

namespace {

using sim::Bandwidth;
using sim::EndpointId;
using sim::LinkId;

// A ring of four chips: link 2i joins chip i to the next, 2i + 1 leads back.
sim::Topology ring() {
  sim::FabricBuilder builder;
  const sim::ClassId kind = builder.add_class({.name = "link"});
  for (std::uint32_t chip = 0; chip < 4; ++chip) {
    builder.add_endpoint(
        builder.add_node({.kind = sim::NodeKind::kChip, .name = "chip " + std::to_string(chip)}));
  }
  for (std::uint32_t chip = 0; chip < 4; ++chip) {
    builder.connect(sim::NodeId{chip}, sim::NodeId{(chip + 1) % 4}, kind, Bandwidth(1000), {});
  }
  builder.add_level("chip", {0, 1, 2, 3});
  auto fabric = std::make_unique<const sim::Fabric>(std::move(builder).seal());
  auto routes = sim::shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

sim::Topology ring_without(std::vector<std::uint32_t> dead, sim::Rerouting rerouting) {
  sim::FabricFaults faults;
  faults.rerouting = rerouting;
  for (const std::uint32_t link : dead) faults.links.push_back({LinkId{link}, 0});
  return with_faults(ring(), faults);
}

const std::vector<EndpointId> kAll = {EndpointId{0}, EndpointId{1}, EndpointId{2}, EndpointId{3}};

std::vector<LinkId> path(const sim::Topology& topology, std::uint32_t from, std::uint32_t to) {
  std::vector<LinkId> links;
  topology.routes->append_path(EndpointId{from}, EndpointId{to}, 0, links);
  return links;
}

TEST(Faults, ADeadLinkIsGoneRoundOnALaneOfItsOwn) {
  const sim::Topology faulty = ring_without({0, 1}, sim::Rerouting::kStatic);
  EXPECT_EQ(path(faulty, 0, 1), (std::vector<LinkId>{LinkId{7}, LinkId{5}, LinkId{3}}));
  EXPECT_EQ(faulty.routes->lane(EndpointId{0}, EndpointId{1}), 1);
  EXPECT_EQ(path(faulty, 1, 2), (std::vector<LinkId>{LinkId{2}}));
  EXPECT_EQ(faulty.routes->lane(EndpointId{1}, EndpointId{2}), 0);
  EXPECT_EQ(faulty.routes->lanes(), 3);
  EXPECT_FALSE(first_cut_pair(faulty, kAll));
}

TEST(Faults, WithoutReroutingAPairWithoutItsWayIsCutOff) {
  const sim::Topology faulty = ring_without({0, 1}, sim::Rerouting::kNone);
  const auto cut = first_cut_pair(faulty, kAll);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->from, EndpointId{0});
  EXPECT_EQ(cut->to, EndpointId{1});
  EXPECT_EQ(faulty.routes->lanes(), 1);
}

TEST(Faults, APartitionIsFoundWhateverTheRerouting) {
  const sim::Topology faulty = ring_without({0, 1, 4, 5}, sim::Rerouting::kStatic);
  const auto cut = first_cut_pair(faulty, kAll);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->from, EndpointId{0});
  EXPECT_EQ(cut->to, EndpointId{1});
  EXPECT_FALSE(first_cut_pair(faulty, std::vector<EndpointId>{EndpointId{0}, EndpointId{3}}));
  EXPECT_FALSE(strongly_connected(*faulty.fabric));
}

TEST(Faults, SlowLinksKeepTheLeastShareOfTheirSoundRate) {
  sim::FabricFaults faults;
  faults.links = {{LinkId{2}, 500'000'000}, {LinkId{2}, 250'000'000}, {LinkId{2}, 900'000'000}};
  const sim::Topology faulty = with_faults(ring(), faults);
  EXPECT_EQ(faulty.fabric->link(LinkId{2}).bandwidth, Bandwidth(250));
  EXPECT_EQ(faulty.fabric->link(LinkId{3}).bandwidth, Bandwidth(1000));
  EXPECT_FALSE(faulty.fabric->dead(LinkId{2}));
}

TEST(Faults, DeadLinksCarryNoFlow) {
  EXPECT_EQ(bisection(*ring().fabric), Bandwidth(2000));
  EXPECT_EQ(bisection(*ring_without({2, 3}, sim::Rerouting::kStatic).fabric), Bandwidth(1000));
}

TEST(Faults, AnEndpointWithoutLiveLinksIsCutOff) {
  const sim::Topology faulty = ring_without({0, 1, 6, 7}, sim::Rerouting::kStatic);
  EXPECT_TRUE(faulty.fabric->cut_off(EndpointId{0}));
  EXPECT_FALSE(faulty.fabric->cut_off(EndpointId{1}));
}

TEST(Faults, AnEndpointCanBeSlow) {
  sim::FabricFaults faults;
  faults.ends = {{EndpointId{2}, 400'000'000}};
  const sim::Topology faulty = with_faults(ring(), faults);
  EXPECT_EQ(faulty.fabric->pace(EndpointId{2}), 400'000'000);
  EXPECT_EQ(faulty.fabric->pace(EndpointId{1}), 1'000'000'000);
}

}  // namespace
