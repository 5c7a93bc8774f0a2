// SPDX-License-Identifier: GPL-2.0-only
// Hierarchical all-to-all-v. Without bundles from the inside out: what goes to any rank of a place
// is gathered at the rank of that place in the own group (the rail), then goes to the other groups
// as one message each, with a level between where `middle` says so. With bundles (deduplicated
// dispatch) from the outside in: one copy of a row to the rank of the own place in the other
// server, which passes it on to those that want it (DeepSeek's DeepEP, normal kernels). Direct at
// each level, one message a peer and level.
#pragma once

#include <optional>
#include <string>

#include "collectives/collectives.h"

namespace collectives {

[[nodiscard]] sim::Key middle_key();

// Of a job over at least two ranks whose inner groups divide it.
[[nodiscard]] std::optional<std::string> levels_v_obstacle(const Job& job);
[[nodiscard]] sim::RankProgram plan_levels_v(const Job& job, const sim::Layout& layout,
                                             sim::Rank rank);

}  // namespace collectives
