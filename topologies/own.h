// SPDX-License-Identifier: GPL-2.0-only
// A fabric that the user has drawn: nodes and links as they stand in a scenario, every number in
// them. Chips are the endpoints, in their order. Ways are the shortest, one per pair, lowest link
// first; on a fabric with cycles they can wait for each other, which a run would find.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/routes.h"

namespace topologies {

struct OwnLink {
  std::uint32_t from = 0;  // places among the nodes
  std::uint32_t to = 0;
  std::string kind = "link";
  sim::Bandwidth bandwidth;
  sim::Time latency;
};

struct OwnFabric {
  std::vector<sim::Node> nodes;
  std::vector<std::string> server_of;  // by node; empty names for nodes of none
  std::vector<OwnLink> links;          // both directions each
};

// What every link has in common: `link.efficiency`, `link.buffer`, `packet.size`.
[[nodiscard]] std::vector<sim::Key> own_keys();

// For the catalog: fails, because parameters alone say nothing of nodes and links.
[[nodiscard]] sim::Result<sim::Topology> make_own(const sim::Parameters& parameters);

// Fails when there are no two chips, or when a chip cannot reach another.
[[nodiscard]] sim::Result<sim::Topology> make_own(const OwnFabric& own,
                                                  const sim::Parameters& parameters);

}  // namespace topologies
