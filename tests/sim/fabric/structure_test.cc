// SPDX-License-Identifier: GPL-2.0-only
// Cuts and groups on two boxes of two chips behind a switch each, joined by one link between the
// switches; tests/laws/topologies compares cuts with maximum flows on all topologies.
#include "sim/fabric/structure.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using sim::Bandwidth;
using sim::NodeId;

sim::Topology two_boxes() {
  sim::FabricBuilder builder;
  const sim::ClassId kind = builder.add_class({.name = "link"});
  for (std::uint32_t chip = 0; chip < 4; ++chip) {
    builder.add_endpoint(
        builder.add_node({.kind = sim::NodeKind::kChip, .name = "chip " + std::to_string(chip)}));
  }
  for (std::uint32_t box = 0; box < 2; ++box) {
    const NodeId hub = builder.add_node({.name = "switch " + std::to_string(box)});
    builder.connect(NodeId{2 * box}, hub, kind, Bandwidth(100), {});
    builder.connect(NodeId{2 * box + 1}, hub, kind, Bandwidth(100), {});
  }
  builder.connect(NodeId{4}, NodeId{5}, kind, Bandwidth(30), {});
  builder.add_level("chip", {0, 1, 2, 3});
  builder.add_level("box", {0, 0, 1, 1});
  builder.add_level("odd", {0, 1, 0, 1});  // cuts across the boxes
  auto fabric = std::make_unique<const sim::Fabric>(std::move(builder).seal());
  auto routes = sim::shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

TEST(Structure, SwitchesServeTheBoxTheyTouchAlone) {
  const sim::Topology boxes = two_boxes();
  EXPECT_EQ(groups_served(*boxes.fabric, *boxes.fabric->level("box")),
            (std::vector<std::uint32_t>{0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(groups_served(*boxes.fabric, *boxes.fabric->level("chip"))[4], sim::kNoGroup);
}

TEST(Structure, TheLeastCutCounts) {
  const sim::Topology boxes = two_boxes();
  EXPECT_EQ(rates_out(*boxes.fabric, *boxes.fabric->level("chip")).least, Bandwidth(100));
  EXPECT_EQ(rates_out(*boxes.fabric, *boxes.fabric->level("box")).most, Bandwidth(30));
  EXPECT_EQ(bisection_by_cuts(*boxes.fabric), Bandwidth(30));
}

TEST(Structure, LevelsThatCutAcrossAreLeftOut) {
  const sim::Topology boxes = two_boxes();
  std::vector<std::string> names;
  for (const sim::Level* level : nested_levels(*boxes.fabric)) names.push_back(level->name);
  EXPECT_EQ(names, (std::vector<std::string>{"chip", "box"}));
}

TEST(Structure, HopsAreCountedFromTheSourcesGiven) {
  const sim::Topology boxes = two_boxes();
  EXPECT_EQ(hops_from(boxes, std::vector<sim::EndpointId>{sim::EndpointId{1}}),
            (std::vector<std::uint64_t>{0, 0, 1, 2}));
}

}  // namespace
