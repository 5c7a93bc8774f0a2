// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/whole_group.h"

#include <fmt/format.h>

#include <utility>

namespace collectives {
namespace {

// Every rank to the next one, where a job gives no targets of its own.
std::vector<sim::Rank> targets_of(const Job& job) {
  if (!sim::has_pairs(job.collective) || !job.targets.empty()) return job.targets;
  std::vector<sim::Rank> targets(job.ranks);
  for (sim::Rank rank = 0; rank < job.ranks; ++rank) targets[rank] = (rank + 1) % job.ranks;
  return targets;
}

// A list of targets has to fit the group and name nobody twice.
std::optional<std::string> fault_in_targets(const Job& job) {
  if (job.targets.empty()) return std::nullopt;
  if (job.targets.size() != job.ranks) {
    return fmt::format("it has {} targets for {} ranks", job.targets.size(), job.ranks);
  }
  std::vector<bool> taken(job.ranks, false);
  for (const sim::Rank target : job.targets) {
    if (target == sim::kNoRank) continue;
    if (target >= job.ranks) return fmt::format("there is no rank {} to send to", target);
    if (taken[target]) return fmt::format("two ranks send to rank {}", target);
    taken[target] = true;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> whole_group_obstacle(const WholeGroup& algorithm, const Job& job) {
  if (!algorithm.serves(job.collective) || job.collective == sim::Collective::kProgram) {
    return fmt::format("it has no {}", sim::name_of(job.collective));
  }
  if (job.ranks == 0) return "it needs a rank";
  if (sim::has_root(job.collective) && job.root >= job.ranks) {
    return fmt::format("there is no rank {} to be its root", job.root);
  }
  if (job.options.chunks == 0) return "chunks is 0, and must be at least 1";
  return fault_in_targets(job);
}

sim::Layout whole_group_layout(const WholeGroup& algorithm, const Job& job) {
  const std::uint32_t regions = sim::has_pairs(job.collective) ? 2 : 1;
  return {.collective = job.collective,
          .ranks = job.ranks,
          .sizes = sim::BlockSizes(job.bytes, algorithm.parts(job), regions),
          .root = job.root,
          .targets = targets_of(job),
          .merged_in_network = algorithm.in_network && job.ranks > 1};
}

sim::RankProgram plan_whole_group(const WholeGroup& algorithm, const Job& job,
                                  const sim::Layout& layout, sim::Rank rank) {
  sim::Planner planner(rank, layout.sizes);
  Job whole = job;
  whole.targets = layout.targets;
  if (job.ranks == 1) {  // by itself: what it sends to itself is copied
    if (!whole.targets.empty() && whole.targets[0] == 0) planner.copy({1, 1, 1, 1}, 0);
    return std::move(planner).take(0);
  }
  const std::uint32_t slots = algorithm.plan(whole, planner);
  return std::move(planner).take(slots);
}

sim::Rank place_of(const Job& job, sim::Rank rank) {
  return (rank + job.ranks - job.root) % job.ranks;
}

sim::Rank rank_at(const Job& job, sim::Rank place) {
  return static_cast<sim::Rank>((std::uint64_t{job.root} + place) % job.ranks);
}

}  // namespace collectives
