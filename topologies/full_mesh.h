// SPDX-License-Identifier: GPL-2.0-only
// Chips of a server joined directly, each with each: MI300X, MI355X.
#pragma once

#include <vector>

#include "topologies/scale_up.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> full_mesh_keys();
[[nodiscard]] sim::Result<std::unique_ptr<const ScaleUp>> draw_full_mesh(
    const sim::Parameters& parameters, std::int64_t domains, sim::FabricBuilder& builder);

}  // namespace topologies
