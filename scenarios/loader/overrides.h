// SPDX-License-Identifier: GPL-2.0-only
// `--set path=value`: puts values into the tree of a scenario before it is checked. What was set
// carries the position of its override instead of a line of the file, so every later fault in it is
// shown as the override that caused it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/loader/scenario.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"
#include "sim/base/value.h"

namespace scenarios {

// Paths are keys joined by dots, items of a list by number from 0 ("workload.0.algorithm"). What
// follows `cluster.overrides.` is one parameter name; a parameter name alone is short for it.
// Values are YAML. `declared`: the top-level keys of the file.
void apply_overrides(const std::vector<Override>& overrides, const std::vector<sim::Key>& declared,
                     sim::Value& tree, sim::Diagnostics& diagnostics);

// All faults, those of the overrides under their own names, with one count at the end.
[[nodiscard]] std::string render_faults(const sim::Diagnostics& diagnostics,
                                        const std::string& shown_name, const std::string& text,
                                        const std::vector<Override>& overrides);

}  // namespace scenarios
