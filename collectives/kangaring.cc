// SPDX-License-Identifier: GPL-2.0-only
// KangaRing (AWS Neuron, intra-node collectives): pairs of ranks, a primary and a secondary (2p and
// 2p + 1, the ranks of a chip), on two Hamiltonian cycles over the pairs, primaries one way round
// and secondaries the other. An all-gather hop writes to both ranks of the next pair (one read, two
// writes); a reduce-scatter hop merges what the other rank of the pair has sent over. n/2 steps.
#include "collectives/flat.h"

namespace collectives {
namespace {

struct Pairs {
  sim::Rank pairs;
  sim::Rank mine;   // my pair
  sim::Rank role;   // 0: primary, 1: secondary
  sim::Rank other;  // the other role

  explicit Pairs(const Group& group)
      : pairs(group.size / 2), mine(group.me / 2), role(group.me % 2), other(1 - role) {}

  // The pair `hops` down the cycle of a role, or up it.
  [[nodiscard]] sim::Rank down(sim::Rank hops, sim::Rank of_role) const {
    return of_role == 0 ? (mine + hops) % pairs : (mine + pairs - hops % pairs) % pairs;
  }
  [[nodiscard]] sim::Rank up(sim::Rank hops, sim::Rank of_role) const {
    return down(hops, 1 - of_role);
  }
  [[nodiscard]] static sim::Rank member(sim::Rank pair, sim::Rank of_role) {
    return 2 * pair + of_role;
  }
};

// Slots: 0 the partner's part, then of each hop the own cycle's part and the other cycle's.
std::uint32_t kanga_all_gather(const Phase& phase) {
  const Group& group = phase.group;
  const Pairs at(group);
  const auto slot = [&](sim::Rank hop, bool own) { return phase.slot + 2 * hop - (own ? 1 : 0); };
  const sim::Blocks mine = phase.parts.part(group.me);
  const sim::Rank partner = Pairs::member(at.mine, at.other);
  phase.planner.send(group.rank(partner), mine, mine.first, phase.slot);
  phase.planner.receive(phase.parts.part(partner), phase.slot);
  for (sim::Rank hop = 1; hop < at.pairs; ++hop) {
    const sim::Rank next = at.down(1, at.role);
    const sim::Rank source = Pairs::member(at.up(hop - 1, at.role), at.role);
    const sim::Blocks part = phase.parts.part(source);
    for (const bool own : {true, false}) {
      const sim::Rank to = Pairs::member(next, own ? at.role : at.other);
      phase.planner.send(group.rank(to), part, part.first, slot(hop, own));
    }
    for (const bool own : {true, false}) {
      const sim::Rank role = own ? at.role : at.other;
      phase.planner.receive(phase.parts.part(Pairs::member(at.up(hop, role), role)),
                            slot(hop, own));
    }
  }
  return phase.slot + 2 * at.pairs - 1;
}

// Slots: one for each pair, what the partner has for my role's part of it; then one a hop.
std::uint32_t kanga_reduce_scatter(const Phase& phase) {
  const Group& group = phase.group;
  const Pairs at(group);
  const sim::Rank partner = Pairs::member(at.mine, at.other);
  // In the order in which the chains need them: first the part that starts its way here.
  for (sim::Rank i = 1; i <= at.pairs; ++i) {
    const sim::Rank theirs = at.down(i, at.other);
    phase.planner.send_to_reduce(group.rank(partner),
                                 phase.parts.part(Pairs::member(theirs, at.other)),
                                 phase.slot + theirs);
  }
  for (sim::Rank hop = 1; hop <= at.pairs; ++hop) {
    const sim::Rank pair = at.down(hop, at.role);  // whose part leaves with this hop
    const sim::Blocks part = phase.parts.part(Pairs::member(pair, at.role));
    phase.planner.receive_and_reduce(part, phase.slot + pair);
    if (hop > 1) phase.planner.receive_and_reduce(part, phase.slot + at.pairs + hop - 2);
    if (hop == at.pairs) break;
    const sim::Rank to = Pairs::member(at.up(1, at.role), at.role);
    phase.planner.send_to_reduce(group.rank(to), part, phase.slot + at.pairs + hop - 1);
  }
  return phase.slot + 2 * at.pairs - 1;
}

std::uint32_t kanga_all_reduce(const Phase& phase) {
  const std::uint32_t slot = kanga_reduce_scatter(phase);
  return kanga_all_gather({phase.planner, phase.group, phase.parts, slot});
}

}  // namespace

constinit const Flat kKangaRing = {
    .name = "kangaring",
    .summary =
        "Neuron's KangaRing: pairs of ranks on two opposite rings, n/2 steps; an even number",
    .obstacle = [](sim::Collective, sim::Rank size) -> std::optional<std::string> {
      if (size % 2 == 0) return std::nullopt;
      return "it needs an even number of ranks";
    },
    .tensor_parts = [](sim::Rank size, const Options&) -> std::uint32_t { return size; },
    .reduce_scatter = kanga_reduce_scatter,
    .all_gather = kanga_all_gather,
    .all_reduce = kanga_all_reduce,
};

}  // namespace collectives
