// SPDX-License-Identifier: GPL-2.0-only
// The keys `what_if` and `sweep`: which other runs a scenario asks for. Both name keys by the path
// that --set takes, so that any key can be varied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/loader/scenario.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace scenarios {

inline constexpr std::size_t kMostAxisValues = 10'000;
inline constexpr std::uint64_t kMostRuns = 1'000'000;

[[nodiscard]] sim::Key what_if_key();
[[nodiscard]] sim::Key sweep_key();

// Faults of what stands below the keys are reported; whether a path exists is seen when it is set.
[[nodiscard]] std::vector<Variant> read_what_if(const sim::Section& top,
                                                sim::Diagnostics& diagnostics);
[[nodiscard]] std::vector<Axis> read_sweep(const sim::Section& top, sim::Diagnostics& diagnostics);

// The text as a quantity of whatever dimension its unit says; empty: no number.
[[nodiscard]] std::optional<sim::Quantity> any_quantity(std::string_view text);

// Runs of the grid of `axes`: the product of their lengths; 0 without axes.
[[nodiscard]] std::uint64_t runs_of(const std::vector<Axis>& axes);

// Point `number` of the grid, last axis fastest.
[[nodiscard]] std::vector<Override> point_of(const std::vector<Axis>& axes, std::uint64_t number);

}  // namespace scenarios
