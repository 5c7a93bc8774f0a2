// SPDX-License-Identifier: GPL-2.0-only
// Dissemination barrier (Hensgen, Finkel & Manber 1988): in step k each rank signals the rank 2^k
// after it and waits for the one 2^k before. After ceil(log2 n) steps everybody has heard of
// everybody, for any number of ranks.
#include <bit>

#include "collectives/whole_group.h"

namespace collectives {
namespace {

std::uint32_t plan_dissemination(const Job& job, sim::Planner& planner) {
  const sim::Blocks signal{0, 1, 1, 1};
  const auto steps = static_cast<std::uint32_t>(std::bit_width(job.ranks - 1));
  for (std::uint32_t step = 0; step < steps; ++step) {
    const auto peer =
        static_cast<sim::Rank>((planner.rank() + (std::uint64_t{1} << step)) % job.ranks);
    planner.send_to_reduce(peer, signal, step);
    planner.receive_and_reduce(signal, step);
  }
  return steps;
}

}  // namespace

constinit const WholeGroup kDissemination = {
    "dissemination",
    "each rank signals the one 2^k after it in step k, log2 n steps; barrier",
    [](sim::Collective collective) { return collective == sim::Collective::kBarrier; },
    [](const Job&) -> std::uint32_t { return 1; },
    plan_dissemination,
};

}  // namespace collectives
