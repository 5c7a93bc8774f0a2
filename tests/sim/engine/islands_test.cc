// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/islands.h"

#include <gtest/gtest.h>

#include "tests/sim/engine/world.h"

namespace sim::packet {
namespace {

// Two pods of two chips, a NIC a chip, a ToR a pod, one spine.
Topology pods() {
  FabricBuilder b;
  const ClassId kind = b.add_class(link_class("link", {}));
  const auto node = [&](NodeKind what) {
    return b.add_node({what, Forwarding::kStoreAndForward, Time(0), "node"});
  };
  const auto join = [&](NodeId x, NodeId y) {
    b.connect(x, y, kind, gigabytes_per_second(100), nanoseconds(100));
  };
  const NodeId spine = node(NodeKind::kSwitch);  // node 0: visited first in every round
  for (int pod = 0; pod < 2; ++pod) {
    const NodeId tor = node(NodeKind::kSwitch);
    join(tor, spine);
    for (int chip = 0; chip < 2; ++chip) {
      const NodeId nic = node(NodeKind::kNic);
      const NodeId c = node(NodeKind::kChip);
      join(c, nic);
      join(nic, tor);
      b.add_endpoint(c);
    }
  }
  b.add_level("ultraserver", {0, 0, 1, 1});
  auto fabric = std::make_unique<const Fabric>(std::move(b).seal());
  auto routes = shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

TEST(Islands, AnUltraServerTakesInItsNicsAndTorsAndLeavesTheSpinesBetween) {
  const Topology topology = pods();
  const Islands islands = islands_of(*topology.fabric);
  EXPECT_EQ(islands.count, 3);
  EXPECT_EQ(islands.of_node, (std::vector<std::uint16_t>{2, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
}

TEST(Islands, AFabricWithoutUltraServersIsOneIsland) {
  const Topology topology = star(4, {});
  EXPECT_EQ(islands_of(*topology.fabric).count, 1);
}

}  // namespace
}  // namespace sim::packet
