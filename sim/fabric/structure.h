// SPDX-License-Identifier: GPL-2.0-only
// What can be told of a fabric in one pass over its nodes and links, however large: which group of
// a level each node serves, and what leaves the groups. Each figure is the capacity of a cut, so no
// traffic can exceed it; on regular fabrics it is the least such cut (tests/laws).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/fabric/fabric.h"
#include "sim/fabric/routes.h"

namespace sim {

inline constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

// By node: the group of `level` that it serves alone, or kNoGroup: that of its endpoints, and of
// switches and NICs that touch no other group's nodes.
[[nodiscard]] std::vector<std::uint32_t> groups_served(const Fabric& fabric, const Level& level);

// Rate of the links that leave a group, one way: the least of the cuts round its endpoints, round
// what they reach without NICs, and round all that it has to itself. The least and largest group.
struct GroupRates {
  Bandwidth least;
  Bandwidth most;
};
[[nodiscard]] GroupRates rates_out(const Fabric& fabric, const Level& level);

// As `bisection` (inspect.h), by such cuts.
[[nodiscard]] Bandwidth bisection_by_cuts(const Fabric& fabric);

// The levels that nest one in the next, innermost first: planes and twins are left out.
[[nodiscard]] std::vector<const Level*> nested_levels(const Fabric& fabric);

// How many ordered pairs from these endpoints to all others have a first path of h links, by h.
[[nodiscard]] std::vector<std::uint64_t> hops_from(const Topology& topology,
                                                   std::span<const EndpointId> sources);

}  // namespace sim
