// SPDX-License-Identifier: GPL-2.0-only
// Ring: every member sends only to the next one. Reduce-scatter and all-gather take n - 1 steps of
// one part; member r ends the reduce-scatter owning part r (Patarasuk & Yuan 2009). All-to-all
// stores and forwards: n(n-1)/2 parts sent by each rank instead of n - 1, and a copy in and out of
// scratch.
#include <algorithm>
#include <limits>
#include <numeric>

#include "collectives/flat.h"

namespace collectives {
namespace {

// One of several rings over the same members, each with its share of every part: it goes on by
// `hop` members at a time, which has no factor in common with their number.
struct Ring {
  const Phase& phase;
  std::uint32_t channels;
  std::uint32_t channel;
  sim::Rank hop;

  [[nodiscard]] sim::Rank behind(sim::Rank steps) const {
    const auto places = static_cast<sim::Rank>(std::uint64_t{steps} * hop % phase.group.size);
    return phase.group.before(phase.group.me, places);
  }
  [[nodiscard]] sim::Blocks part(sim::Rank member) const {
    return phase.parts.part(member * channels + channel);
  }
  [[nodiscard]] sim::Rank next() const {
    return phase.group.rank(phase.group.after(phase.group.me, hop));
  }

  void reduce_scatter(std::uint32_t slot) const {
    for (sim::Rank step = 1; step < phase.group.size; ++step, ++slot) {
      phase.planner.send_to_reduce(next(), part(behind(step)), slot);
      phase.planner.receive_and_reduce(part(behind(step + 1)), slot);
    }
  }
  void all_gather(std::uint32_t slot) const {
    for (sim::Rank step = 1; step < phase.group.size; ++step, ++slot) {
      const sim::Blocks sent = part(behind(step - 1));
      phase.planner.send(next(), sent, sent.first, slot);
      phase.planner.receive(part(behind(step)), slot);
    }
  }
};

// 1 and n - 1, then the next numbers without a common factor with n, each with its way back; from
// the first on again when there are no more.
sim::Rank hop_of(std::uint32_t channel, sim::Rank n) {
  std::vector<sim::Rank> hops;
  for (sim::Rank hop = 1; hop <= n / 2 && hops.size() <= channel; ++hop) {
    if (std::gcd(hop, n) != 1) continue;
    hops.push_back(hop);
    if (n - hop != hop) hops.push_back(n - hop);
  }
  return hops[channel % hops.size()];
}

// Calls run(ring, first slot) for each channel.
template <class Run>
std::uint32_t over_channels(const Phase& phase, Run run) {
  const std::uint32_t channels = std::max(phase.count / phase.group.size, 1U);
  std::uint32_t slot = phase.slot;
  for (std::uint32_t c = 0; c < channels; ++c, slot += phase.group.size - 1) {
    run(Ring{phase, channels, c, hop_of(c, phase.group.size)}, slot);
  }
  return slot;
}

std::uint32_t ring_reduce_scatter(const Phase& phase) {
  return over_channels(phase,
                       [](const Ring& ring, std::uint32_t slot) { ring.reduce_scatter(slot); });
}

std::uint32_t ring_all_gather(const Phase& phase) {
  return over_channels(phase, [](const Ring& ring, std::uint32_t slot) { ring.all_gather(slot); });
}

std::uint32_t ring_all_reduce(const Phase& phase) {
  const std::uint32_t slot = ring_reduce_scatter(phase);
  return ring_all_gather({phase.planner, phase.group, phase.parts, slot, phase.count});
}

// Both ways round at once: half of the parts come from each side, so half the steps. Forward means
// from the member before to the member after.
struct BothWays {
  const Group& group;
  sim::Rank forward;   // steps
  sim::Rank backward;  // steps
  sim::Rank next;
  sim::Rank previous;

