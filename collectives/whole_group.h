// SPDX-License-Identifier: GPL-2.0-only
// Algorithms that serve a whole group and have no phases to compose: those of the kinds with a
// root, of barriers, and of given pairs. Kinds with a root are written for places counted from it:
// place v is rank (root + v) mod n, and place 0 the root.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/collectives.h"
#include "sim/schedule/planner.h"

namespace collectives {

struct WholeGroup {
  std::string_view name;
  std::string_view summary;
  bool (*serves)(sim::Collective collective);
  std::uint32_t (*parts)(const Job& job);                        // that the data is cut into
  std::uint32_t (*plan)(const Job& job, sim::Planner& planner);  // returns the slots used
  bool in_network = false;                                       // a switch merges
};

// Each in the file of its name.
extern const WholeGroup kBinomial;
extern const WholeGroup kChain;
extern const WholeGroup kDissemination;
extern const WholeGroup kInSwitch;
extern const WholeGroup kDirectWhole;  // what `direct` does in these kinds

[[nodiscard]] std::optional<std::string> whole_group_obstacle(const WholeGroup& algorithm,
                                                              const Job& job);
[[nodiscard]] sim::Layout whole_group_layout(const WholeGroup& algorithm, const Job& job);
[[nodiscard]] sim::RankProgram plan_whole_group(const WholeGroup& algorithm, const Job& job,
                                                const sim::Layout& layout, sim::Rank rank);

// Places of a job with a root.
[[nodiscard]] sim::Rank place_of(const Job& job, sim::Rank rank);
[[nodiscard]] sim::Rank rank_at(const Job& job, sim::Rank place);

// The parts of places first .. end-1 when part p belongs to rank p: one range of ranks, or two
// where the places pass the last rank. Calls visit(blocks, which) with which = 0 and 1.
template <class Visit>
void for_each_range(const Job& job, sim::Rank first, sim::Rank end, Visit visit) {
  const sim::Rank start = rank_at(job, first);
  const sim::Rank before_wrap = std::min(end - first, job.ranks - start);
  visit(sim::Blocks{start, before_wrap, 1, 1}, 0U);
  if (before_wrap < end - first) {
    visit(sim::Blocks{0, end - first - before_wrap, 1, 1}, 1U);
  }
}

}  // namespace collectives
