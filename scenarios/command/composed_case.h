// SPDX-License-Identifier: GPL-2.0-only
// A case over many equal UltraServers, told by symmetry.
#pragma once

#include "scenarios/loader/scenario.h"
#include "sim/engine/run_control.h"
#include "sim/results/outcome.h"

namespace scenarios {

// `spec.domains` > 0. Names are left to the caller.
[[nodiscard]] sim::CaseOutcome play_composed_case(const Scenario& scenario, const CaseSpec& spec,
                                                  sim::RunControl& control);

}  // namespace scenarios
