// SPDX-License-Identifier: GPL-2.0-only
// Numbered cases played, and all cases of a scenario -> its Outcome.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/command/interrupts.h"
#include "scenarios/command/progress.h"
#include "scenarios/loader/scenario.h"
#include "sim/engine/run_control.h"
#include "sim/results/outcome.h"

namespace scenarios {

struct CaseWork {
  std::vector<std::uint64_t> weights;  // by case: larger ones start first
  // Plays one case; puts its packet-hops into the last argument as soon as they are known.
  std::function<sim::CaseOutcome(std::size_t, sim::RunControl&, std::atomic<std::uint64_t>&)> play;
  std::function<sim::CaseOutcome(std::size_t, std::string)> failed;  // case, why
};

struct Played {
  std::vector<std::optional<sim::CaseOutcome>> cases;  // empty: not finished when interrupted
  bool interrupted = false;
};

// In `jobs` processes, in this one when it is 1.
[[nodiscard]] Played play_cases(const CaseWork& cases, std::size_t jobs, Interrupts& interrupts,
                                Progress& progress);

// `cases`: by number of the scenario's; empty ones are missing from an interrupted run.
[[nodiscard]] sim::Outcome outcome_of(const Scenario& scenario,
                                      std::vector<std::optional<sim::CaseOutcome>> cases);

[[nodiscard]] sim::Outcome play_scenario(const Scenario& scenario, std::size_t jobs,
                                         Interrupts& interrupts, Progress& progress);

// `wanted` processes, or one per core when it is 0; never more than there are pieces of work.
[[nodiscard]] std::size_t jobs_for(int wanted, std::size_t pieces);

[[nodiscard]] int exit_code_of(sim::Verdict verdict);

}  // namespace scenarios
