// SPDX-License-Identifier: GPL-2.0-only
// Bruck et al. 1997: ceil(log2 n) steps for any number of members. Each part spreads over a
// binomial tree whose root is its owner; all trees are one tree, rotated. Bruck's all-gather goes
// near first (distances 1, 2, 4, ...), PAT (NCCL 2.23, parallel aggregated trees) far first, which
// keeps what crosses the slow outer links of a network small and early. Reduce-scatter runs the
// same trees backwards. All-to-all moves the parts whose place has a bit set by 2^bit, and copies.
#include <algorithm>
#include <bit>

#include "collectives/flat.h"

namespace collectives {
namespace {

// The parts whose trees use distance `d`, as offsets behind the member that receives them in an
// all-gather: node v of a tree is the member v after the root, and v - d is its parent.
std::vector<sim::Rank> offsets_near_first(sim::Rank n, sim::Rank d) {
  std::vector<sim::Rank> offsets;
  for (sim::Rank v = d; v < n && v < 2 * d; ++v) offsets.push_back(v);
  return offsets;
}

std::vector<sim::Rank> offsets_far_first(sim::Rank n, sim::Rank d) {
  std::vector<sim::Rank> offsets;
  for (sim::Rank v = d; v < n; v += 2 * d) offsets.push_back(v);
  return offsets;
}

// The parts `offsets` behind `member`, ascending.
std::vector<sim::Blocks> behind(const Phase& phase, sim::Rank member,
                                const std::vector<sim::Rank>& offsets) {
  std::vector<std::uint32_t> parts;
  for (const sim::Rank v : offsets) parts.push_back(phase.group.before(member, v));
  std::ranges::sort(parts);
  return phase.parts.cover(parts);
}

void gather_step(const Phase& phase, sim::Rank d, std::uint32_t slot,
                 const std::vector<sim::Rank>& offsets) {
  const Group& group = phase.group;
  const sim::Rank to = group.after(group.me, d);
  std::uint32_t number = slot;
  for (const sim::Blocks& set : behind(phase, to, offsets)) {
    phase.planner.send(group.rank(to), set, set.first, number++);
  }
  for (const sim::Blocks& set : behind(phase, group.me, offsets)) {
    phase.planner.receive(set, slot++);
  }
}

void reduce_step(const Phase& phase, sim::Rank d, std::uint32_t slot,
                 const std::vector<sim::Rank>& offsets) {
  const Group& group = phase.group;
  std::uint32_t number = slot;
  for (const sim::Blocks& set : behind(phase, group.me, offsets)) {
    phase.planner.send_to_reduce(group.rank(group.before(group.me, d)), set, number++);
  }
  for (const sim::Blocks& set : behind(phase, group.after(group.me, d), offsets)) {
    phase.planner.receive_and_reduce(set, slot++);
  }
}

using Offsets = std::vector<sim::Rank> (*)(sim::Rank n, sim::Rank d);
using Step = void (*)(const Phase&, sim::Rank, std::uint32_t, const std::vector<sim::Rank>&);

// A step takes as many slots as it moves parts.
std::uint32_t up(const Phase& phase, Offsets offsets_of, Step step) {
  std::uint32_t slot = phase.slot;
  for (sim::Rank d = 1; d < phase.group.size; d *= 2) {
    const std::vector<sim::Rank> offsets = offsets_of(phase.group.size, d);
    step(phase, d, slot, offsets);
    slot += static_cast<std::uint32_t>(offsets.size());
  }
  return slot;
}

std::uint32_t down(const Phase& phase, Offsets offsets_of, Step step) {
  std::uint32_t slot = phase.slot;
  for (sim::Rank d = std::bit_ceil(phase.group.size) / 2; d > 0; d /= 2) {
    const std::vector<sim::Rank> offsets = offsets_of(phase.group.size, d);
    step(phase, d, slot, offsets);
    slot += static_cast<std::uint32_t>(offsets.size());
  }
  return slot;
}

std::uint32_t bruck_all_gather(const Phase& phase) {
  return up(phase, offsets_near_first, gather_step);
}
std::uint32_t bruck_reduce_scatter(const Phase& phase) {
  return down(phase, offsets_near_first, reduce_step);
}
std::uint32_t pat_all_gather(const Phase& phase) {
  return down(phase, offsets_far_first, gather_step);
}
std::uint32_t pat_reduce_scatter(const Phase& phase) {
  return up(phase, offsets_far_first, reduce_step);
}

template <RunPhase scatter, RunPhase gather>
std::uint32_t both(const Phase& phase) {
  const std::uint32_t slot = scatter(phase);
  return gather({phase.planner, phase.group, phase.parts, slot});
}

// Place i of the working region holds the part that has i to go. A step lays what comes and what
// stays in a region of its own, as nothing tells a sender that the last one is free again.
std::uint32_t bruck_all_to_all(const Exchange& exchange) {
  const Group& group = exchange.group;
  sim::Planner& planner = exchange.planner;
  std::uint32_t region = exchange.scratch;
  Parts work = exchange.from.moved_to(region);
  std::uint32_t slot = exchange.slot;
  for (sim::Rank i = 0; i < group.size; ++i) {
    planner.copy(work.part(i), exchange.from.part(group.after(group.me, i)).first);
  }
  for (sim::Rank d = 1; d < group.size; d *= 2) {
    const Parts next = exchange.from.moved_to(region += exchange.region);
    std::vector<std::uint32_t> leave;
    std::vector<std::uint32_t> stay;
    for (sim::Rank i = 0; i < group.size; ++i) ((i & d) != 0 ? leave : stay).push_back(i);
    const std::uint32_t there = next.zero.first - work.zero.first;
    std::uint32_t number = slot;
    for (const sim::Blocks& set : work.cover(leave)) {
      planner.send(group.rank(group.after(group.me, d)), set, set.first + there, number++);
    }
    for (const sim::Blocks& set : next.cover(stay)) planner.copy(set, set.first - there);
    number = slot;
    for (const sim::Blocks& set : next.cover(leave)) planner.receive(set, number++);
    slot += static_cast<std::uint32_t>(leave.size());
    work = next;
  }
  for (sim::Rank i = 0; i < group.size; ++i) {
    planner.copy(exchange.to.part(group.before(group.me, i)), work.part(i).first);
  }
  return slot;
}

// The blocks that `member` passes on by distance d of an all-to-all-v, ascending: what has come as
// far as its bits below d say and has bit d to go. As few strided sets, the same seen from both
// ends.
std::vector<sim::Blocks> passed_on(const Group& group, sim::Rank member, sim::Rank d) {
  const sim::TrafficBlocks blocks(group.size);
  std::vector<std::uint32_t> indexes;
  for (sim::Rank i = 0; i < group.size; ++i) {
    if ((i & d) == 0) continue;
    const sim::Rank from = group.before(member, i & (d - 1));
    indexes.push_back(blocks.held(from, group.after(from, i)));
  }
  std::ranges::sort(indexes);
  return Parts{}.cover(indexes);
}

// Parts keep their names on the way, so nothing is turned at the ends: the send buffer is copied
// once, and what comes lies in its place.
std::uint32_t bruck_all_to_all_v(const Exchange& exchange) {
  const Group& group = exchange.group;
  const sim::TrafficBlocks blocks(group.size);
  const sim::Blocks all{blocks.held(group.me, 0), group.size, group.size, 1};
  exchange.planner.copy(all, blocks.owed(group.me, 0));
  std::uint32_t slot = exchange.slot;
  for (sim::Rank d = 1; d < group.size; d *= 2) {
    std::uint32_t number = slot;
    for (const sim::Blocks& set : passed_on(group, group.me, d)) {
      exchange.planner.send(group.after(group.me, d), set, set.first, number++);
    }
    for (const sim::Blocks& set : passed_on(group, group.before(group.me, d), d)) {
      exchange.planner.receive(set, slot++);
    }
    // As many slots as it may ever take, so that both ends agree on the next step's first.
    slot = exchange.slot + group.size * static_cast<std::uint32_t>(std::bit_width(d));
  }
  return slot;
}

}  // namespace

constinit const Flat kBruck = {
    .name = "bruck",
    .summary = "ceil(log2 n) steps by doubling distances; any number of ranks",
    .tensor_parts = [](sim::Rank size, const Options&) -> std::uint32_t { return size; },
    .all_to_all_scratch = [](sim::Rank size) -> std::uint32_t {
      return static_cast<std::uint32_t>(std::bit_width(size - 1)) + 1;
    },
    .reduce_scatter = bruck_reduce_scatter,
    .all_gather = bruck_all_gather,
    .all_reduce = both<bruck_reduce_scatter, bruck_all_gather>,
    .all_to_all = bruck_all_to_all,
    .all_to_all_v = bruck_all_to_all_v,
};

constinit const Flat kPat = {
    .name = "pat",
    .summary = "parallel aggregated trees, far first: ceil(log2 n) steps; any number of ranks",
    .tensor_parts = [](sim::Rank size, const Options&) -> std::uint32_t { return size; },
    .reduce_scatter = pat_reduce_scatter,
    .all_gather = pat_all_gather,
    .all_reduce = both<pat_reduce_scatter, pat_all_gather>,
};

}  // namespace collectives
