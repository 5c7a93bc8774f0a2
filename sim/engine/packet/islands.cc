// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/islands.h"

#include <limits>
#include <utility>

#include "sim/base/check.h"

namespace sim::packet {
namespace {

constexpr std::uint16_t kNobody = std::numeric_limits<std::uint16_t>::max();

// The island of all neighbours that have one, if it is a single one; else kNobody.
std::uint16_t shared_island(const Fabric& fabric, const Islands& islands, NodeId node) {
  std::uint16_t shared = kNobody;
  for (const LinkId link : fabric.out_links(node)) {
    const std::uint16_t there = islands.of_node[index(fabric.link(link).to)];
    if (there == kNobody || there == shared) continue;
    if (shared != kNobody) return kNobody;
    shared = there;
  }
  return shared;
}

}  // namespace

Islands islands_of(const Fabric& fabric) {
  Islands islands;
  const auto nodes = static_cast<std::uint32_t>(fabric.nodes().size());
  const Level* level = fabric.level("ultraserver");
  if (level == nullptr) level = fabric.level("server");
  // More than 16 bits of islands would be no use: then all is one.
  if (level == nullptr || level->groups < 2 || level->groups >= kNobody - 1) {
    islands.of_node.assign(nodes, 0);
    return islands;
  }
  const auto between = static_cast<std::uint16_t>(level->groups);
  islands.count = static_cast<std::uint16_t>(level->groups + 1);
  islands.of_node.assign(nodes, kNobody);
  for (std::uint32_t end = 0; end < fabric.endpoints(); ++end) {
    islands.of_node[index(fabric.node_of(EndpointId(end)))] =
        static_cast<std::uint16_t>(level->group_of[end]);
  }
  // Chips of cores, switches of chips, NICs, ToRs: each round takes in what touches one island
  // only, by the state before the round, so that no order of nodes matters.
  for (bool grown = true; grown;) {
    grown = false;
    std::vector<std::uint16_t> next = islands.of_node;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (islands.of_node[node] != kNobody) continue;
      next[node] = shared_island(fabric, islands, NodeId(node));
      grown = grown || next[node] != kNobody;
    }
    islands.of_node = std::move(next);
  }
  for (std::uint16_t& island : islands.of_node) {
    if (island == kNobody) island = between;
  }
  return islands;
}

}  // namespace sim::packet
