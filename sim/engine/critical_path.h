// SPDX-License-Identifier: GPL-2.0-only
// The critical path of a finished run: from the op that ended last back over the ops that released
// it, with the time of each divided into what it was spent on. The parts add up to the total,
// exactly.
#pragma once

#include <unordered_map>

#include "sim/engine/costs.h"
#include "sim/engine/executor.h"
#include "sim/engine/placement.h"
#include "sim/fabric/routes.h"
#include "sim/results/outcome.h"

namespace sim {

// Time that one transfer takes when nothing else moves, in parts.
struct Unloaded {
  Time endpoint;
  Time latency;
  Time transmission;  // over the slowest link of its first path, at the usable rate
};
[[nodiscard]] Unloaded unloaded(const Topology& topology, const EndCosts& costs, EndpointId from,
                                EndpointId to, Bytes bytes);

// Time that transfers spent on repeating the packet that came in last, by op; none: nothing.
using Repairs = std::unordered_map<OpId, Time>;  // looked up only

[[nodiscard]] Breakdown critical_path(const Executor& executor, const Schedule& schedule,
                                      const Placement& placement, const Topology& topology,
                                      const EndCosts& costs, const Repairs& repairs = {});

}  // namespace sim
