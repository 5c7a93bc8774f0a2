// SPDX-License-Identifier: GPL-2.0-only
// The engine catalog: fidelity name -> what plays one case on it. `play` runs one schedule on one
// fabric and fills a CaseOutcome: times, traffic, bound, bottleneck, breakdown, fingerprint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/catalog.h"
#include "sim/base/parameter.h"
#include "sim/engine/conditions.h"
#include "sim/engine/placement.h"
#include "sim/engine/run_control.h"
#include "sim/fabric/routes.h"
#include "sim/results/outcome.h"
#include "sim/schedule/schedule.h"

namespace sim {

struct Case {
  const Topology* topology = nullptr;
  const Schedule* schedule = nullptr;
  const Placement* placement = nullptr;
  Bytes bytes;                             // of the job: a schedule may pad its parts
  const Parameters* parameters = nullptr;  // end costs and the engine's own keys
  std::uint64_t seed = 1;
  RunLimits limits;
  const Conditions* conditions = nullptr;  // faults and neighbours, where there are any
  std::int64_t most_spans = 0;             // > 0: record, see sim/results/recording.h
};

// Fills verdict, time, bandwidths, bound, traffic, bottleneck, breakdown, waiting, fingerprint;
// leaves the names (name, group) to the caller.
using Play = CaseOutcome (*)(const Case&, RunControl&);

[[nodiscard]] const Catalog<Play>& engines();

// Packet-hops that the packet level will simulate when nothing is lost, acknowledgements apart; for
// limits and cost predictions. O(sends).
[[nodiscard]] std::uint64_t expected_packet_hops(const Case&);
// What `engine` counts as progress: packet-hops, or transfers where there are no packets.
[[nodiscard]] std::uint64_t expected_work(const std::string& engine, const Case&);

// What an engine leaves out, one sentence each, for the Outcome.
[[nodiscard]] const std::vector<std::string>& limits_of(const std::string& engine);

}  // namespace sim
