// SPDX-License-Identifier: GPL-2.0-only
// Chips of a server or rack behind scale-up switches, one hop from any to any: NVSwitch servers of
// 8, racks of 72. The switches work side by side, each with an equal share of every chip's links,
// and traffic is spread over them evenly: they are drawn as one, and the fabric carries whether
// they can reduce (Node::reduces).
#pragma once

#include <vector>

#include "topologies/scale_up.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> switched_keys();
[[nodiscard]] sim::Result<std::unique_ptr<const ScaleUp>> draw_switched(
    const sim::Parameters& parameters, std::int64_t domains, sim::FabricBuilder& builder);

}  // namespace topologies
