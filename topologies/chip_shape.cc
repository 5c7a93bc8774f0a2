// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/chip_shape.h"

#include <fmt/core.h>

#include "topologies/keys.h"
#include "topologies/scale_up.h"

namespace topologies {

namespace {

using sim::Failure;
using sim::Key;
using sim::Parameters;

Relay relay_of(const std::string& text) {
  if (text == "destination") return Relay::kDestination;
  if (text == "split") return Relay::kSplit;
  return Relay::kSource;
}

std::vector<Key> shape_keys() {
  return {
      count_key("positions", {1, 16}, "chips per sled"),
      count_key("sleds", {1, 64}, "sleds per rack"),
      count_key("racks", {1, 2}, "racks per UltraServer; two are joined chip by chip"),
      count_key("planes", {1, 16}, "rack switches per rack; must divide the positions"),
      choice_key("structure", {"hypercube", "flat"},
                 "hypercube: sled switches, rack switches and twin links; flat: one ideal switch"),
      choice_key("sled.structure", {"switch", "direct"},
                 "what joins the chips of a sled: a switch, or a link between each two of them"),
      choice_key("relay", {"source", "destination", "split"},
                 "which rack relays traffic between chips of two racks that are not twins"),
  };
}

std::vector<Key> rate_keys() {
  return {
      bandwidth_key("sled.bandwidth",
                    "chip to sled switch, or between two chips of a sled, per direction"),
      bandwidth_key("rack.bandwidth", "chip to rack switch, per direction"),
      bandwidth_key("rack_to_rack.bandwidth", "chip to its twin in the other rack, per direction"),
      bandwidth_key("flat.bandwidth",
                    "chip to the flat fabric, per direction; structure flat only"),
      time_key("sled.wire_latency", "wire between chip and sled switch or chip"),
      time_key("rack.wire_latency", "wire between chip and rack switch, or the flat fabric"),
      time_key("rack_to_rack.wire_latency", "cable between twins, with its retimers"),
      time_key("switch.latency", "cut-through latency of a NeuronSwitch"),
      time_key("chip.forwarding_latency", "through a chip that relays traffic of others"),
      share_key("neuronlink.efficiency", "share of the raw NeuronLink rate left for payload"),
      size_key("neuronlink.buffer", kBufferBytes, "input buffer per NeuronLink and lane"),
      size_key("packet.size", kPacketBytes, "most payload bytes of a NeuronLink packet"),
  };
}

}  // namespace

std::string ChipShape::place(std::uint32_t chip) const {
  const std::string inside = fmt::format("rack {}, sled {}, position {}", rack_of(chip) % racks,
                                         sled_of(chip) % sleds, position_of(chip));
  if (ultraservers == 1) return inside;
  return fmt::format("ultraserver {}, {}", ultraserver_of(chip), inside);
}

std::vector<Key> chip_keys() {
  std::vector<Key> keys = shape_keys();
  for (Key& key : core_keys()) keys.push_back(std::move(key));
  for (Key& key : rate_keys()) keys.push_back(std::move(key));
  return keys;
}

sim::Result<ChipShape> chip_shape(const Parameters& parameters, std::int64_t ultraservers) {
  if (std::optional<Failure> fault = fault_in(parameters, chip_keys())) return *fault;
  const auto count = [&](const char* name) {
    return static_cast<std::uint32_t>(parameters.count(name));
  };
  const ChipShape shape{.ultraservers = static_cast<std::uint32_t>(ultraservers),
                        .racks = count("racks"),
                        .sleds = count("sleds"),
                        .positions = count("positions"),
                        .planes = count("planes"),
                        .cores = on_chip(parameters).ends,
                        .flat = parameters.text("structure") == "flat",
                        .direct_sled = parameters.text("sled.structure") == "direct",
                        .relay = relay_of(parameters.text("relay"))};
  if (shape.positions % shape.planes != 0) {
    return Failure{
        fmt::format("{} planes do not divide {} positions", shape.planes, shape.positions),
        "each plane joins the same number of positions of a sled"};
  }
  const std::int64_t ends = ultraservers * shape.chips() * shape.ends_per_chip();
  if (std::optional<Failure> fault = fault_in_size(ends)) return *fault;
  if (parameters.bytes("neuronlink.buffer") < parameters.bytes("packet.size")) {
    return Failure{"neuronlink.buffer does not hold one packet", "at least packet.size"};
  }
  return shape;
}

}  // namespace topologies
