// SPDX-License-Identifier: GPL-2.0-only
// Scenario texts on the real preset, and questions to single writes between two chips of it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracles/play.h"

namespace agreement {

inline constexpr double kMicrosecond = 1e6;  // in picoseconds

struct Setting {
  std::string cluster = "  ultraserver: trn3-gen2\n";
  std::vector<std::string> overrides = {};  // "sled.bandwidth: 1 TB/s"
  std::string collective = "all_to_all";
  std::string group = "{chips: 8}";
  std::string bytes = "1 MiB";
  std::string algorithm = "direct";
  std::string hierarchy = "";  // "{slices: 1}"
};

inline std::string text_of(const Setting& setting) {
  std::string text = "scenario: agreement\ncluster:\n" + setting.cluster;
  if (!setting.overrides.empty()) text += "  overrides:\n";
  for (const std::string& line : setting.overrides) text += "    " + line + "\n";
  text += fmt::format(
      "workload:\n  - collective: {}\n    group: {}\n    bytes: {}\n    algorithm: {}\n",
      setting.collective, setting.group, setting.bytes, setting.algorithm);
  if (!setting.hierarchy.empty()) text += "    hierarchy: " + setting.hierarchy + "\n";
  return text;
}

inline sim::CaseOutcome play(const Setting& setting) { return played::play_one(text_of(setting)); }

inline Setting with(Setting setting, const std::string& override) {
  setting.overrides.push_back(override);
  return setting;
}

// Time of a case without its launch, in picoseconds.
inline std::int64_t moving(const sim::CaseOutcome& outcome) {
  return outcome.time_ps - outcome.breakdown.launch_ps;
}

// One write of `bytes` from chip to chip: rank numbers are chip numbers.
inline sim::CaseOutcome write(const scenarios::Scenario& scenario, std::uint32_t from,
                              std::uint32_t to, std::int64_t bytes) {
  return played::play_writes(scenario, {sim::EndpointId{from}, sim::EndpointId{to}},
                             sim::Bytes(bytes));
}

}  // namespace agreement
