// SPDX-License-Identifier: GPL-2.0-only
// Direct (Neuron's Mesh): every member sends to every other at once. The i-th peer of each member
// lies at one distance, so the i-th sends form a rotation and no member is everybody's first. The
// distances go round in golden-section strides (Knuth vol. 3, 6.4, theorem S): any few peers in a
// row are spread evenly over the group, near and far, so that links shared by neighbours in rank
// order are neither idle for a while nor asked for by all at once. All-reduce is two-step:
// reduce-scatter, then all-gather. n - 1 sends a phase, one step each, any number of ranks.
#include <numeric>

#include "collectives/flat.h"

namespace collectives {
namespace {

// The number nearest above n / golden ratio that shares no factor with n: its multiples visit all.
sim::Rank golden_stride(sim::Rank n) {
  auto stride = static_cast<sim::Rank>(static_cast<std::uint64_t>(n) * 618'034 / 1'000'000);
  if (stride == 0) stride = 1;
  while (std::gcd(stride, n) != 1) ++stride;
  return stride;
}

// Calls visit(distance) for 1 .. n-1, in the order in which a member sends.
template <class Visit>
void for_each_distance(sim::Rank n, Visit visit) {
  const std::uint64_t stride = golden_stride(n);
  for (std::uint64_t i = 1; i < n; ++i) visit(static_cast<sim::Rank>(i * stride % n));
}

// The arrival from the member `distance` before takes slot `slot + distance - 1`.
std::uint32_t direct_reduce_scatter(const Phase& phase) {
  const Group& group = phase.group;
  for_each_distance(group.size, [&](sim::Rank d) {
    const sim::Rank peer = group.after(group.me, d);
    phase.planner.send_to_reduce(group.rank(peer), phase.parts.part(peer), phase.slot + d - 1);
  });
  const sim::Blocks mine = phase.parts.part(group.me);
  for (sim::Rank d = 1; d < group.size; ++d) {
    phase.planner.receive_and_reduce(mine, phase.slot + d - 1);
  }
  return phase.slot + group.size - 1;
}

std::uint32_t direct_all_gather(const Phase& phase) {
  const Group& group = phase.group;
  const sim::Blocks mine = phase.parts.part(group.me);
  for_each_distance(group.size, [&](sim::Rank d) {
    const sim::Rank peer = group.after(group.me, d);
    phase.planner.send(group.rank(peer), mine, mine.first, phase.slot + d - 1);
  });
  for (sim::Rank d = 1; d < group.size; ++d) {
    phase.planner.receive(phase.parts.part(group.before(group.me, d)), phase.slot + d - 1);
  }
  return phase.slot + group.size - 1;
}

std::uint32_t direct_all_reduce(const Phase& phase) {
  const std::uint32_t slot = direct_reduce_scatter(phase);
  return direct_all_gather({phase.planner, phase.group, phase.parts, slot});
}

std::uint32_t direct_all_to_all(const Exchange& exchange) {
  const Group& group = exchange.group;
  const std::uint32_t mine = exchange.to.part(group.me).first;
  for_each_distance(group.size, [&](sim::Rank d) {
    const sim::Rank peer = group.after(group.me, d);
    exchange.planner.send(group.rank(peer), exchange.from.part(peer), mine, exchange.slot + d - 1);
  });
  exchange.planner.copy(exchange.to.part(group.me), exchange.from.part(group.me).first);
  for (sim::Rank d = 1; d < group.size; ++d) {
    exchange.planner.receive(exchange.to.part(group.before(group.me, d)), exchange.slot + d - 1);
  }
  return exchange.slot + group.size - 1;
}

}  // namespace

constinit const Flat kDirect = {
    "direct",
    "every rank to every other at once (Neuron's Mesh), by rotations; any number of ranks",
    [](sim::Collective, sim::Rank) { return std::optional<std::string>(); },
    [](sim::Rank size) -> std::uint32_t { return size; },
    [](sim::Rank) -> std::uint32_t { return 0; },
    direct_reduce_scatter,
    direct_all_gather,
    direct_all_reduce,
    direct_all_to_all,
};

}  // namespace collectives
