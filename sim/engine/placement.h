// SPDX-License-Identifier: GPL-2.0-only
// Placement: which rank sits on which endpoint. The only meeting point of Schedule and Fabric.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/fabric/fabric.h"
#include "sim/schedule/collective.h"

namespace sim {

struct Placement {
  std::vector<EndpointId> endpoint_of;  // by rank; all different

  // By rank: parts per billion of its computing and copying rate; empty: all have all of it.
  std::vector<std::int64_t> pace = {};

  // By rank: how long after the first it comes to the collective; empty: all come at once.
  std::vector<Time> arrival = {};

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(endpoint_of.size()); }
};

// What is left of a rate of this rank's own work, at least 1 B/s.
[[nodiscard]] inline Bandwidth at_pace(Bandwidth rate, const Placement& placement, Rank rank) {
  if (placement.pace.empty()) return rate;
  const auto left = static_cast<__int128>(rate.value) * placement.pace[rank] / 1'000'000'000;
  return Bandwidth(std::max<std::int64_t>(static_cast<std::int64_t>(left), 1));
}

}  // namespace sim
