// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/in_switch.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace scenarios {
namespace {

// The switches that an end hangs on, by number, NICs and the networks behind them apart.
std::set<std::uint32_t> switches_of(const sim::Fabric& fabric, sim::EndpointId end) {
  std::set<std::uint32_t> switches;
  for (const sim::LinkId link : fabric.out_links(fabric.node_of(end))) {
    const sim::NodeId to = fabric.link(link).to;
    if (fabric.node(to).kind == sim::NodeKind::kSwitch) switches.insert(sim::index(to));
  }
  return switches;
}

}  // namespace

std::optional<std::string> no_reducing_switch(const sim::Fabric& fabric,
                                              const sim::Placement& placement) {
  const std::set<std::uint32_t> first = switches_of(fabric, placement.endpoint_of.at(0));
  if (first.empty()) return "its ranks hang on no switch";
  for (const std::uint32_t number : first) {
    const sim::Node& node = fabric.node(sim::NodeId{number});
    if (!node.reduces) return fmt::format("{} cannot reduce (switch.reduces)", node.name);
  }
  for (const sim::EndpointId end : placement.endpoint_of) {
    if (switches_of(fabric, end) != first) return "its ranks hang on different switches";
  }
  return std::nullopt;
}

}  // namespace scenarios
