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
      {"chip.stage", "ports"},
      {"chip.dma_bandwidth", "unlimited"},
      {"hbm.bandwidth", "unlimited"},
      {"hbm.share", "1"},
      {"dma.engine_bandwidth", "unlimited"},
      {"dma.packet", "64 KiB"},
      {"dma.descriptor", "0 ns"},
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

// Of the other families and of the Clos.
inline const Changes& other_values() {
  static const Changes values = {
      {"sled.structure", "switch"},
      {"servers", "3"},
      {"chips", "8"},
      {"trays", "2"},
      {"switch.count", "4"},
      {"switch.links", "18"},
      {"switch.reduces", "yes"},
      {"torus.x", "4"},
      {"torus.y", "4"},
      {"torus.z", "4"},
      {"torus.x.bandwidth", "128 GB/s"},
      {"torus.y.bandwidth", "128 GB/s"},
      {"torus.z.bandwidth", "64 GB/s"},
      {"torus.x.wire_latency", "10 ns"},
      {"torus.y.wire_latency", "10 ns"},
      {"torus.z.wire_latency", "20 ns"},
      {"torus.ends", "joined"},
      {"sockets", "2"},
      {"switches_per_socket", "2"},
      {"chips_per_switch", "2"},
      {"uplink.bandwidth", "32 GB/s"},
      {"socket.bandwidth", "62 GB/s"},
      {"socket.latency", "300 ns"},
      {"socket.wire_latency", "50 ns"},
      {"nic.family", "efa"},
      {"nic.per_chip", "1"},
      {"nic.chips_per_nic", "1"},
      {"nic.chip_bandwidth", "128 GB/s"},
      {"ethernet.tors_per_nic", "1"},
      {"ethernet.wiring", "rack"},
      {"ethernet.tiers", "4"},
      {"ethernet.radix", "512"},
      {"ethernet.port_bandwidth", "100 Gb/s"},
      {"ethernet.tor.oversubscription", "1"},
      {"ethernet.tier2.wire_latency", "50 ns"},
      {"ethernet.tier2.children", "4"},
      {"ethernet.tier2.oversubscription", "1"},
      {"ethernet.tier3.wire_latency", "500 ns"},
      {"ethernet.tier3.parents", "2"},
      {"ethernet.tier3.children", "2"},
      {"ethernet.tier3.oversubscription", "1"},
      {"ethernet.tier4.wire_latency", "2 us"},
      {"ethernet.tier4.parents", "2"},
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
    for (const Changes& values : {ordinary_values(), other_values(), changes}) {
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
