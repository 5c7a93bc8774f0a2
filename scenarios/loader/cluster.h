// SPDX-License-Identifier: GPL-2.0-only
// The `cluster` section -> the parameters of a run and the topology built from them. Parameters are
// the preset's, replaced by its wiring's, replaced by the scenario's overrides, for exactly the
// names that the topology, the end costs and the engine declare.
#pragma once

#include <optional>
#include <string>

#include "sim/base/diagnostic.h"
#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/fabric/outline.h"
#include "sim/fabric/routes.h"

namespace scenarios {

struct Cluster {
  std::string fabric;  // "Trn3 Gen2 UltraServer, 144 chips, wiring full"
  sim::Parameters parameters;
  sim::Topology topology;               // one domain only where there is an outline
  std::optional<sim::Outline> outline;  // of a cluster that is told by symmetry
};

// `kWhenLarge` (auto): clusters of more than kMostDrawnChips chips.
enum class Symmetry { kWhenLarge, kAlways, kNever };
inline constexpr std::int64_t kMostDrawnChips = 20'000;

// Empty after a fault was reported. Defaults that depend on the preset are written into `section`,
// so that the echo shows them. `section` has been read without faults.
[[nodiscard]] std::optional<Cluster> build_cluster(sim::Section& section, const std::string& engine,
                                                   Symmetry symmetry,
                                                   sim::Diagnostics& diagnostics);

}  // namespace scenarios
