// SPDX-License-Identifier: GPL-2.0-only
// The declaration of every key of a scenario file, as data: the reader, the messages, the JSON
// Schema, `ultrasim describe` and the echo are all made from it. Model parameters
// (cluster.overrides) are declared where they are read: by topologies, end costs and engines.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/key.h"

namespace scenarios {

inline constexpr std::int64_t kMostDomains = 1'000'000;  // servers, UltraServers
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
inline constexpr std::int64_t kMostEndpoints = 8'000'000;
inline constexpr std::size_t kMostCases = 4096;
inline constexpr std::int64_t kMostSeeds = 1'000;             // runs of one case
inline constexpr std::int64_t kMostPlacedRanks = 20'000'000;  // over all cases

// The top level of a scenario file.
[[nodiscard]] const std::vector<sim::Key>& keys();

}  // namespace scenarios
