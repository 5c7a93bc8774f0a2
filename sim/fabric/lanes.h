// SPDX-License-Identifier: GPL-2.0-only
// More virtual lanes than routes need: traffic to different ends takes different lanes, so that a
// packet for a busy end holds up fewer packets for others (head-of-line blocking). Lanes that keep
// orders of links apart stay apart: each is spread over `times` lanes of its own.
#pragma once

#include <cstdint>

#include "sim/base/result.h"
#include "sim/fabric/routes.h"

namespace sim {

// Fails when there would be more than kMostLanes.
[[nodiscard]] Result<Topology> spread_over_lanes(Topology topology, std::int64_t times);

}  // namespace sim
