// SPDX-License-Identifier: GPL-2.0-only
// A hardware preset in words: its parameters with ranges and sources, and what its fabric is when
// built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/loader/presets.h"
#include "scenarios/loader/scenario.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"

namespace scenarios {

// One line each: name, value, range, grade, number of its source; then the sources.
[[nodiscard]] std::string parameters_text(const std::vector<sim::Parameter>& parameters);

// The scenario of a cluster of this preset, or of a scenario file (a name that ends in .yaml).
[[nodiscard]] sim::Result<Scenario> load_fabric(const std::string& name, const std::string& wiring,
                                                std::int64_t domains);

// What a fabric is: counts, rates, distances. Beyond some hundreds of ends exact questions about
// all pairs give way to cuts and samples, and the text says so.
[[nodiscard]] std::string fabric_text(const Scenario& scenario);

// With an empty `wiring`, the preset's default. Fails on an unknown wiring or a cluster that cannot
// be.
[[nodiscard]] sim::Result<std::string> preset_text(const Preset& preset, const std::string& wiring,
                                                   std::int64_t ultraservers);

}  // namespace scenarios
