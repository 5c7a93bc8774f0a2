// SPDX-License-Identifier: GPL-2.0-only
// Where a switch can reduce for a group: an algorithm cannot know, as it knows no fabric.
#pragma once

#include <optional>
#include <string>

#include "sim/engine/placement.h"
#include "sim/fabric/fabric.h"

namespace scenarios {

// Why no switch can merge what the ranks send, as the end of a sentence; empty: the switches that
// every rank hangs on can.
[[nodiscard]] std::optional<std::string> no_reducing_switch(const sim::Fabric& fabric,
                                                            const sim::Placement& placement);

}  // namespace scenarios
