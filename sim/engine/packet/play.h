// SPDX-License-Identifier: GPL-2.0-only
// Plays one case packet by packet and says what happened.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/engines.h"

namespace sim::packet {

[[nodiscard]] CaseOutcome play(const Case& c, RunControl& control);
[[nodiscard]] std::uint64_t expected_hops(const Case& c);
[[nodiscard]] const std::vector<std::string>& limits();

}  // namespace sim::packet
