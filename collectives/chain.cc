// SPDX-License-Identifier: GPL-2.0-only
// Chain: the ranks in a row from the root, each talks to its neighbours only. Broadcast and reduce
// pass the data on in `chunks` pieces, so that all links are busy but for the first and the last:
// n - 2 + chunks steps of 1/chunks of the bytes. A rank sends one piece at a time, the next as soon
// as the one before has arrived. Gather and scatter pass the parts of the ranks behind: n - 1 steps
// of one part, the farthest part first on the way out and last on the way in.
#include "collectives/whole_group.h"

namespace collectives {
namespace {

using sim::Rank;

// This rank's place in the row and its neighbours' ranks.
struct Row {
  Rank me;
  Rank last;
  Rank nearer;   // towards the root; meaningless at the root
  Rank farther;  // meaningless at the end

  Row(const Job& job, Rank rank)
      : me(place_of(job, rank)),
        last(job.ranks - 1),
        nearer(rank_at(job, (me + job.ranks - 1) % job.ranks)),
        farther(rank_at(job, me + 1)) {}
};

sim::Blocks block(std::uint32_t index) { return {index, 1, 1, 1}; }

void broadcast(const Job& job, const Row& row, sim::Planner& planner) {
  for (std::uint32_t piece = 0; piece < job.options.chunks; ++piece) {
    if (row.me > 0) planner.receive(block(piece), piece);
    if (row.me == row.last) continue;
    planner.after_last_send();
    planner.send(row.farther, block(piece), piece, piece);
  }
}

void reduce(const Job& job, const Row& row, sim::Planner& planner) {
  for (std::uint32_t piece = 0; piece < job.options.chunks; ++piece) {
    if (row.me < row.last) planner.receive_and_reduce(block(piece), piece);
    if (row.me == 0) continue;
    planner.after_last_send();
    planner.send_to_reduce(row.nearer, block(piece), piece);
  }
}

void gather(const Job& job, const Row& row, sim::Planner& planner) {
  for (Rank place = row.me; place <= row.last; ++place) {
    const std::uint32_t part = rank_at(job, place);
    if (place > row.me) planner.receive(block(part), place);
    if (row.me == 0) continue;
    planner.after_last_send();
    planner.send(row.nearer, block(part), part, place);
  }
}

void scatter(const Job& job, const Row& row, sim::Planner& planner) {
  for (Rank place = row.last + 1; place-- > row.me;) {
    const std::uint32_t part = rank_at(job, place);
    if (row.me > 0) planner.receive(block(part), place);
    if (place == row.me) continue;
    planner.after_last_send();
    planner.send(row.farther, block(part), part, place);
  }
}

bool is_cut_by_rank(sim::Collective collective) {
  return collective == sim::Collective::kGather || collective == sim::Collective::kScatter;
}

std::uint32_t plan_chain(const Job& job, sim::Planner& planner) {
  const Row row(job, planner.rank());
  switch (job.collective) {
    case sim::Collective::kBroadcast:
      broadcast(job, row, planner);
      break;
    case sim::Collective::kReduce:
      reduce(job, row, planner);
      break;
    case sim::Collective::kGather:
      gather(job, row, planner);
      break;
    default:
      scatter(job, row, planner);
      break;
  }
  return is_cut_by_rank(job.collective) ? job.ranks : job.options.chunks;
}

}  // namespace

constinit const WholeGroup kChain = {
    "chain",
    "the ranks in a row from the root, in pipelined chunks; broadcast, reduce, gather, scatter",
    sim::has_root,
    [](const Job& job) -> std::uint32_t {
      return is_cut_by_rank(job.collective) ? job.ranks : job.options.chunks;
    },
    plan_chain,
};

}  // namespace collectives
