// SPDX-License-Identifier: GPL-2.0-only
// Hierarchical: groups of `inner` consecutive ranks, and between them the ranks of equal place in
// their group. Composes the phases of the flat algorithms; has none of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/collectives.h"

namespace collectives {

[[nodiscard]] std::vector<sim::Key> hierarchical_keys();
[[nodiscard]] std::optional<std::string> hierarchical_obstacle(const Job& job);
[[nodiscard]] sim::Layout hierarchical_layout(const Job& job);
[[nodiscard]] sim::RankProgram plan_hierarchical(const Job& job, const sim::Layout& layout,
                                                 sim::Rank rank);

}  // namespace collectives
