// SPDX-License-Identifier: GPL-2.0-only
// The two Hamiltonian cycles that KangaRing goes round, on a fabric whose chips are joined
// directly: pairs of ranks 2p and 2p + 1 in an order in which each pair's primary and secondary
// have links to those of the next pair, as a snake over a torus. An algorithm cannot know: it knows
// no fabric.
#pragma once

#include <vector>

#include "scenarios/loader/scenario.h"
#include "sim/engine/placement.h"
#include "sim/fabric/fabric.h"

namespace scenarios {

// Primary and secondary of each pair, pair after pair; empty when the fabric has no such cycles, or
// none was found in a bounded search: then rank order is as good as any.
[[nodiscard]] std::vector<sim::Rank> pair_cycle(const sim::Fabric& fabric,
                                                const sim::Placement& placement);

// Puts the ranks of a case that is played by KangaRing on the chips in that order, so that rank
// order goes round the cycles.
void seat_pairs(const sim::Fabric& fabric, CaseSpec& spec);

}  // namespace scenarios
