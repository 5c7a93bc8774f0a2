// SPDX-License-Identifier: GPL-2.0-only
// `fidelity: auto`: plays small instances of a scenario's cases at every level, predicts from what
// they cost what the whole would cost there, and picks the finest level that the budget allows. The
// same small instances say how far the level lies from the next finer one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/loader/scenario.h"

namespace scenarios {

struct LevelCost {
  std::string level;
  double seconds = 0;      // of CPU, all cases on one core
  double bytes = 0;        // of memory
  std::string impossible;  // why it cannot play the scenario; "": it can
};

struct Dialled {
  std::string faults;                // of the input, rendered; "": none
  std::optional<Scenario> scenario;  // at the level chosen
  std::vector<LevelCost> costs;      // finest first
  std::string failure;               // why no level was chosen
  std::vector<std::string> lines;    // what to print beside the answer
};

// Ranks of a small instance.
inline constexpr sim::Rank kSmallRanks = 16;

// The case over its first `ranks` ranks; empty when its algorithm cannot serve so few.
[[nodiscard]] std::optional<CaseSpec> smaller(const CaseSpec& spec, sim::Rank ranks);

// `scenario` is the one loaded with fidelity: auto; `file` and `overrides` load it again.
[[nodiscard]] Dialled dial(const std::string& file, const std::vector<Override>& overrides,
                           const Scenario& scenario);

}  // namespace scenarios
