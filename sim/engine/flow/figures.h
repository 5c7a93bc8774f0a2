// SPDX-License-Identifier: GPL-2.0-only
// What the levels without packets say of a case that was played on FlowWays.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/costs.h"
#include "sim/engine/engines.h"
#include "sim/engine/executor.h"
#include "sim/engine/flow/ways.h"
#include "sim/results/outcome.h"

namespace sim::flow {

struct FluidRun {
  const FlowWays& ways;
  const std::vector<std::int64_t>& moved;  // by pair, bytes
  RunEnd end;
  Time now;
  const EndCosts& costs;
};

// Use of each link class by `load` payload bytes over each link.
[[nodiscard]] std::vector<LevelUse> use_of_levels(const Fabric& fabric,
                                                  const std::vector<std::int64_t>& load, Time time);

// Verdict and, of a finished case, times, traffic, breakdown, bottleneck and fingerprint.
void fill_fluid(CaseOutcome& outcome, const Case& c, const Executor& executor, const FluidRun& run);

}  // namespace sim::flow
