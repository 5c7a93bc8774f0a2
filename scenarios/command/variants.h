// SPDX-License-Identifier: GPL-2.0-only
// Many runs of one scenario text, each with keys of its own: loaded, played and encoded in warm
// worker processes that fork once and take one run after another. A run that crashes takes nothing
// else with it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/command/interrupts.h"
#include "scenarios/command/progress.h"
#include "scenarios/loader/scenario.h"
#include "sim/base/result.h"
#include "sim/results/outcome.h"

namespace scenarios {

struct Variants {
  std::string text;  // of the scenario file
  std::string shown_name;
  std::size_t count = 0;
  std::function<std::vector<Override>(std::size_t)> overrides;  // by number
  // By number, once each, as they finish. A failure is a fault of the input (rendered diagnostics)
  // or the death of a worker; cases that failed or stalled are in the Outcome.
  std::function<void(std::size_t, sim::Result<sim::Outcome>)> keep;
};

// True when it was interrupted: what was under way is not kept.
[[nodiscard]] bool play_variants(const Variants& variants, int jobs, Interrupts& interrupts,
                                 Progress& progress);

}  // namespace scenarios
