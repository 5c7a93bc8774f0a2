// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/clos_wiring.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace topologies {

namespace {

using sim::ClassId;
using sim::FabricBuilder;
using sim::LinkId;
using sim::NodeId;
using sim::Parameters;

bool lossless(const Parameters& parameters) {
  return parameters.text("nic.family") == "infiniband";
}

ClassId add_class(std::string name, const Parameters& parameters, FabricBuilder& builder) {
  return builder.add_class(
      {.name = std::move(name),
       .flow = lossless(parameters) ? sim::FlowControl::kCredits : sim::FlowControl::kDrop,
       .buffer = parameters.bytes("ethernet.buffer"),
       .payload = parameters.bytes("efa.mtu"),
       .header = parameters.bytes("efa.header"),
       .efficiency = sim::kRatioOne});
}

}  // namespace

void ClosWiring::draw(std::span<const NodeId> nics, const Parameters& parameters,
                      FabricBuilder& builder) {
  for (std::uint32_t tier = 0; tier < shape_.tiers; ++tier) {
    add_switches(tier, parameters, builder);
  }
  add_nic_links(nics, parameters, builder);
  for (std::uint32_t tier = 1; tier < shape_.tiers; ++tier) add_links(tier, parameters, builder);
}

std::string ClosWiring::switch_name(std::uint32_t tier, std::uint32_t number) const {
  const std::uint32_t sides = shape_.planes[0];
  const std::uint32_t side = number % shape_.planes[tier] / (shape_.planes[tier] / sides);
  const std::string plane = sides == 1 ? "" : fmt::format(", plane {}", side);
  if (tier == 0) return fmt::format("ToR {}{}", number / sides, plane);
  if (tier == 1) return fmt::format("spine {}{}", number, plane);
  return fmt::format("tier-{} switch {}{}", tier + 1, number, plane);
}

void ClosWiring::add_switches(std::uint32_t tier, const Parameters& parameters,
                              FabricBuilder& builder) {
  const std::uint64_t count = std::uint64_t{shape_.groups[tier]} * shape_.planes[tier];
  for (std::uint32_t number = 0; number < count; ++number) {
    const NodeId node =
        builder.add_node({.kind = sim::NodeKind::kSwitch,
                          .forwarding = lossless(parameters) ? sim::Forwarding::kCutThrough
                                                             : sim::Forwarding::kStoreAndForward,
                          .latency = parameters.time("ethernet.switch_latency"),
                          .name = switch_name(tier, number)});
    if (number == 0) first_node_[tier] = index(node);
  }
}

void ClosWiring::add_nic_links(std::span<const NodeId> nics, const Parameters& parameters,
                               FabricBuilder& builder) {
  const bool efa = parameters.text("nic.family") == "efa";
  const ClassId kind = add_class(efa ? "EFA link" : "NIC link", parameters, builder);
  const sim::Time wire = parameters.time("ethernet.wire_latency");
  for (std::uint32_t nic = 0; nic < nics.size(); ++nic) {
    for (std::uint32_t side = 0; side < shape_.parents[0]; ++side) {
      const NodeId tor{first_node_[0] + shape_.tor_of(nic) * shape_.parents[0] + side};
      const LinkId link = builder.connect(nics[nic], tor, kind, shape_.rate[0], wire);
      if (nic == 0 && side == 0) first_link_[0] = index(link);
    }
  }
}

// Switch s of a tier below (place g, plane p) joins, as its parent c, the switch of g's place above
// in plane p x parents + c.
void ClosWiring::add_links(std::uint32_t tier, const Parameters& parameters,
                           FabricBuilder& builder) {
  const std::string name = tier == 1 ? "spine link" : fmt::format("tier-{} link", tier + 1);
  const ClassId kind = add_class(name, parameters, builder);
  const sim::Time wire = parameters.time(tier_prefix(tier) + "wire_latency");
  const std::uint32_t parents = shape_.parents[tier];
  const std::uint32_t below = shape_.planes[tier - 1];
  for (std::uint32_t s = 0; s < shape_.groups[tier - 1] * below; ++s) {
    const std::uint32_t place = s / below / shape_.children[tier];
    for (std::uint32_t c = 0; c < parents; ++c) {
      const std::uint32_t above = place * shape_.planes[tier] + s % below * parents + c;
      const LinkId link =
          builder.connect(NodeId{first_node_[tier - 1] + s}, NodeId{first_node_[tier] + above},
                          kind, shape_.rate[tier], wire);
      if (s == 0 && c == 0) first_link_[tier] = index(link);
    }
  }
}

std::uint32_t ClosWiring::path_count(std::uint32_t from, std::uint32_t to) const {
  return shape_.planes[shape_.meeting_tier(from, to)];
}

void ClosWiring::append_path(std::uint32_t from, std::uint32_t to, std::uint32_t path,
                             std::uint32_t salt, std::vector<LinkId>& links) const {
  const std::uint32_t top = shape_.meeting_tier(from, to);
  CHECK(path < shape_.planes[top]);
  std::array<std::uint32_t, kMostTiers> down{};
  std::uint32_t from_place = from;  // the switch below, without its plane: first the NIC itself
  std::uint32_t to_place = to;
  std::uint32_t plane = 0;
  for (std::uint32_t tier = 0; tier <= top; ++tier) {
    const std::uint32_t parents = shape_.parents[tier];
    const std::uint32_t choice = (path + (tier == 0 ? 0 : salt)) % parents;
    path /= parents;
    const std::uint32_t below = tier == 0 ? 1 : shape_.planes[tier - 1];
    const auto link = [&](std::uint32_t place) {
      return first_link_[tier] + 2 * ((place * below + plane) * parents + choice);
    };
    links.push_back(LinkId{link(from_place)});
    down[tier] = link(to_place) + 1;
    plane = plane * parents + choice;
    from_place = tier == 0 ? shape_.tor_of(from) : from_place / shape_.children[tier];
    to_place = tier == 0 ? shape_.tor_of(to) : to_place / shape_.children[tier];
    salt /= tier == 0 ? 1 : parents;
  }
  for (std::uint32_t tier = top + 1; tier-- > 0;) links.push_back(LinkId{down[tier]});
}

}  // namespace topologies
