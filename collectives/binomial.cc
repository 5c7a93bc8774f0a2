// SPDX-License-Identifier: GPL-2.0-only
// Binomial tree: the parent of a place is the place without its lowest bit, so the subtree of place
// v is v .. v + lowest bit of v - 1, cut off at the last place (Thakur, Rabenseifner & Gropp 2005,
// sections 4 and 5). Away from the root a rank sends to its largest subtree first and to one at a
// time, each as soon as the one before has arrived: ceil(log2 n) steps. Towards the root the
// children come in by themselves one after another, the smallest subtree first. Gather and scatter
// move whole subtrees; one that passes the last rank goes in two messages.
#include <bit>

#include "collectives/whole_group.h"

namespace collectives {
namespace {

using sim::Rank;

constexpr std::uint32_t kMostBits = 32;

// Bits of the children of a place: child = place + 2^bit, bit < children.
std::uint32_t children_of(const Job& job, Rank place) {
  const auto all = static_cast<std::uint32_t>(std::bit_width(job.ranks - 1));
  return place == 0 ? all : static_cast<std::uint32_t>(std::countr_zero(place));
}

Rank parent_of(Rank place) { return place & (place - 1); }

// Calls visit(child place, bit), smallest subtree first.
template <class Visit>
void for_each_child(const Job& job, Rank place, Visit visit) {
  for (std::uint32_t bit = 0; bit < children_of(job, place); ++bit) {
    if (std::uint64_t{place} + (1ULL << bit) < job.ranks) visit(place + (1U << bit), bit);
  }
}

template <class Visit>
void for_each_child_backwards(const Job& job, Rank place, Visit visit) {
  for (std::uint32_t bit = children_of(job, place); bit-- > 0;) {
    if (std::uint64_t{place} + (1ULL << bit) < job.ranks) visit(place + (1U << bit), bit);
  }
}

// One past the last place of the subtree of a place.
Rank subtree_end(const Job& job, Rank place) {
  if (place == 0) return job.ranks;
  return std::min(job.ranks, place + (place & -place));
}

std::uint32_t bit_of(Rank place) { return static_cast<std::uint32_t>(std::countr_zero(place)); }

void reduce(const Job& job, sim::Planner& planner) {
  const Rank me = place_of(job, planner.rank());
  const sim::Blocks all{0, 1, 1, 1};
  for_each_child(job, me, [&](Rank, std::uint32_t bit) { planner.receive_and_reduce(all, bit); });
  if (me != 0) planner.send_to_reduce(rank_at(job, parent_of(me)), all, bit_of(me));
}

void broadcast(const Job& job, sim::Planner& planner, std::uint32_t slot) {
  const Rank me = place_of(job, planner.rank());
  const sim::Blocks all{0, 1, 1, 1};
  if (me != 0) planner.receive(all, slot);
  for_each_child_backwards(job, me, [&](Rank child, std::uint32_t) {
    planner.after_last_send();
    planner.send(rank_at(job, child), all, 0, slot);
  });
}

void gather(const Job& job, sim::Planner& planner) {
  const Rank me = place_of(job, planner.rank());
  for_each_child(job, me, [&](Rank child, std::uint32_t bit) {
    for_each_range(job, child, subtree_end(job, child), [&](sim::Blocks blocks, std::uint32_t i) {
      planner.receive(blocks, 2 * bit + i);
    });
  });
  if (me == 0) return;
  for_each_range(job, me, subtree_end(job, me), [&](sim::Blocks blocks, std::uint32_t i) {
    planner.send(rank_at(job, parent_of(me)), blocks, blocks.first, 2 * bit_of(me) + i);
  });
}

void scatter(const Job& job, sim::Planner& planner) {
  const Rank me = place_of(job, planner.rank());
  if (me != 0) {
    for_each_range(job, me, subtree_end(job, me),
                   [&](sim::Blocks blocks, std::uint32_t i) { planner.receive(blocks, i); });
  }
  for_each_child_backwards(job, me, [&](Rank child, std::uint32_t) {
    for_each_range(job, child, subtree_end(job, child), [&](sim::Blocks blocks, std::uint32_t i) {
      planner.after_last_send();
      planner.send(rank_at(job, child), blocks, blocks.first, i);
    });
  });
}

std::uint32_t plan_binomial(const Job& job, sim::Planner& planner) {
  switch (job.collective) {
    case sim::Collective::kBroadcast:
      broadcast(job, planner, 0);
      return 1;
    case sim::Collective::kReduce:
      reduce(job, planner);
      return kMostBits;
    case sim::Collective::kGather:
      gather(job, planner);
      return 2 * kMostBits;
    case sim::Collective::kScatter:
      scatter(job, planner);
      return 2;
    default:  // a barrier: everybody's signal to rank 0, then the sum to everybody
      reduce(job, planner);
      broadcast(job, planner, kMostBits);
      return kMostBits + 1;
  }
}

}  // namespace

constinit const WholeGroup kBinomial = {
    "binomial",
    "binomial tree, log2 n steps; broadcast, reduce, gather, scatter, barrier",
    [](sim::Collective collective) {
      return sim::has_root(collective) || collective == sim::Collective::kBarrier;
    },
    [](const Job& job) -> std::uint32_t {
      const bool cuts =
          job.collective == sim::Collective::kGather || job.collective == sim::Collective::kScatter;
      return cuts ? job.ranks : 1;
    },
    plan_binomial,
};

}  // namespace collectives
