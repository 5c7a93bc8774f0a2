// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/chip_wiring.h"

#include <fmt/core.h>

#include <utility>

#include "sim/base/check.h"

namespace topologies {

namespace {

using sim::ClassId;
using sim::FabricBuilder;
using sim::LinkId;
using sim::NodeId;
using sim::Parameters;

void append_pair(const std::vector<LinkId>& by_chip, std::uint32_t from, std::uint32_t to,
                 std::vector<LinkId>& links) {
  links.push_back(by_chip[from]);
  links.push_back(reverse(by_chip[to]));
}

ClassId neuronlink(std::string name, const Parameters& parameters, FabricBuilder& builder) {
  return builder.add_class({.name = std::move(name),
                            .flow = sim::FlowControl::kCredits,
                            .buffer = parameters.bytes("neuronlink.buffer"),
                            .payload = parameters.bytes("packet.size"),
                            .header = {},
                            .efficiency = parameters.ratio("neuronlink.efficiency")});
}

NodeId add_switch(std::string name, const Parameters& parameters, FabricBuilder& builder) {
  return builder.add_node({.kind = sim::NodeKind::kSwitch,
                           .forwarding = sim::Forwarding::kCutThrough,
                           .latency = parameters.time("switch.latency"),
                           .name = std::move(name)});
}

}  // namespace

ChipWiring::ChipWiring(const ChipShape& shape) : shape_(shape) {
  chips_.domains = shape.ultraservers;
  chips_.per_domain = shape.chips();
  chips_.cores = shape.cores;
}

void ChipWiring::draw(const Parameters& parameters, FabricBuilder& builder) {
  for (std::uint32_t chip = 0; chip < shape_.all_chips(); ++chip) {
    add_chip(parameters.time("chip.forwarding_latency"), builder);
  }
  if (shape_.flat) {
    add_switches(flat_, "flat", parameters, builder);
  } else {
    if (shape_.direct_sled) {
      add_direct(parameters, builder);
    } else {
      add_switches(sled_, "sled", parameters, builder);
    }
    add_switches(rack_, "rack", parameters, builder);
    if (shape_.racks == 2) add_twins(parameters, builder);
  }
  add_endpoints(parameters, parameters.bytes("neuronlink.buffer"), builder);
  add_levels(builder);
}

// Joins each chip to its switch of this kind: sled switch, rack switch or flat fabric.
void ChipWiring::add_switches(Links& links, const std::string& dimension,
                              const Parameters& parameters, FabricBuilder& builder) {
  const ClassId kind = neuronlink(dimension + " link", parameters, builder);
  const sim::Bandwidth bandwidth = parameters.bandwidth(dimension + ".bandwidth");
  const std::string wire = dimension == "sled" ? "sled" : "rack";
  const sim::Time latency = parameters.time(wire + ".wire_latency");
  std::vector<NodeId> switches;
  std::vector<bool> drawn;
  for (std::uint32_t chip = 0; chip < shape_.all_chips(); ++chip) {
    const std::uint32_t number = switch_of(dimension, chip);
    if (number >= drawn.size()) {
      drawn.resize(number + 1, false);
      switches.resize(number + 1);
    }
    if (!drawn[number]) {
      switches[number] = add_switch(switch_name(dimension, chip), parameters, builder);
    }
    drawn[number] = true;
    links.push_back(
        builder.connect(chips_.nodes[chip], switches[number], kind, bandwidth, latency));
  }
}

std::uint32_t ChipWiring::switch_of(const std::string& dimension, std::uint32_t chip) const {
  if (dimension == "sled") return shape_.sled_of(chip);
  if (dimension == "rack") return shape_.plane_of(chip);
  return shape_.ultraserver_of(chip);
}

std::string ChipWiring::switch_name(const std::string& dimension, std::uint32_t chip) const {
  const std::uint32_t server = shape_.ultraserver_of(chip);
  const std::string in = shape_.ultraservers == 1 ? "" : fmt::format("ultraserver {}, ", server);
  const std::uint32_t rack = shape_.rack_of(chip) % shape_.racks;
  if (dimension == "sled") {
    const std::uint32_t sled = shape_.sled_of(chip) % shape_.sleds;
    return fmt::format("sled switch({}rack {}, sled {})", in, rack, sled);
  }
  if (dimension == "rack") {
    const std::uint32_t plane = shape_.plane_of(chip) % shape_.planes;
    return fmt::format("rack switch({}rack {}, plane {})", in, rack, plane);
  }
  return shape_.ultraservers == 1 ? "flat fabric" : fmt::format("flat fabric({})", server);
}

void ChipWiring::add_direct(const Parameters& parameters, FabricBuilder& builder) {
  const ClassId kind = neuronlink("sled link", parameters, builder);
  const std::uint32_t positions = shape_.positions;
  direct_.resize(static_cast<std::size_t>(shape_.all_chips()) * positions);
  for (std::uint32_t chip = 0; chip < shape_.all_chips(); ++chip) {
    const std::uint32_t own = shape_.position_of(chip);
    for (std::uint32_t position = own + 1; position < positions; ++position) {
      const std::uint32_t other = chip - own + position;
      const LinkId link = builder.connect(chips_.nodes[chip], chips_.nodes[other], kind,
                                          parameters.bandwidth("sled.bandwidth"),
                                          parameters.time("sled.wire_latency"));
      direct_[chip * positions + position] = link;
      direct_[other * positions + own] = reverse(link);
    }
  }
}

void ChipWiring::add_twins(const Parameters& parameters, FabricBuilder& builder) {
  const ClassId kind = neuronlink("twin link", parameters, builder);
  const sim::Bandwidth bandwidth = parameters.bandwidth("rack_to_rack.bandwidth");
  const sim::Time latency = parameters.time("rack_to_rack.wire_latency");
  twin_.resize(shape_.all_chips());
  for (std::uint32_t chip = 0; chip < shape_.all_chips(); ++chip) {
    const std::uint32_t twin = shape_.twin_of(chip);
    if (twin < chip) continue;
    const LinkId link =
        builder.connect(chips_.nodes[chip], chips_.nodes[twin], kind, bandwidth, latency);
    twin_[chip] = link;
    twin_[twin] = reverse(link);
  }
}

void ChipWiring::add_levels(FabricBuilder& builder) const {
  add_level("chip", builder, [](std::uint32_t chip) { return chip; });
  add_level("sled", builder, [this](std::uint32_t chip) { return shape_.sled_of(chip); });
  if (shape_.planes > 1 && !shape_.flat) {
    add_level("plane", builder, [this](std::uint32_t chip) { return shape_.plane_of(chip); });
  }
  add_level("rack", builder, [this](std::uint32_t chip) { return shape_.rack_of(chip); });
  if (shape_.racks == 2 && !shape_.flat) {
    add_level("twin", builder, [this](std::uint32_t chip) { return shape_.twin_pair_of(chip); });
  }
  if (shape_.ultraservers > 1) {
    add_level("ultraserver", builder,
              [this](std::uint32_t chip) { return shape_.ultraserver_of(chip); });
  }
}

void ChipWiring::append_way(std::uint32_t from, std::uint32_t to, Links& links) const {
  if (shape_.flat) return append_pair(flat_, from, to, links);
  if (same_rack(from, to)) return append_in_rack(from, to, links);
  append_across_racks(from, to, links);
}

void ChipWiring::append_in_sled(std::uint32_t from, std::uint32_t to, Links& links) const {
  if (!shape_.direct_sled) return append_pair(sled_, from, to, links);
  links.push_back(direct_[from * shape_.positions + shape_.position_of(to)]);
}

// One switch where there is a common one; else over the sled mate at the destination's position.
void ChipWiring::append_in_rack(std::uint32_t from, std::uint32_t to, Links& links) const {
  if (shape_.sled_of(from) == shape_.sled_of(to)) return append_in_sled(from, to, links);
  if (shape_.plane_of(from) == shape_.plane_of(to)) return append_pair(rack_, from, to, links);
  const std::uint32_t mate = from - shape_.position_of(from) + shape_.position_of(to);
  append_in_sled(from, mate, links);
  append_pair(rack_, mate, to, links);
}

void ChipWiring::append_across_racks(std::uint32_t from, std::uint32_t to, Links& links) const {
  const std::uint32_t before = relayed_at_source(from, to) ? shape_.twin_of(to) : from;
  const std::uint32_t after = shape_.twin_of(before);
  if (from != before) append_in_rack(from, before, links);
  links.push_back(twin_[before]);
  if (after != to) append_in_rack(after, to, links);
}

bool ChipWiring::relayed_at_source(std::uint32_t from, std::uint32_t to) const {
  if (shape_.relay == Relay::kSplit) return (from + to) % 2 == 0;
  return shape_.relay == Relay::kSource;
}

// The two relay orders (sled, rack, twin) and (twin, sled, rack) could wait for each other in a
// cycle, so with `split` each has a lane of its own.
std::uint8_t ChipWiring::way_lane(std::uint32_t from, std::uint32_t to) const {
  if (shape_.relay != Relay::kSplit || shape_.flat || same_rack(from, to)) return 0;
  return relayed_at_source(from, to) ? 0 : 1;
}

std::uint8_t ChipWiring::lanes() const {
  return shape_.relay == Relay::kSplit && !shape_.flat && shape_.racks > 1 ? 2 : 1;
}

}  // namespace topologies
