// SPDX-License-Identifier: GPL-2.0-only
// Outlines of clusters too large to draw.
#pragma once

#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/outline.h"

namespace topologies {

// Of the topology `ultracluster`, ranks being chips. Fails where the network above the NICs could
// fill, or NICs are shared or several to a chip.
[[nodiscard]] sim::Result<sim::Outline> make_outline(const sim::Parameters& parameters);

}  // namespace topologies
