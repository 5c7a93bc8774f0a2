// SPDX-License-Identifier: GPL-2.0-only
// Algorithms that plan a whole group their own way, out of the phases of the flat ones: they have
// none of their own. `hierarchical`: groups of `inner` consecutive ranks, and between them the
// ranks of equal place in their group. `torus`: one dimension of a grid after another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collectives.h"

namespace collectives {

struct Composed {
  std::string_view name;
  std::string_view summary;
  std::vector<sim::Key> (*keys)() = nullptr;
  std::optional<std::string> (*obstacle)(const Job&) = nullptr;
  sim::Layout (*layout)(const Job&) = nullptr;
  sim::RankProgram (*plan)(const Job&, const sim::Layout&, sim::Rank rank) = nullptr;
};

extern const Composed kHierarchical;
extern const Composed kTorus;

}  // namespace collectives
