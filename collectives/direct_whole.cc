// SPDX-License-Identifier: GPL-2.0-only
// What `direct` does in the kinds that have no phases: every message goes straight to its rank, all
// at once. One step.
#include "collectives/whole_group.h"

namespace collectives {
namespace {

using sim::Rank;

// Slot of the arrival from place v (or of distance v) is v - 1.
void broadcast(const Job& job, sim::Planner& planner) {
  const sim::Blocks all{0, 1, 1, 1};
  if (planner.rank() != job.root) return planner.receive(all, 0);
  for (Rank v = 1; v < job.ranks; ++v) planner.send(rank_at(job, v), all, 0, 0);
}

void reduce(const Job& job, sim::Planner& planner) {
  const sim::Blocks all{0, 1, 1, 1};
  const Rank me = place_of(job, planner.rank());
  if (me != 0) return planner.send_to_reduce(job.root, all, me - 1);
  for (Rank v = 1; v < job.ranks; ++v) planner.receive_and_reduce(all, v - 1);
}

void gather(const Job& job, sim::Planner& planner) {
  const Rank me = place_of(job, planner.rank());
  const Rank rank = planner.rank();
  if (me != 0) return planner.send(job.root, {rank, 1, 1, 1}, rank, me - 1);
  for (Rank v = 1; v < job.ranks; ++v) planner.receive({rank_at(job, v), 1, 1, 1}, v - 1);
}

void scatter(const Job& job, sim::Planner& planner) {
  const Rank rank = planner.rank();
  if (rank != job.root) return planner.receive({rank, 1, 1, 1}, 0);
  for (Rank v = 1; v < job.ranks; ++v) {
    const Rank peer = rank_at(job, v);
    planner.send(peer, {peer, 1, 1, 1}, peer, 0);
  }
}

void barrier(const Job& job, sim::Planner& planner) {
  const sim::Blocks signal{0, 1, 1, 1};
  for (Rank d = 1; d < job.ranks; ++d) {
    planner.send_to_reduce((planner.rank() + d) % job.ranks, signal, d - 1);
  }
  for (Rank d = 1; d < job.ranks; ++d) planner.receive_and_reduce(signal, d - 1);
}

// Block 0 is what a rank sends, block 1 what it gets.
void pairs(const Job& job, sim::Planner& planner) {
  const Rank rank = planner.rank();
  const Rank target = job.targets[rank];
  if (target == rank) return planner.copy({1, 1, 1, 1}, 0);
  if (target != sim::kNoRank) planner.send(target, {0, 1, 1, 1}, 1, 0);
  planner.receive({1, 1, 1, 1}, 0);
}

std::uint32_t plan_direct(const Job& job, sim::Planner& planner) {
  switch (job.collective) {
    case sim::Collective::kBroadcast:
      broadcast(job, planner);
      return 1;
    case sim::Collective::kReduce:
      reduce(job, planner);
      return job.ranks - 1;
    case sim::Collective::kGather:
      gather(job, planner);
      return job.ranks - 1;
    case sim::Collective::kScatter:
      scatter(job, planner);
      return 1;
    case sim::Collective::kBarrier:
      barrier(job, planner);
      return job.ranks - 1;
    default:
      pairs(job, planner);
      return 1;
  }
}

}  // namespace

constinit const WholeGroup kDirectWhole = {
    "direct",
    "every message straight to its rank",
    [](sim::Collective collective) { return !sim::is_flat_kind(collective); },
    [](const Job& job) -> std::uint32_t {
      const bool cuts =
          job.collective == sim::Collective::kGather || job.collective == sim::Collective::kScatter;
      return cuts ? job.ranks : 1;
    },
    plan_direct,
};

}  // namespace collectives
