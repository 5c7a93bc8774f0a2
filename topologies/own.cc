// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/own.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/fabric/inspect.h"
#include "topologies/keys.h"
#include "topologies/scale_up.h"

namespace topologies {

namespace {

using sim::Failure;
using sim::Parameters;

void add_nodes(const OwnFabric& own, sim::FabricBuilder& builder) {
  for (const sim::Node& node : own.nodes) builder.add_node(node);
}

void add_links(const OwnFabric& own, const Parameters& parameters, sim::FabricBuilder& builder) {
  std::map<std::string, sim::ClassId> kinds;
  for (const OwnLink& link : own.links) {
    auto kind = kinds.find(link.kind);
    if (kind == kinds.end()) {
      kind = kinds.emplace(link.kind, add_link_class(link.kind, parameters, builder)).first;
    }
    builder.connect(sim::NodeId{link.from}, sim::NodeId{link.to}, kind->second, link.bandwidth,
                    link.latency);
  }
}

// Chips are endpoints; those of one server form a group where every chip names one.
void add_ends(const OwnFabric& own, sim::FabricBuilder& builder) {
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> servers;
  bool all_named = true;
  for (std::uint32_t node = 0; node < own.nodes.size(); ++node) {
    if (own.nodes[node].kind != sim::NodeKind::kChip) continue;
    builder.add_endpoint(sim::NodeId{node});
    const std::string& server = own.server_of[node];
    all_named = all_named && !server.empty();
    const auto number = static_cast<std::uint32_t>(numbers.size());
    servers.push_back(numbers.try_emplace(server, number).first->second);
  }
  std::vector<std::uint32_t> chips(servers.size());
  std::iota(chips.begin(), chips.end(), 0U);
  builder.add_level("chip", std::move(chips));
  if (all_named && numbers.size() > 1) builder.add_level("server", std::move(servers));
}

}  // namespace

std::vector<sim::Key> own_keys() { return packet_keys(); }

sim::Result<sim::Topology> make_own(const Parameters& /*parameters*/) {
  return Failure{"a fabric of your own needs its nodes and links",
                 "give cluster.fabric in a scenario file"};
}

sim::Result<sim::Topology> make_own(const OwnFabric& own, const Parameters& parameters) {
  if (std::optional<Failure> fault = fault_in(parameters, own_keys())) return *fault;
  if (std::optional<Failure> fault = fault_in_links(parameters)) return *fault;
  const auto chips = std::count_if(own.nodes.begin(), own.nodes.end(), [](const sim::Node& node) {
    return node.kind == sim::NodeKind::kChip;
  });
  if (chips < 2) return Failure{fmt::format("the fabric has {} chips", chips), "at least 2"};
  sim::FabricBuilder builder;
  add_nodes(own, builder);
  add_links(own, parameters, builder);
  add_ends(own, builder);
  auto fabric = std::make_unique<const sim::Fabric>(std::move(builder).seal());
  if (!strongly_connected(*fabric)) {
    return Failure{"the fabric is in pieces", "links that join all nodes"};
  }
  auto routes = sim::shortest_routes(*fabric);
  return sim::Topology{std::move(fabric), std::move(routes)};
}

}  // namespace topologies
