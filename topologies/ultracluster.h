// SPDX-License-Identifier: GPL-2.0-only
// UltraServers joined by a non-blocking two-tier Ethernet Clos, one EFA NIC per chip: consecutive
// chips share a top-of-rack switch (ToR), every ToR has one link to every spine.
#pragma once

#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/routes.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> ultracluster_keys();
[[nodiscard]] sim::Result<sim::Topology> make_ultracluster(const sim::Parameters& parameters);

}  // namespace topologies
