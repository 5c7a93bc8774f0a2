// SPDX-License-Identifier: GPL-2.0-only
// Outcome: everything a run found, as plain structs with units in the names. Equal input gives an
// equal Outcome, byte for byte once encoded; wall time, rates and memory live in RunStats, never
// here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/recording.h"

namespace sim {

enum class Verdict : std::uint8_t { kDone, kFailed, kStalled, kInterrupted };

// How the time of a case divides along its critical path. The parts add up to time_ps.
struct Breakdown {
  std::int64_t launch_ps = 0;        // starting the collective
  std::int64_t endpoint_ps = 0;      // per-transfer costs and memory access
  std::int64_t latency_ps = 0;       // wires and switches
  std::int64_t transmission_ps = 0;  // bytes over the slowest link of each path
  std::int64_t queueing_ps = 0;      // waiting for links that others use
  std::int64_t compute_ps = 0;       // reductions and copies
  std::int64_t repair_ps = 0;        // from the first loss of a packet to its last repeat
  std::int64_t late_ps = 0;          // waiting for a rank that came after the first

  bool operator==(const Breakdown&) const = default;
};

// Traffic of one link class during one case.
struct LevelUse {
  std::string name;                // link class: "rack link"
  std::int64_t links = 0;          // links of this class that carried anything
  std::int64_t payload_bytes = 0;  // over all of them
  std::int64_t busiest_ppb = 0;    // share of the time the busiest was sending
  std::string busiest;             // its name

  bool operator==(const LevelUse&) const = default;
};

struct CaseOutcome {
  std::string name;  // "all_reduce 8 chips 64 KiB direct"
  Verdict verdict = Verdict::kDone;
  std::string collective;
  std::string algorithm;
  std::string group;  // "8 chips, sled_first"
  std::int64_t ranks = 0;
  std::int64_t bytes = 0;
  std::int64_t time_ps = 0;
  std::int64_t algorithm_bandwidth = 0;  // bytes/s
  std::int64_t bus_bandwidth = 0;        // bytes/s
  std::int64_t bound_ps = 0;             // least time the links allow at raw rates
  std::string bound;                     // the cut that sets it: "rack: 128 GB/s per chip"
  std::int64_t bound_share_ppb = 0;      // bound_ps / time_ps, parts per billion
  std::int64_t transfers = 0;
  std::int64_t packets = 0;
  std::int64_t packet_hops = 0;
  std::int64_t packets_dropped = 0;
  std::int64_t packets_resent = 0;
  std::string bottleneck;  // "twin link, 97 % busy" or "endpoint cost"
  Breakdown breakdown;
  std::vector<LevelUse> levels;
  std::vector<std::string> waiting;   // of a stalled case: who waits for what
  std::string failure;                // of a failed case
  std::vector<std::string> symmetry;  // what was played once and stands for how many others
  std::string fingerprint;            // of all op times, 16 hex digits
  std::string choice;                 // why `auto` took the algorithm; "" when it was named
  // Times of the runs over several seeds, by run; the case is the one of them in the middle.
  std::vector<std::int64_t> seed_times_ps;
  std::int64_t last_arrival_ps = 0;  // the last rank came so long after the first
  Recording recording;               // only of a recorded run

  bool operator==(const CaseOutcome&) const = default;
};

struct Assumption {
  std::string name;
  std::string value;
  std::string low;
  std::string high;
  std::string grade;  // "published", "analyst", "judged", "chosen", "scenario"
  std::string source;

  bool operator==(const Assumption&) const = default;
};

struct Outcome {
  std::string scenario;
  std::string about;
  std::string fabric;    // "Trn3 Gen2 UltraServer, 144 chips, wiring full"
  std::string fidelity;  // "packet"
  Verdict verdict = Verdict::kDone;
  std::vector<CaseOutcome> cases;
  std::int64_t cases_missing = 0;    // of an interrupted run
  std::vector<std::string> missing;  // their names, in the scenario's order
  std::vector<Assumption> assumptions;
  std::vector<std::string> limits;  // what this fidelity leaves out
  std::string echo;                 // the scenario, every key with its value, as YAML
  std::string input_hash;           // of the scenario text and overrides
  std::string version;
  std::int64_t seed = 0;

  bool operator==(const Outcome&) const = default;
};

struct RunStats {
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t packet_hops = 0;
  std::int64_t worker_processes = 0;
};

// "done", "failed", "stalled", "interrupted"
[[nodiscard]] std::string_view name_of(Verdict verdict);

}  // namespace sim
