// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/chip_wiring.h"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace topologies {

namespace {

using sim::ClassId;
using sim::EndpointId;
using sim::LinkId;
using sim::NodeId;
using sim::NodeKind;

// Draws one UltraServer after the other into the builder.
class Drawing {
 public:
  Drawing(const ChipShape& shape, const sim::Parameters& parameters, sim::FabricBuilder& builder)
      : shape_(shape), parameters_(parameters), builder_(builder) {
    wiring_.shape = shape;
  }

  ChipWiring draw() && {
    const std::uint32_t chips = shape_.all_chips();
    for (std::uint32_t chip = 0; chip < chips; ++chip) add_chip(chip);
    if (shape_.flat) {
      add_switches(wiring_.flat, "flat");
    } else {
      add_switches(wiring_.sled, "sled");
      add_switches(wiring_.rack, "rack");
      if (shape_.racks == 2) add_twins();
    }
    add_endpoints();
    add_levels();
    return std::move(wiring_);
  }

 private:
  void add_chip(std::uint32_t chip) {
    wiring_.nodes.push_back(
        builder_.add_node({.kind = NodeKind::kChip,
                           .forwarding = sim::Forwarding::kCutThrough,
                           .latency = parameters_.time("chip.forwarding_latency"),
                           .name = fmt::format("chip({})", shape_.place(chip))}));
  }

  // Joins each chip to its switch of this kind: sled switch, rack switch or flat fabric.
  void add_switches(std::vector<LinkId>& links, const std::string& dimension) {
    const ClassId kind = neuronlink(dimension + " link");
    const sim::Bandwidth bandwidth = parameters_.bandwidth(dimension + ".bandwidth");
    const std::string wire = dimension == "sled" ? "sled" : "rack";
    const sim::Time latency = parameters_.time(wire + ".wire_latency");
    std::vector<NodeId> switches;
    std::vector<bool> drawn;
    for (std::uint32_t chip = 0; chip < shape_.all_chips(); ++chip) {
      const std::uint32_t number = switch_of(dimension, chip);
      if (number >= drawn.size()) {
        drawn.resize(number + 1, false);
        switches.resize(number + 1);
      }
      if (!drawn[number]) switches[number] = add_switch(switch_name(dimension, chip));
      drawn[number] = true;
      links.push_back(
          builder_.connect(wiring_.nodes[chip], switches[number], kind, bandwidth, latency));
    }
  }

  std::uint32_t switch_of(const std::string& dimension, std::uint32_t chip) const {
    if (dimension == "sled") return shape_.sled_of(chip);
    if (dimension == "rack") return shape_.plane_of(chip);
    return shape_.ultraserver_of(chip);
  }

