// SPDX-License-Identifier: GPL-2.0-only
// Swing (De Sensi et al., NSDI 2024): as recursive halving and doubling, but step s goes 1, 1, 3,
// 5, 11, ... members to alternating sides, so that on a ring or torus peers stay near.
#include <algorithm>
#include <bit>

#include "collectives/flat.h"

namespace collectives {
namespace {

// The peer of `member` in step s: (1 - (-2)^(s+1)) / 3 members on, for odd members back.
sim::Rank peer_of(const Group& group, sim::Rank member, std::uint32_t s) {
  const std::int64_t power = std::int64_t{1} << (s + 1);
  const std::int64_t swing = (1 - (s % 2 == 0 ? -power : power)) / 3;
  const std::int64_t n = group.size;
  const std::int64_t moved = member % 2 == 0 ? member + swing : member - swing;
  return static_cast<sim::Rank>((moved % n + n) % n);
}

// The members that `member` reaches by any of the steps from s on: whose parts it is to collect.
std::vector<sim::Rank> reach(const Group& group, sim::Rank member, std::uint32_t s,
                             std::uint32_t steps) {
  std::vector<sim::Rank> members = {member};
  for (; s < steps; ++s) {
    const std::size_t before = members.size();
    for (std::size_t i = 0; i < before; ++i) members.push_back(peer_of(group, members[i], s));
  }
  std::ranges::sort(members);
  return members;
}

std::uint32_t steps_of(const Group& group) {
  return static_cast<std::uint32_t>(std::countr_zero(group.size));
}

std::uint32_t swing_reduce_scatter(const Phase& phase) {
  const Group& group = phase.group;
  std::uint32_t slot = phase.slot;
  for (std::uint32_t s = 0; s < steps_of(group); ++s) {
    const sim::Rank peer = peer_of(group, group.me, s);
    const std::vector<sim::Rank> mine = reach(group, group.me, s + 1, steps_of(group));
    std::uint32_t number = slot;
    for (const sim::Blocks& set : phase.parts.cover(reach(group, peer, s + 1, steps_of(group)))) {
      phase.planner.send_to_reduce(group.rank(peer), set, number++);
    }
    number = slot;
    for (const sim::Blocks& set : phase.parts.cover(mine)) {
      phase.planner.receive_and_reduce(set, number++);
    }
    slot += static_cast<std::uint32_t>(mine.size());
  }
  return slot;
}

std::uint32_t swing_all_gather(const Phase& phase) {
  const Group& group = phase.group;
  std::uint32_t slot = phase.slot;
  for (std::uint32_t s = steps_of(group); s-- > 0;) {
    const sim::Rank peer = peer_of(group, group.me, s);
    const std::vector<sim::Rank> mine = reach(group, group.me, s + 1, steps_of(group));
    std::uint32_t number = slot;
    for (const sim::Blocks& set : phase.parts.cover(mine)) {
      phase.planner.send(group.rank(peer), set, set.first, number++);
    }
    number = slot;
    for (const sim::Blocks& set : phase.parts.cover(reach(group, peer, s + 1, steps_of(group)))) {
      phase.planner.receive(set, number++);
    }
    slot += static_cast<std::uint32_t>(mine.size());
  }
  return slot;
}

std::uint32_t swing_all_reduce(const Phase& phase) {
  const std::uint32_t slot = swing_reduce_scatter(phase);
  return swing_all_gather({phase.planner, phase.group, phase.parts, slot});
}

}  // namespace

constinit const Flat kSwing = {
    .name = "swing",
    .summary =
        "log2 n steps to peers 1, 1, 3, 5, 11, ... away, near on rings; a power of two of ranks",
    .obstacle = [](sim::Collective, sim::Rank size) -> std::optional<std::string> {
      if (std::has_single_bit(size)) return std::nullopt;
      return "it needs a power of two of ranks";
    },
    .tensor_parts = [](sim::Rank size, const Options&) -> std::uint32_t { return size; },
    .reduce_scatter = swing_reduce_scatter,
    .all_gather = swing_all_gather,
    .all_reduce = swing_all_reduce,
};

}  // namespace collectives
