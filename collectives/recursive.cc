// SPDX-License-Identifier: GPL-2.0-only
// Recursive halving and doubling (Neuron's RDH; Thakur, Rabenseifner & Gropp 2005): log2 n steps a
// phase, each with the member whose number differs in one bit. All-reduce serves any n: with n = q
// + e, q a power of two, the even ones of the first 2e members fold into their neighbours before
// and get the result after. All-to-all is the hypercube exchange: half of all parts in each of log2
// n steps.
#include <bit>

#include "collectives/flat.h"

namespace collectives {
namespace {

// The members that take part, numbered 0 .. size-1: one of each folded pair, then the others.
struct Cube {
  sim::Rank size;
  sim::Rank folded;  // pairs
  sim::Rank me;

  explicit Cube(const Group& group)
      : size(std::bit_floor(group.size)),
        folded(group.size - size),
        me(group.me < 2 * folded ? group.me / 2 : group.me - folded) {}

  [[nodiscard]] sim::Rank member(sim::Rank corner) const {
    return corner < folded ? 2 * corner + 1 : corner + folded;
  }
  [[nodiscard]] std::uint32_t steps() const {
    return static_cast<std::uint32_t>(std::countr_zero(size));
  }
};

// After the step over `bit`, this corner holds the 2^bit parts that share its higher bits.
sim::Blocks window(const Parts& parts, sim::Rank corner, std::uint32_t bit) {
  return parts.range(corner >> bit << bit, 1U << bit);
}

std::uint32_t halve(const Phase& phase, const Cube& cube) {
  std::uint32_t slot = phase.slot;
  for (std::uint32_t bit = cube.steps(); bit-- > 0; ++slot) {
    const sim::Rank corner = cube.me ^ (1U << bit);
    const sim::Rank peer = phase.group.rank(cube.member(corner));
    phase.planner.send_to_reduce(peer, window(phase.parts, corner, bit), slot);
    phase.planner.receive_and_reduce(window(phase.parts, cube.me, bit), slot);
  }
  return slot;
}

std::uint32_t double_up(const Phase& phase, const Cube& cube) {
  std::uint32_t slot = phase.slot;
  for (std::uint32_t bit = 0; bit < cube.steps(); ++bit, ++slot) {
    const sim::Rank corner = cube.me ^ (1U << bit);
    const sim::Blocks mine = window(phase.parts, cube.me, bit);
    phase.planner.send(phase.group.rank(cube.member(corner)), mine, mine.first, slot);
    phase.planner.receive(window(phase.parts, corner, bit), slot);
  }
  return slot;
}

std::uint32_t recursive_reduce_scatter(const Phase& phase) {
  return halve(phase, Cube(phase.group));
}

std::uint32_t recursive_all_gather(const Phase& phase) {
  return double_up(phase, Cube(phase.group));
}

// All-reduce of any number of members: slot 0 folds the pairs, `run` serves those that are left
// from slot 1 on and returns the slot after its own, which brings the result.
template <class Run>
std::uint32_t folded(const Phase& phase, const sim::Blocks& all, std::uint32_t steps, Run run) {
  const Group& group = phase.group;
  const Cube cube(group);
  const std::uint32_t last = phase.slot + steps + 1;
  const bool paired = group.me < 2 * cube.folded;
  if (paired && group.me % 2 == 0) {
    phase.planner.send_to_reduce(group.rank(group.me + 1), all, phase.slot);
    phase.planner.receive(all, last);
    return last + 1;
  }
  if (paired) phase.planner.receive_and_reduce(all, phase.slot);
  run(cube, phase.slot + 1);
  if (paired) phase.planner.send(group.rank(group.me - 1), all, all.first, last);
  return last + 1;
}

std::uint32_t recursive_all_reduce(const Phase& phase) {
  const Cube cube(phase.group);
  return folded(
      phase, phase.parts.range(0, cube.size), 2 * cube.steps(),
      [&](const Cube& corners, std::uint32_t first) {
        const std::uint32_t slot = halve({phase.planner, phase.group, phase.parts, first}, corners);
        double_up({phase.planner, phase.group, phase.parts, slot}, corners);
      });
}

// All bytes in each of log2 n steps: least latency, not least traffic.
std::uint32_t doubling_all_reduce(const Phase& phase) {
  const sim::Blocks all = phase.parts.range(0, phase.count);
  return folded(phase, all, Cube(phase.group).steps(), [&](const Cube& cube, std::uint32_t first) {
    for (std::uint32_t bit = 0; bit < cube.steps(); ++bit) {
      const sim::Rank peer = cube.member(cube.me ^ (1U << bit));
      phase.planner.send_to_reduce(phase.group.rank(peer), all, first + bit);
      phase.planner.receive_and_reduce(all, first + bit);
    }
  });
}

// Before the step over a bit, that bit of a part's place says where the part goes; after it, where
// the part came from. Each step packs into a buffer of its own: what arrives and what stays.
std::uint32_t recursive_all_to_all(const Exchange& exchange) {
  const Group& group = exchange.group;
  const Cube cube(group);
  Parts from = exchange.from;
  std::uint32_t slot = exchange.slot;
  std::uint32_t scratch = exchange.scratch;
  for (std::uint32_t bit = cube.steps(); bit-- > 0; ++slot, scratch += exchange.region) {
    const Parts to = bit == 0 ? exchange.to : exchange.from.moved_to(scratch);
    const bool mine = ((group.me >> bit) & 1U) != 0;
    const sim::Blocks leave = from.with_bit(bit, !mine, cube.size);
    const sim::Blocks arrive = to.with_bit(bit, !mine, cube.size);
    const std::uint32_t there = to.with_bit(bit, mine, cube.size).first;
    exchange.planner.send(group.rank(group.me ^ (1U << bit)), leave, there, slot);
    exchange.planner.copy(to.with_bit(bit, mine, cube.size),
                          from.with_bit(bit, mine, cube.size).first);
    exchange.planner.receive(arrive, slot);
    from = to;
  }
  return slot;
}

std::optional<std::string> recursive_obstacle(sim::Collective collective, sim::Rank size) {
  if (collective == sim::Collective::kAllReduce || std::has_single_bit(size)) return std::nullopt;
  return "it needs a power of two of ranks";
}

}  // namespace

constinit const Flat kRecursive = {
    .name = "recursive",
    .summary =
        "recursive halving and doubling (RDH), log2 n steps; a power of two of ranks, or "
        "all_reduce",
    .obstacle = recursive_obstacle,
    .tensor_parts = [](sim::Rank size, const Options&) -> std::uint32_t {
      return std::bit_floor(size);
    },
    .all_to_all_scratch = [](sim::Rank size) -> std::uint32_t {
      return static_cast<std::uint32_t>(std::bit_width(size)) - 2;
    },
    .reduce_scatter = recursive_reduce_scatter,
    .all_gather = recursive_all_gather,
    .all_reduce = recursive_all_reduce,
    .all_to_all = recursive_all_to_all,
};

constinit const Flat kRecursiveDoubling = {
    .name = "recursive_doubling",
    .summary =
        "all_reduce of all bytes in each of log2 n steps: least latency; any number of ranks",
    .all_reduce = doubling_all_reduce,
};

}  // namespace collectives