  std::string switch_name(const std::string& dimension, std::uint32_t chip) const {
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

  NodeId add_switch(std::string name) {
    return builder_.add_node({.kind = NodeKind::kSwitch,
                              .forwarding = sim::Forwarding::kCutThrough,
                              .latency = parameters_.time("switch.latency"),
                              .name = std::move(name)});
  }

  void add_twins() {
    const ClassId kind = neuronlink("twin link");
    const sim::Bandwidth bandwidth = parameters_.bandwidth("rack_to_rack.bandwidth");
    const sim::Time latency = parameters_.time("rack_to_rack.wire_latency");
    wiring_.twin.resize(shape_.all_chips());
    for (std::uint32_t chip = 0; chip < shape_.all_chips(); ++chip) {
      const std::uint32_t twin = shape_.twin_of(chip);
      if (twin < chip) continue;
      const LinkId link =
          builder_.connect(wiring_.nodes[chip], wiring_.nodes[twin], kind, bandwidth, latency);
      wiring_.twin[chip] = link;
      wiring_.twin[twin] = reverse(link);
    }
  }

  void add_endpoints() {
    if (shape_.cores == 0) {
      for (const NodeId chip : wiring_.nodes) builder_.add_endpoint(chip);
      return;
    }
    const ClassId kind = builder_.add_class({.name = "core link",
                                             .flow = sim::FlowControl::kCredits,
                                             .buffer = parameters_.bytes("neuronlink.buffer"),
                                             .payload = {},
                                             .header = {},
                                             .efficiency = sim::kRatioOne});
    for (std::uint32_t chip = 0; chip < shape_.all_chips(); ++chip) {
      for (std::uint32_t core = 0; core < shape_.cores; ++core) add_core(chip, core, kind);
    }
  }

  void add_core(std::uint32_t chip, std::uint32_t core, ClassId kind) {
    const NodeId node =
        builder_.add_node({.kind = NodeKind::kCore,
                           .forwarding = sim::Forwarding::kCutThrough,
                           .latency = {},
                           .name = fmt::format("core({}, core {})", shape_.place(chip), core)});
    wiring_.core.push_back(builder_.connect(node, wiring_.nodes[chip], kind,
                                            parameters_.bandwidth("core.dma_bandwidth"),
                                            parameters_.time("core.latency")));
    builder_.add_endpoint(node);
  }

  ClassId neuronlink(std::string name) {
    return builder_.add_class({.name = std::move(name),
                               .flow = sim::FlowControl::kCredits,
                               .buffer = parameters_.bytes("neuronlink.buffer"),
                               .payload = parameters_.bytes("packet.size"),
                               .header = {},
                               .efficiency = parameters_.ratio("neuronlink.efficiency")});
  }

  void add_levels() {
    add_level("chip", [](std::uint32_t chip) { return chip; });
    add_level("sled", [this](std::uint32_t chip) { return shape_.sled_of(chip); });
    if (shape_.planes > 1 && !shape_.flat) {
      add_level("plane", [this](std::uint32_t chip) { return shape_.plane_of(chip); });
    }
    add_level("rack", [this](std::uint32_t chip) { return shape_.rack_of(chip); });
    if (shape_.racks == 2 && !shape_.flat) {
      add_level("twin", [this](std::uint32_t chip) { return shape_.twin_pair_of(chip); });
    }
    if (shape_.ultraservers > 1) {
      add_level("ultraserver", [this](std::uint32_t chip) { return shape_.ultraserver_of(chip); });
    }
  }

  template <class GroupOf>
  void add_level(std::string name, GroupOf group_of) {
    std::vector<std::uint32_t> groups(shape_.all_chips() * shape_.ends_per_chip());
    for (std::uint32_t end = 0; end < groups.size(); ++end) {
      groups[end] = group_of(shape_.chip_of(EndpointId{end}));
    }
    builder_.add_level(std::move(name), std::move(groups));
  }

  const ChipShape& shape_;
  const sim::Parameters& parameters_;
  sim::FabricBuilder& builder_;
  ChipWiring wiring_;
};

bool same_rack(const ChipShape& shape, std::uint32_t a, std::uint32_t b) {
  return shape.rack_of(a) == shape.rack_of(b);
}

bool relayed_at_source(const ChipShape& shape, std::uint32_t from, std::uint32_t to) {
  if (shape.relay == Relay::kSplit) return (from + to) % 2 == 0;
  return shape.relay == Relay::kSource;
}

void append_pair(const std::vector<LinkId>& by_chip, std::uint32_t from, std::uint32_t to,
                 std::vector<LinkId>& links) {
  links.push_back(by_chip[from]);
  links.push_back(reverse(by_chip[to]));
}

// One switch where there is a common one; else over the sled mate at the destination's position.
void append_in_rack(const ChipWiring& wiring, std::uint32_t from, std::uint32_t to,
                    std::vector<LinkId>& links) {
  const ChipShape& shape = wiring.shape;
  if (shape.sled_of(from) == shape.sled_of(to)) return append_pair(wiring.sled, from, to, links);
  if (shape.plane_of(from) == shape.plane_of(to)) return append_pair(wiring.rack, from, to, links);
  const std::uint32_t mate = from - shape.position_of(from) + shape.position_of(to);
  append_pair(wiring.sled, from, mate, links);
  append_pair(wiring.rack, mate, to, links);
}

void append_across_racks(const ChipWiring& wiring, std::uint32_t from, std::uint32_t to,
                         std::vector<LinkId>& links) {
  const bool at_source = relayed_at_source(wiring.shape, from, to);
  const std::uint32_t before = at_source ? wiring.shape.twin_of(to) : from;
  const std::uint32_t after = wiring.shape.twin_of(before);
  if (from != before) append_in_rack(wiring, from, before, links);
  links.push_back(wiring.twin[before]);
  if (after != to) append_in_rack(wiring, after, to, links);
}

}  // namespace

ChipWiring draw_chips(const ChipShape& shape, const sim::Parameters& parameters,
                      sim::FabricBuilder& builder) {
  return Drawing(shape, parameters, builder).draw();
}

void ChipWiring::append_path(EndpointId from, EndpointId to, std::vector<LinkId>& links) const {
  CHECK(from != to);
  const std::uint32_t a = shape.chip_of(from);
  const std::uint32_t b = shape.chip_of(to);
  CHECK(shape.ultraserver_of(a) == shape.ultraserver_of(b));
  append_from_core(from, links);
  if (a != b) {
    if (shape.flat) {
      append_pair(flat, a, b, links);
    } else if (same_rack(shape, a, b)) {
      append_in_rack(*this, a, b, links);
    } else {
      append_across_racks(*this, a, b, links);
    }
  }
  append_to_core(to, links);
}

// The two relay orders (sled, rack, twin) and (twin, sled, rack) could wait for each other in a
// cycle, so with `split` each has a lane of its own.
std::uint8_t ChipWiring::lane(EndpointId from, EndpointId to) const {
  const std::uint32_t a = shape.chip_of(from);
  const std::uint32_t b = shape.chip_of(to);
  if (shape.relay != Relay::kSplit || shape.flat || same_rack(shape, a, b)) return 0;
  return relayed_at_source(shape, a, b) ? 0 : 1;
}

void ChipWiring::append_from_core(EndpointId end, std::vector<LinkId>& links) const {
  if (shape.cores > 0) links.push_back(core[index(end)]);
}

void ChipWiring::append_to_core(EndpointId end, std::vector<LinkId>& links) const {
  if (shape.cores > 0) links.push_back(reverse(core[index(end)]));
}

}  // namespace topologies
