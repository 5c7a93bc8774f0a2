// SPDX-License-Identifier: GPL-2.0-only
// Parameters written by hand, so that topologies are tested without the scenario loader. Rates as
// AWS's page counts them; everything else round.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/parameter.h"
#include "sim/base/quantity.h"
#include "topologies/topologies.h"

namespace topologies_test {

using Changes = std::vector<std::pair<std::string, std::string>>;

inline const Changes& ordinary_values() {
  static const Changes values = {
      {"ends", "8"},
      {"link.bandwidth", "50 GB/s"},
      {"link.latency", "500 ns"},
      {"link.header", "0 B"},
      {"link.efficiency", "1"},
      {"link.flow", "unbounded"},
      {"link.buffer", "1 MiB"},
      {"switch.forwarding", "store_and_forward"},
      {"packet.size", "4 KiB"},
      {"positions", "4"},
      {"sleds", "18"},
      {"racks", "2"},
      {"planes", "4"},
      {"structure", "hypercube"},
      {"relay", "source"},
      {"endpoints_per_chip", "0"},
      {"sled.bandwidth", "256 GB/s"},
      {"rack.bandwidth", "320 GB/s"},
      {"rack_to_rack.bandwidth", "128 GB/s"},
      {"flat.bandwidth", "1024 GB/s"},
      {"sled.wire_latency", "10 ns"},
      {"rack.wire_latency", "20 ns"},
      {"rack_to_rack.wire_latency", "40 ns"},
      {"switch.latency", "150 ns"},
      {"chip.forwarding_latency", "500 ns"},
      {"core.dma_bandwidth", "1056 GB/s"},
      {"core.latency", "50 ns"},
      {"neuronlink.efficiency", "0.9"},
      {"neuronlink.buffer", "256 KiB"},
      {"ultraservers", "2"},
      {"nic.bandwidth", "200 Gb/s"},
      {"nic.latency", "3 us"},
      {"nic.bus_bandwidth", "64 GB/s"},
      {"nic.bus_latency", "100 ns"},
      {"efa.mtu", "8760 B"},
      {"efa.header", "100 B"},
      {"ethernet.switch_latency", "600 ns"},
      {"ethernet.wire_latency", "50 ns"},
      {"ethernet.buffer", "4 MiB"},
      {"ethernet.nics_per_tor", "36"},
      {"ethernet.spines", "9"},
  };
  return values;
}

inline sim::Quantity quantity(const std::string& text, sim::Dimension dimension) {
  if (dimension == sim::Dimension::kText) return {dimension, 0, text};
  return parse_quantity(text, dimension).value();
}

// What `topology` declares, with `changes` to the ordinary values.
inline sim::Parameters parameters_of(std::string_view topology, const Changes& changes = {}) {
  sim::Parameters parameters;
  for (const sim::Key& key : topologies::topologies().find(topology)->keys) {
    for (const Changes& values : {ordinary_values(), changes}) {
      for (const auto& [name, text] : values) {
        if (name != key.name) continue;
        const sim::Quantity value = quantity(text, key.dimension);
        parameters.set({name, value, value, value, sim::Grade::kChosen, "test"});
      }
    }
    CHECK(parameters.find(key.name) != nullptr);
  }
  return parameters;
}

inline sim::Result<sim::Topology> try_make(std::string_view topology, const Changes& changes = {}) {
  return topologies::topologies().find(topology)->make(parameters_of(topology, changes));
}

inline sim::Topology make(std::string_view topology, const Changes& changes = {}) {
  auto made = try_make(topology, changes);
  return std::move(made).value();
}

inline std::vector<sim::EndpointId> all_ends(const sim::Fabric& fabric) {
  std::vector<sim::EndpointId> ends;
  for (std::uint32_t end = 0; end < fabric.endpoints(); ++end) ends.push_back(sim::EndpointId{end});
  return ends;
}

}  // namespace topologies_test