  explicit BothWays(const Group& g)
      : group(g),
        forward(g.size / 2),
        backward(g.size - 1 - forward),
        next(g.rank(g.after(g.me, 1))),
        previous(g.rank(g.before(g.me, 1))) {}
};

std::uint32_t bidirectional_all_gather(const Phase& phase) {
  const Group& group = phase.group;
  const BothWays ways(group);
  for (sim::Rank step = 1; step <= ways.forward; ++step) {
    const sim::Blocks sent = phase.parts.part(group.before(group.me, step - 1));
    phase.planner.send(ways.next, sent, sent.first, phase.slot + step - 1);
    if (step <= ways.backward) {
      const sim::Blocks back = phase.parts.part(group.after(group.me, step - 1));
      phase.planner.send(ways.previous, back, back.first, phase.slot + ways.forward + step - 1);
    }
    phase.planner.receive(phase.parts.part(group.before(group.me, step)), phase.slot + step - 1);
    if (step <= ways.backward) {
      phase.planner.receive(phase.parts.part(group.after(group.me, step)),
                            phase.slot + ways.forward + step - 1);
    }
  }
  return phase.slot + group.size - 1;
}

// A part comes to its owner from the farthest member on each side, merged on the way.
std::uint32_t bidirectional_reduce_scatter(const Phase& phase) {
  const Group& group = phase.group;
  const BothWays ways(group);
  for (sim::Rank step = 1; step <= ways.forward; ++step) {
    const sim::Rank ahead = ways.forward - step;  // of the part that arrives
    const std::uint32_t slot = phase.slot + step - 1;
    phase.planner.send_to_reduce(ways.next, phase.parts.part(group.after(group.me, ahead + 1)),
                                 slot);
    if (step <= ways.backward) {
      const sim::Rank behind = ways.backward - step;
      phase.planner.send_to_reduce(
          ways.previous, phase.parts.part(group.before(group.me, behind + 1)), slot + ways.forward);
    }
    phase.planner.receive_and_reduce(phase.parts.part(group.after(group.me, ahead)), slot);
    if (step <= ways.backward) {
      const sim::Rank behind = ways.backward - step;
      phase.planner.receive_and_reduce(phase.parts.part(group.before(group.me, behind)),
                                       slot + ways.forward);
    }
  }
  return phase.slot + group.size - 1;
}

std::uint32_t bidirectional_all_reduce(const Phase& phase) {
  const std::uint32_t slot = bidirectional_reduce_scatter(phase);
  return bidirectional_all_gather({phase.planner, phase.group, phase.parts, slot});
}

// Lays this member's parts for members me+1, me+2, ... side by side at `bundle`.
void rotate_out(const Exchange& exchange, const Parts& bundle) {
  const sim::Rank me = exchange.group.me;
  const sim::Rank ahead = exchange.group.size - 1 - me;  // members after me, before the wrap
  if (ahead > 0) {
    exchange.planner.copy(bundle.range(0, ahead), exchange.from.part(me + 1).first);
  }
  if (me > 0) exchange.planner.copy(bundle.range(ahead, me), exchange.from.part(0).first);
}

// Step s passes on the bundle of the member s - 1 before, whose first part is for the next member.
// Each bundle has a scratch region of its own, as nothing tells a sender that one is free again.
std::uint32_t ring_all_to_all(const Exchange& exchange) {
  const Group& group = exchange.group;
  const sim::Rank next = group.rank(group.after(group.me, 1));
  sim::Planner& planner = exchange.planner;
  Parts bundle = exchange.from.moved_to(exchange.scratch);
  rotate_out(exchange, bundle);
  planner.copy(exchange.to.part(group.me), exchange.from.part(group.me).first);
  std::uint32_t sent = 0;  // parts at the head of the bundle that are home already
  for (sim::Rank step = 1; step < group.size; ++step) {
    const std::uint32_t slot = exchange.slot + step - 1;
    const Parts arriving = exchange.from.moved_to(exchange.scratch + step * exchange.region);
    const std::uint32_t count = group.size - step;
    planner.send(next, bundle.range(sent, count), arriving.zero.first, slot);
    planner.receive(arriving.range(0, count), slot);
    planner.copy(exchange.to.part(group.before(group.me, step)), arriving.part(0).first);
    bundle = arriving;
    sent = 1;
  }
  return exchange.slot + group.size - 1;
}

// The all-to-all keeps size + 2 regions of size blocks; block numbers are 32 bits.
std::optional<std::string> ring_obstacle(sim::Collective collective, sim::Rank size) {
  constexpr sim::Rank kMost = 32'768;
  if (collective != sim::Collective::kAllToAll || size <= kMost) return std::nullopt;
  return "its all-to-all serves at most 32768 ranks";
}

}  // namespace

constinit const Flat kRing = {
    .name = "ring",
    .summary =
        "each rank to the next, n - 1 steps a phase; least traffic for all-reduce; any "
        "number of ranks",
    .obstacle = ring_obstacle,
    .keys = [] { return std::vector<sim::Key>{channels_key()}; },
    .tensor_parts = [](sim::Rank size, const Options& options) -> std::uint32_t {
      return size * options.channels;
    },
    .channelled = true,
    .all_to_all_scratch = [](sim::Rank size) -> std::uint32_t { return size; },
    .reduce_scatter = ring_reduce_scatter,
    .all_gather = ring_all_gather,
    .all_reduce = ring_all_reduce,
    .all_to_all = ring_all_to_all,
};

constinit const Flat kBidirectionalRing = {
    .name = "bidirectional_ring",
    .summary = "half of the parts each way round, n/2 steps a phase; any number of ranks",
    .tensor_parts = [](sim::Rank size, const Options&) -> std::uint32_t { return size; },
    .reduce_scatter = bidirectional_reduce_scatter,
    .all_gather = bidirectional_all_gather,
    .all_reduce = bidirectional_all_reduce,
};

}  // namespace collectives
