// SPDX-License-Identifier: GPL-2.0-only
// A server whose chips talk over PCIe only: chips on PCIe switches, these on sockets, and the
// sockets joined each with each. NICs share the switch of their chip.
#pragma once

#include <vector>

#include "topologies/scale_up.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> pcie_keys();
[[nodiscard]] sim::Result<std::unique_ptr<const ScaleUp>> draw_pcie(
    const sim::Parameters& parameters, std::int64_t domains, sim::FabricBuilder& builder);

}  // namespace topologies
