// SPDX-License-Identifier: GPL-2.0-only
// Plays numbered cases, one after another here or several at once in worker processes. What comes
// out does not depend on how many: outcomes are kept by case number and cross a pipe as
// sim::encode_case. A worker that dies takes only its case with it. Interrupting keeps what is
// finished.
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
#include "sim/engine/run_control.h"
#include "sim/results/outcome.h"

namespace scenarios {

struct Work {
  std::vector<std::uint64_t> weights;  // by case: larger ones start first
  // Plays one case; puts its packet-hops into the last argument as soon as they are known.
  std::function<sim::CaseOutcome(std::size_t, sim::RunControl&, std::atomic<std::uint64_t>&)> play;
  std::function<sim::CaseOutcome(std::size_t, std::string)> failed;  // case, why
};

struct Played {
  std::vector<std::optional<sim::CaseOutcome>> cases;  // empty: not finished when interrupted
  bool interrupted = false;
};

// In this process, in the order given.
[[nodiscard]] Played play_here(const Work& work, Interrupts& interrupts, Progress& progress);
// In `jobs` processes, largest case first.
[[nodiscard]] Played play_in_workers(const Work& work, std::size_t jobs, Interrupts& interrupts,
                                     Progress& progress);

}  // namespace scenarios
