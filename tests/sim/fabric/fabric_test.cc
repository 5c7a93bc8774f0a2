// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/fabric.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/sim/fabric/small_fabrics.h"

namespace {

using sim::EndpointId;
using sim::LinkId;
using sim::NodeId;
using sim_test::fabric_of;

TEST(Fabric, OutLinksAreTheLinksThatLeaveANodeInOrderOfTheirIds) {
  const sim::Fabric fabric = fabric_of(3, {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}, {2, 0, 1}});
  const auto out = fabric.out_links(NodeId{0});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0], LinkId{0});
  EXPECT_EQ(out[1], LinkId{2});
  EXPECT_EQ(fabric.out_links(NodeId{1}).size(), 1U);
}

TEST(Fabric, ConnectAddsBothDirectionsOneAfterTheOther) {
  sim::FabricBuilder builder;
  const auto kind = builder.add_class({.name = "wire"});
  const auto a = builder.add_node({.name = "a"});
  const auto b = builder.add_node({.name = "b"});
  const LinkId there = builder.connect(a, b, kind, sim::Bandwidth(7), sim::nanoseconds(3));
  const sim::Fabric fabric = std::move(builder).seal();
  const LinkId back{index(there) + 1};
  EXPECT_EQ(fabric.link(there).from, a);
  EXPECT_EQ(fabric.link(back).from, b);
  EXPECT_EQ(fabric.link(back).bandwidth, sim::Bandwidth(7));
  EXPECT_EQ(fabric.describe(back), "wire: b -> a");
}

sim::Bandwidth usable(std::int64_t raw, std::int64_t efficiency) {
  sim::FabricBuilder builder;
  const auto kind = builder.add_class({.name = "wire", .efficiency = efficiency});
  const auto a = builder.add_node({.name = "a"});
  const auto b = builder.add_node({.name = "b"});
  const LinkId link = builder.connect(a, b, kind, sim::Bandwidth(raw), {});
  return std::move(builder).seal().usable(link);
}

TEST(Fabric, UsableRateIsTheShareOfTheRawRateRoundedDownButNeverNothing) {
  EXPECT_EQ(usable(512'000'000'000, 900'000'000), sim::Bandwidth(460'800'000'000));
  EXPECT_EQ(usable(3, 500'000'000), sim::Bandwidth(1));
  EXPECT_EQ(usable(1, 1), sim::Bandwidth(1));
}

TEST(Fabric, PassingAChipCostsItsLatencyOnlyInTransit) {
  sim::FabricBuilder builder;
  const auto kind = builder.add_class({.name = "wire"});
  const auto core = builder.add_node({.kind = sim::NodeKind::kCore, .name = "core"});
  const auto chip = builder.add_node(
      {.kind = sim::NodeKind::kChip, .latency = sim::nanoseconds(500), .name = "chip"});
  const auto left = builder.add_node({.name = "left"});
  const auto right = builder.add_node({.name = "right"});
  const LinkId own = builder.connect(core, chip, kind, sim::Bandwidth(1), {});
  const LinkId west = builder.connect(chip, left, kind, sim::Bandwidth(1), {});
  const LinkId east = builder.connect(chip, right, kind, sim::Bandwidth(1), {});
  const sim::Fabric fabric = std::move(builder).seal();
  EXPECT_EQ(fabric.passing(LinkId{index(west) + 1}, east), sim::nanoseconds(500));
  EXPECT_EQ(fabric.passing(own, east), sim::Time());
  EXPECT_EQ(fabric.passing(LinkId{index(west) + 1}, LinkId{index(own) + 1}), sim::Time());
}

TEST(Fabric, LevelsAreFoundByNameAndCountTheirGroups) {
  sim::FabricBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.add_endpoint(builder.add_node({.name = name}));
  builder.add_level("sled", {0, 0, 1});
  const sim::Fabric fabric = std::move(builder).seal();
  ASSERT_NE(fabric.level("sled"), nullptr);
  EXPECT_EQ(fabric.level("sled")->groups, 2U);
  EXPECT_EQ(fabric.level("rack"), nullptr);
  EXPECT_EQ(fabric.node_of(EndpointId{2}), NodeId{2});
}

TEST(FabricDeathTest, SealRefusesWhatNoFabricCanBe) {
  EXPECT_DEATH(fabric_of(2, {{0, 0, 1}}), "CHECK");  // a link to itself
  EXPECT_DEATH(fabric_of(2, {{0, 1, 0}}), "CHECK");  // a link without a rate
  sim::FabricBuilder gap;
  gap.add_endpoint(gap.add_node({.name = "a"}));
  EXPECT_DEATH(gap.add_level("sled", {1}), "CHECK");  // group 0 is empty
}

}  // namespace
