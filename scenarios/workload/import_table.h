// SPDX-License-Identifier: GPL-2.0-only
// One table per source: its key, ours, and how values turn into ours. Shared by the importers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/workload/imports.h"

namespace workload {

// How a value of the source becomes one of ours.
enum class Turn : std::uint8_t {
  kNumber,   // as it stands
  kFlag,     // true or false; a flag without value is true
  kWord,     // looked up in `words`: "theirs=ours,..."
  kRest,     // a degree, where -1 or absence means the rest: left out
  kIgnored,  // known, and without bearing on one step
};

struct ImportRow {
  std::string_view theirs;
  std::string_view ours;  // path in a scenario
  Turn turn = Turn::kNumber;
  std::string_view words = {};
};

// Maps one key with its value ("" for none) by the rows; what has no row, or a value that does not
// turn, goes to `unmapped`.
void map_key(std::span<const ImportRow> rows, const std::string& key, const std::string& value,
             Imported& imported);

}  // namespace workload
