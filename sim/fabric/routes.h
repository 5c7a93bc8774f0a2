// SPDX-License-Identifier: GPL-2.0-only
// Routes: for a pair of endpoints, the ordered set of paths, chosen the same way every time. A
// topology implements this for its own wiring (static, address based); `ShortestRoutes` serves any
// fabric. Contract: 1 <= path_count(a, b), but 0 for
// a pair that faults cut off (faults.h), which no run may use; a path is a chain of links from a's
// node to b's node; it never visits a node twice; lane() is the virtual lane a path uses on every
// credit link, so that orders that could wait for each other in a cycle are kept apart.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/fabric/fabric.h"

namespace sim {

inline constexpr std::uint8_t kMostLanes = 16;

class Routes {
 public:
  virtual ~Routes() = default;

  // Paths that a transfer from -> to (different endpoints) may spread its packets over.
  [[nodiscard]] virtual std::uint32_t path_count(EndpointId from, EndpointId to) const = 0;
  // Appends the links of path `path` in order.
  virtual void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                           std::vector<LinkId>& links) const = 0;
  [[nodiscard]] virtual std::uint8_t lane(EndpointId /*from*/, EndpointId /*to*/) const {
    return 0;
  }
  // How many lanes these routes use: 1 to kMostLanes.
  [[nodiscard]] virtual std::uint8_t lanes() const { return 1; }
};

// Fewest hops, lowest link id first; one path per pair. Costs one breadth-first search per
// destination, kept; meant for small fabrics and as the oracle of topologies' own routes.
[[nodiscard]] std::unique_ptr<Routes> shortest_routes(const Fabric& fabric);

// What a topology hands out: the fabric and how packets find their way in it.
struct Topology {
  std::unique_ptr<const Fabric> fabric;  // stable address: routes refer to it
  std::unique_ptr<const Routes> routes;
};

}  // namespace sim
