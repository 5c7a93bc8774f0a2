// SPDX-License-Identifier: GPL-2.0-only
// The timeline of a step as a trace file: one micro-batch on the busiest stage, layer by layer, on
// the compute lane and one lane per purpose of collectives, with the moments in which compute
// stands still for each purpose; and the parts of the whole step end to end.
#pragma once

#include <string>

#include "scenarios/workload/scenario.h"

namespace workload {

// Of every point of the scenario that has a layout; "" when none has.
[[nodiscard]] std::string step_trace(const ModelScenario& scenario);

}  // namespace workload
