// SPDX-License-Identifier: GPL-2.0-only
// Placement: which rank sits on which endpoint. The only meeting point of Schedule and Fabric.
#pragma once

#include <vector>

#include "sim/fabric/fabric.h"
#include "sim/schedule/collective.h"

namespace sim {

struct Placement {
  std::vector<EndpointId> endpoint_of;  // by rank; all different

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(endpoint_of.size()); }
};

}  // namespace sim
