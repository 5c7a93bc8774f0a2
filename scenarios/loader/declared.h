// SPDX-License-Identifier: GPL-2.0-only
// Which model parameters a cluster has: declared where they are read (topologies, end costs,
// engines), gathered here. A preset gives their values; a scenario may override them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/key.h"

namespace scenarios {

inline constexpr std::size_t kMostNameLength = 64;

// Parameters that a cluster of `topology` played by `engine` reads, in a fixed order without
// repeats: the topology's, the end costs', the engine's. Both must be in their catalogs.
[[nodiscard]] std::vector<sim::Key> declared_parameters(std::string_view topology,
                                                        std::string_view engine = "packet");

// Parameters that the loader sets itself from other keys, so that nobody else may.
[[nodiscard]] bool set_by_loader(std::string_view parameter);  // endpoints_per_chip, (ultra)servers

// Names of all parameters of all topologies and engines, in a fixed order without repeats.
[[nodiscard]] std::vector<std::string> all_parameter_names();

// True for names of scenarios, presets and wirings: a-z, 0-9 and hyphens, 1 to 64 of them.
[[nodiscard]] bool is_name(std::string_view text);

[[nodiscard]] const sim::Key* find_key(const std::vector<sim::Key>& keys, std::string_view name);

// True when `entry` holds what `key` falls back to: the echo shows defaults, and must load again.
[[nodiscard]] bool is_default(const sim::Section::Entry& entry, const sim::Key& key);

}  // namespace scenarios
