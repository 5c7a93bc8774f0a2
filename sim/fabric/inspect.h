// SPDX-License-Identifier: GPL-2.0-only
// Questions about a sealed fabric, answered with Boost.Graph: connectivity, diameter, maximum flow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/fabric/fabric.h"
#include "sim/fabric/routes.h"

namespace sim {

// True when every node reaches every other along links.
[[nodiscard]] bool strongly_connected(const Fabric& fabric);

// Longest of the shortest hop counts between endpoints. The fabric must be connected.
[[nodiscard]] std::uint32_t diameter(const Fabric& fabric);

// Maximum flow in bytes per second from the nodes of `sources` to those of `sinks`, at raw link
// rates. With `allowed` (one flag per link), only those links carry anything. Fails over 2^63 B/s:
// CHECK.
[[nodiscard]] Bandwidth max_flow(const Fabric& fabric, std::span<const EndpointId> sources,
                                 std::span<const EndpointId> sinks,
                                 const std::vector<bool>* allowed = nullptr);

// Capacity between the two halves of the endpoints at the outermost level with at least two groups
// (the first half of its groups against the rest): one direction. A level whose groups cut across
// those of the level inside it (planes, twins) is passed over.
[[nodiscard]] Bandwidth bisection(const Fabric& fabric);

// Payload that one endpoint may inject when all endpoints of `group` send equal shares to all
// others along their routes (first path set, spread evenly), until the first link is full at its
// raw rate.
struct UniformLoad {
  Bandwidth injection;  // per endpoint
  LinkId fullest{};     // the link that binds
};
[[nodiscard]] UniformLoad uniform_all_to_all(const Topology& topology,
                                             std::span<const EndpointId> group);

// How many ordered pairs of endpoints have a path of h links, by h (index 0 unused).
[[nodiscard]] std::vector<std::uint64_t> hop_histogram(const Topology& topology);

}  // namespace sim
