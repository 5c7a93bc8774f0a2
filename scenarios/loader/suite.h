// SPDX-License-Identifier: GPL-2.0-only
// The suite of a nightly job: scenario files, each at one or several scales.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/loader/scenario.h"

namespace scenarios {

// One scenario file at one scale.
struct SuiteEntry {
  std::string name;  // "bench-ring-64-star" or "bench-ring-64-star.ends=32"
  std::string file;  // as found from the suite's folder
  std::vector<Override> overrides;
};

struct Suite {
  std::string name;
  std::vector<SuiteEntry> entries;
};

struct LoadedSuite {
  std::optional<Suite> suite;  // empty when there are faults
  std::string faults;          // rendered diagnostics, "" when none
};

// Whether the scenarios themselves load is not looked at.
[[nodiscard]] LoadedSuite load_suite(const std::string& path);

}  // namespace scenarios
