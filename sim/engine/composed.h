// SPDX-License-Identifier: GPL-2.0-only
// A job over many equal domains whose phases run one after another at every rank, each inside the
// domains or between the equal-numbered ends of all of them. Phases of one kind that start alike
// run alike, so each is played once, by the ordinary flow engine, and stands for the others: exact,
// to the picosecond, as the rates of a phase depend on nothing outside it. That phases which share
// links do not overlap is checked while it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/costs.h"
#include "sim/engine/run_control.h"
#include "sim/fabric/outline.h"
#include "sim/results/outcome.h"
#include "sim/schedule/schedule.h"

namespace sim::flow {

// Every rank sends `part` to the next around the group in each of `steps` steps; it passes on what
// came in the step before, merged with its own in the first `merged` steps.
struct Circulation {
  Rank ranks = 2;
  std::uint32_t steps = 1;
  std::uint32_t merged = 0;
  Bytes part;
};

struct ComposedPhase {
  std::string name;                    // "reduce_scatter direct"
  bool inside = true;                  // inside each domain; else between the domains, for each end
  const Schedule* schedule = nullptr;  // over the ends of a domain, or over the domains
  std::optional<Circulation> circulation{};  // instead of a schedule, between the domains
};

struct Composed {
  const Outline* outline = nullptr;
  std::uint32_t domains = 1;  // the first ones of the outline take part
  std::vector<ComposedPhase> phases;
  EndCosts costs;
  std::uint32_t queues = 1;    // most transfers that flow out of one port at once
  std::uint32_t paths = 1;     // most paths of one transfer
  std::uint64_t most_ops = 0;  // played in all; more are refused before they are played
  RunLimits limits;
};

struct ComposedTimes {
  std::string fault;  // why it could not be told; empty: it was
  RunEnd end = RunEnd::kDone;
  std::vector<Time> ready;       // by domain x end: when the rank has all it should have
  Time time;                     // when the last op ended
  std::uint64_t transfers = 0;   // that the answer stands for
  std::vector<LevelUse> levels;  // of the whole cluster
  Breakdown breakdown;
  std::vector<std::string> symmetry;  // what each phase that was played stands for
};

[[nodiscard]] ComposedTimes play_composed(const Composed& composed, RunControl& control);

}  // namespace sim::flow
