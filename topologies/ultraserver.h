// SPDX-License-Identifier: GPL-2.0-only
// Trn3 UltraServers: sled switches (or direct links), rack switches in planes, twin links between
// the racks.
#pragma once

#include <vector>

#include "topologies/scale_up.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> ultraserver_keys();
[[nodiscard]] sim::Result<std::unique_ptr<const ScaleUp>> draw_ultraservers(
    const sim::Parameters& parameters, std::int64_t domains, sim::FabricBuilder& builder);

}  // namespace topologies
