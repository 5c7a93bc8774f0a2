// SPDX-License-Identifier: GPL-2.0-only
// Scenario: one validated experiment: every field set, every number with its unit, nothing left to
// parse. The topology is built and each case placed, so that whoever holds a Scenario can run it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/collectives.h"
#include "collectives/routing.h"
#include "scenarios/loader/arrival.h"
#include "sim/base/diagnostic.h"
#include "sim/base/parameter.h"
#include "sim/engine/conditions.h"
#include "sim/engine/placement.h"
#include "sim/engine/run_control.h"
#include "sim/fabric/outline.h"
#include "sim/fabric/routes.h"

namespace scenarios {

// One collective at one size, group and algorithm.
struct CaseSpec {
  std::string name;  // "all_reduce/8_chips/64_KiB/direct": unique in the scenario
  std::string algorithm;
  collectives::Job job;
  std::string choice = {};   // why auto took it; "" when named
  std::string shown = {};    // the algorithm with those of its options that are few letters
  std::string group;         // "8 chips, sled_first"
  std::int64_t chips = 0;    // of one group
  std::uint32_t groups = 1;  // that run at once, each by itself
  sim::Placement placement;  // of all of them
  // Of an all_to_all_v, with the ranks that share a server: its job's traffic is that of the seed.
  std::shared_ptr<const collectives::Routing> routing = {};
  sim::Rank server = 0;
  std::shared_ptr<const Arrival> arrival = {};  // null: all ranks come at once
  std::int64_t seeds = 1;                       // runs, from the scenario's seed on
  std::uint32_t domains = 0;  // told by symmetry over so many; then `placement` is on one of them
};

struct Override {
  std::string path;   // "cluster.overrides.efa.bandwidth" or "fidelity"
  std::string value;  // YAML
};

// The scenario with some keys changed, as a what-if names it.
struct Variant {
  std::string name;
  std::vector<Override> overrides;
};

// A key of a sweep and the values it takes, each as YAML.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

// What a run may take; for `fidelity: auto`.
struct Budget {
  sim::Time time = sim::Time(60 * sim::kPicosecondsPerSecond);  // of CPU, one core
  sim::Bytes memory = sim::Bytes(std::int64_t{4} << 30);
};

struct Scenario {
  std::string name;
  std::string about;
  std::string fabric;    // "Trn3 Gen2 UltraServer, 144 chips, wiring full"
  std::string fidelity;  // a name in sim::engines(), or "auto": to be chosen before it is played
  Budget budget;
  std::uint64_t seed = 1;
  sim::RunLimits limits;
  std::uint64_t most_ops = 0;
  sim::Parameters parameters;  // of topology, end costs and engine
  sim::Topology topology;
  std::optional<sim::Outline> outline;  // of a cluster told by symmetry; `topology` is one domain
  std::vector<CaseSpec> cases;
  sim::Conditions conditions;        // faults and background load, on every case
  std::vector<CaseSpec> neighbours;  // jobs that share the network with every case
  std::vector<Variant> what_if;
  std::vector<Axis> sweep;      // the grid of all of them
  std::int64_t most_spans = 0;  // of a case, when the run is recorded; not from the file
  std::string echo;             // every key with its value, as YAML that loads to the same Scenario
  std::string input_hash;       // 16 hex digits, of the text and the overrides
};

struct Loaded {
  std::optional<Scenario> scenario;  // empty when there are faults
  std::string faults;                // rendered diagnostics, "" when none
};

// Reads, checks and builds. Never throws. Files that the scenario names are looked for from
// `folder` on, else from that of the file. `overrides` are applied to the tree before it is
// checked; their faults are shown as `--set path=value`.
[[nodiscard]] Loaded load_file(const std::string& path, const std::vector<Override>& overrides);
[[nodiscard]] Loaded load_text(const std::string& text, const std::string& shown_name,
                               const std::vector<Override>& overrides);

// Largest scenario file that is read.
inline constexpr std::int64_t kMostFileBytes = 1 << 20;

}  // namespace scenarios
