// SPDX-License-Identifier: GPL-2.0-only
// How long each send of a schedule occupies the port that it leaves by, and how long its bytes take
// at least, from link loads alone.
//
// Sends are put in waves: the wave of a send is the longest chain of sends that it has to wait for.
// What a wave puts on a link, over the rate of the link, is the least time that the wave needs
// there. A port sends its part of a wave no faster than the busiest link on its ways lets it: all
// its sends of the wave are stretched alike.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/flow/ways.h"
#include "sim/engine/placement.h"
#include "sim/schedule/schedule.h"

namespace sim::analytic {

struct SendTimes {
  std::uint32_t pair = 0;     // in the ways
  std::int64_t port_ps = 0;   // occupies its port
  std::int64_t alone_ps = 0;  // its bytes over its slowest link, with nothing else moving
};

// By op; of sends only.
[[nodiscard]] std::vector<SendTimes> occupancy(const Schedule& schedule, const Placement& placement,
                                               const flow::FlowWays& ways);

// By op: how many sends the longest chain of ops that it waits for holds.
[[nodiscard]] std::vector<std::uint32_t> waves(const Schedule& schedule,
                                               const Dependencies& depends);

}  // namespace sim::analytic
