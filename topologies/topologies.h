// SPDX-License-Identifier: GPL-2.0-only
// The topology catalog: name -> (summary, parameters it reads, maker). A maker gets checked
// parameters and returns the fabric with its routes, or says why these parameters cannot be built.
#pragma once

#include <vector>

#include "sim/base/catalog.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/routes.h"

namespace topologies {

using Maker = sim::Result<sim::Topology> (*)(const sim::Parameters&);

[[nodiscard]] const sim::Catalog<Maker>& topologies();

// What every fabric says of itself, whatever its shape: read by whoever sets faults on it.
[[nodiscard]] std::vector<sim::Key> fabric_keys();

}  // namespace topologies
