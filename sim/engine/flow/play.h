// SPDX-License-Identifier: GPL-2.0-only
// Plays a case with fluid transfers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/engine/engines.h"

namespace sim::flow {

// Parameters: dma.queues, efa.paths.
[[nodiscard]] const std::vector<Key>& flow_keys();

[[nodiscard]] CaseOutcome play(const Case& c, RunControl& control);

// What this level leaves out, a sentence each.
[[nodiscard]] const std::vector<std::string>& limits();

}  // namespace sim::flow
