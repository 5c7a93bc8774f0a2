// SPDX-License-Identifier: GPL-2.0-only
// The nodes and links of the chips of UltraServers, and the one way between two chips of one
// UltraServer. Parallel x8 links of a chip to one kind of switch are one link here, and so are the
// switches they end on. Ways are static and dimension-ordered (sled, rack, twin), so that credits
// cannot wait in a cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/parameter.h"
#include "sim/fabric/fabric.h"
#include "topologies/chip_shape.h"

namespace topologies {

// By chip, cores by endpoint: the link towards the switch, the chip or the twin. The way back has
// the next id, but for `twin`, which holds both directions.
struct ChipWiring {
  ChipShape shape;
  std::vector<sim::NodeId> nodes;  // of the chips
  std::vector<sim::LinkId> core;
  std::vector<sim::LinkId> sled;
  std::vector<sim::LinkId> rack;
  std::vector<sim::LinkId> twin;
  std::vector<sim::LinkId> flat;

  // Appends the way of one endpoint to another of the same UltraServer, cores included.
  void append_path(sim::EndpointId from, sim::EndpointId to, std::vector<sim::LinkId>& links) const;
  [[nodiscard]] std::uint8_t lane(sim::EndpointId from, sim::EndpointId to) const;
  [[nodiscard]] std::uint8_t lanes() const {
    return shape.relay == Relay::kSplit && !shape.flat && shape.racks > 1 ? 2 : 1;
  }

  // The way between a core and its chip; nothing where chips are the endpoints.
  void append_from_core(sim::EndpointId end, std::vector<sim::LinkId>& links) const;
  void append_to_core(sim::EndpointId end, std::vector<sim::LinkId>& links) const;
};

// Adds nodes, links, endpoints and levels.
[[nodiscard]] ChipWiring draw_chips(const ChipShape& shape, const sim::Parameters& parameters,
                                    sim::FabricBuilder& builder);

constexpr sim::LinkId reverse(sim::LinkId outward) { return sim::LinkId{index(outward) + 1}; }

}  // namespace topologies
