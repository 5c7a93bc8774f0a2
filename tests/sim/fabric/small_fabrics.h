// SPDX-License-Identifier: GPL-2.0-only
// Small fabrics for tests: every node is a chip and an endpoint; links are drawn by hand or at
// random.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/random.h"
#include "sim/fabric/fabric.h"

namespace sim_test {

struct Arc {
  std::uint32_t from;
  std::uint32_t to;
  std::int64_t bandwidth;
};

inline sim::Fabric fabric_of(std::uint32_t nodes, const std::vector<Arc>& arcs) {
  sim::FabricBuilder builder;
  const sim::ClassId kind = builder.add_class({.name = "link",
                                               .flow = sim::FlowControl::kUnbounded,
                                               .buffer = {},
                                               .payload = sim::Bytes(4096),
                                               .header = {}});
  std::vector<sim::NodeId> ids;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    ids.push_back(builder.add_node({.kind = sim::NodeKind::kChip,
                                    .forwarding = sim::Forwarding::kCutThrough,
                                    .latency = sim::nanoseconds(node),
                                    .name = "chip " + std::to_string(node)}));
    builder.add_endpoint(ids.back());
    groups.push_back(node);
  }
  for (const Arc& arc : arcs) {
    builder.add_link(
        {ids[arc.from], ids[arc.to], kind, sim::Bandwidth(arc.bandwidth), sim::nanoseconds(1)});
  }
  builder.add_level("chip", groups);
  return std::move(builder).seal();
}

// A ring in both directions, so that every node reaches every other, plus `more` random arcs.
inline std::vector<Arc> random_arcs(std::uint32_t nodes, std::uint32_t more, std::uint64_t seed) {
  sim::Random random(seed, "arcs");
  const auto rate = [&] { return static_cast<std::int64_t>(1 + random.below(20)); };
  std::vector<Arc> arcs;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    arcs.push_back({node, (node + 1) % nodes, rate()});
    arcs.push_back({(node + 1) % nodes, node, rate()});
  }
  for (std::uint32_t arc = 0; arc < more; ++arc) {
    const auto from = static_cast<std::uint32_t>(random.below(nodes));
    const auto step = static_cast<std::uint32_t>(1 + random.below(nodes - 1));
    arcs.push_back({from, (from + step) % nodes, rate()});
  }
  return arcs;
}

}  // namespace sim_test
