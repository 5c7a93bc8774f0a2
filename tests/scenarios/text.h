// SPDX-License-Identifier: GPL-2.0-only
// Scenario texts for tests: a small one that loads, with places to put other lines.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/loader/scenario.h"

namespace scenarios_test {

struct Lines {
  std::string cluster = "  ultraserver: trn3-gen2\n";
  std::string group = "    group: {chips: 8}\n";
  std::string rest = "    bytes: 1 MiB\n    algorithm: ring\n";
  std::string collective = "all_reduce";
};

inline std::string text_of(const Lines& lines) {
  return "scenario: test\ncluster:\n" + lines.cluster +
         "workload:\n  - collective: " + lines.collective + "\n" + lines.group + lines.rest;
}

// Loads a text that must load.
inline scenarios::Scenario load(const std::string& text,
                                const std::vector<scenarios::Override>& overrides = {}) {
  scenarios::Loaded loaded = scenarios::load_text(text, "test.yaml", overrides);
  EXPECT_EQ(loaded.faults, "");
  if (!loaded.scenario) return {};
  return std::move(*loaded.scenario);
}

inline std::string faults_of(const std::string& text,
                             const std::vector<scenarios::Override>& overrides = {}) {
  return scenarios::load_text(text, "test.yaml", overrides).faults;
}

inline std::vector<std::string> case_names(const scenarios::Scenario& scenario) {
  std::vector<std::string> names;
  for (const scenarios::CaseSpec& one : scenario.cases) names.push_back(one.name);
  return names;
}

}  // namespace scenarios_test
