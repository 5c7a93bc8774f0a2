// SPDX-License-Identifier: GPL-2.0-only
// Plays a case by link loads: no solving, no packets.
#pragma once

#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/engine/engines.h"

namespace sim::analytic {

[[nodiscard]] const std::vector<Key>& analytic_keys();

[[nodiscard]] CaseOutcome play(const Case& c, RunControl& control);

[[nodiscard]] const std::vector<std::string>& limits();

}  // namespace sim::analytic
