// SPDX-License-Identifier: GPL-2.0-only
// What the studies (what-if, range, bottleneck) share: the scenario as it stands and its variants,
// played together, one run per worker at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/variation.h"
#include "scenarios/command/arguments.h"
#include "scenarios/loader/scenario.h"

namespace scenarios {

struct Study {
  sim::Outcome base;
  std::vector<analysis::Variation> variations;  // as the variants given
  bool interrupted = false;
};

// A scenario file that has been read and found good; its text is at hand for the variants.
struct StudyFile {
  std::string text;
  Scenario scenario;
};

// Empty when it has faults, which then have been printed.
[[nodiscard]] std::optional<StudyFile> read_study_file(const StudyArguments& arguments);

// Empty when the scenario as it stands cannot run or the study was interrupted; that has been
// printed then. A variant that cannot run has its fault instead of an Outcome.
[[nodiscard]] std::optional<Study> play_study(const StudyArguments& arguments,
                                              const std::string& text,
                                              const std::vector<Variant>& variants);

// `base` with those of `more` added; one that names the same key replaces it.
[[nodiscard]] std::vector<Override> joined(std::vector<Override> base,
                                           const std::vector<Override>& more);

}  // namespace scenarios
