// SPDX-License-Identifier: GPL-2.0-only
// With n = inner * outer ranks, rank g * inner + i is place i of group g. "Inside" is the group of
// a rank, "across" the ranks of its place (AWS Neuron, inter-node collectives):
//  all-reduce       inside reduce-scatter, across all-reduce, inside all-gather; slices of bytes,
//  pipelined all-gather       across, then inside; the inside part sliced by ranges of groups
//  reduce-scatter   inside, then across; sliced likewise
//  all-to-all-v     hierarchical_v.h
//  all-to-all       inside, which gathers at place i all that the group sends to any place i; then
//  across
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "collectives/composed.h"
#include "collectives/flat.h"
#include "collectives/hierarchical_v.h"
#include "sim/base/check.h"

namespace collectives {
namespace {

// The shape of a job that `hierarchical_obstacle` let through, as one rank sees it.
struct Levels {
  sim::Rank inner;
  sim::Rank outer;
  std::uint32_t slices;
  const Options& options;
  const Flat& inside_by;
  const Flat& across_by;
  Group inside;
  Group across;

  Levels(const Job& job, sim::Rank rank)
      : inner(job.options.inner),
        outer(job.ranks / inner),
        slices(job.options.slices),
        options(job.options),
        inside_by(*find_flat(job.options.inner_algorithm)),
        across_by(*find_flat(job.options.outer_algorithm)),
        inside{inner, rank % inner, rank / inner * inner, 1},
        across{outer, rank / inner, rank % inner, inner} {}
};

std::uint32_t across_parts(const Levels& levels) {
  return levels.across_by.parts(levels.outer, levels.options);
}

// Block (slice, place, part) of the tensor: the place's parts of one slice lie side by side.
std::uint32_t plan_all_reduce(const Levels& levels, sim::Planner& planner) {
  const std::uint32_t parts = across_parts(levels);
  const std::uint32_t slice_blocks = levels.inner * parts;
  constexpr std::uint32_t kStages = 3;
  std::uint32_t slot = 0;
  const auto stage = [&](std::uint32_t slice, std::uint32_t number) {
    const std::uint32_t base = slice * slice_blocks;
    const Parts places{{base, parts, parts, 1}, parts};
    if (number == 0) return levels.inside_by.reduce_scatter({planner, levels.inside, places, slot});
    if (number == 2) return levels.inside_by.all_gather({planner, levels.inside, places, slot});
    const Parts mine{{base + levels.inside.me * parts, 1, 1, 1}, 1};
    return levels.across_by.all_reduce({planner, levels.across, mine, slot, parts});
  };
  for (std::uint32_t wave = 0; wave < levels.slices + kStages - 1; ++wave) {
    for (std::uint32_t number = kStages; number-- > 0;) {
      if (number > wave || wave - number >= levels.slices) continue;
      slot = stage(wave - number, number);
    }
  }
  return slot;
}

// Calls run(places) for each range of groups: part i is block i of each group in the range.
template <class Run>
void for_each_slice(const Levels& levels, Run run) {
  const std::uint32_t slices = std::min(levels.slices, levels.outer);
  for (std::uint32_t s = 0; s < slices; ++s) {
    const auto from = static_cast<sim::Rank>(std::uint64_t{levels.outer} * s / slices);
    const auto to = static_cast<sim::Rank>(std::uint64_t{levels.outer} * (s + 1) / slices);
    run(Parts{{from * levels.inner, 1, levels.inner, to - from}, 1});
  }
}

// Part g is the block that place `me` of group g owns.
Parts groups_of_my_place(const Levels& levels) {
  return {{levels.inside.me, 1, 1, 1}, levels.inner};
}

std::uint32_t plan_all_gather(const Levels& levels, sim::Planner& planner) {
  std::uint32_t slot =
      levels.across_by.all_gather({planner, levels.across, groups_of_my_place(levels), 0});
  for_each_slice(levels, [&](const Parts& places) {
    slot = levels.inside_by.all_gather({planner, levels.inside, places, slot});
  });
  return slot;
}

std::uint32_t plan_reduce_scatter(const Levels& levels, sim::Planner& planner) {
  std::uint32_t slot = 0;
  for_each_slice(levels, [&](const Parts& places) {
    slot = levels.inside_by.reduce_scatter({planner, levels.inside, places, slot});
  });
  return levels.across_by.reduce_scatter(
      {planner, levels.across, groups_of_my_place(levels), slot});
}

// Regions: send, receive, gathered inside, then the scratch of both levels.
std::uint32_t plan_all_to_all(const Levels& levels, sim::Planner& planner) {
  const std::uint32_t n = levels.inner * levels.outer;
  const Parts places{{0, 1, levels.inner, levels.outer}, 1};
  const Parts groups{{0, levels.inner, levels.inner, 1}, levels.inner};
  const std::uint32_t gathered = 2 * n;
  const std::uint32_t inside_scratch = 3 * n;
  const std::uint32_t across_scratch =
      inside_scratch + levels.inside_by.scratch_regions(levels.inner) * n;
  const std::uint32_t slot = levels.inside_by.all_to_all(
      {planner, levels.inside, places, places.moved_to(gathered), inside_scratch, n, 0});
  return levels.across_by.all_to_all({planner, levels.across, groups.moved_to(gathered),
                                      groups.moved_to(n), across_scratch, n, slot});
}

std::uint64_t regions(const Levels& levels) {
  return std::uint64_t{3} + levels.inside_by.scratch_regions(levels.inner) +
         levels.across_by.scratch_regions(levels.outer);
}

std::uint64_t parts(const Levels& levels, const Job& job) {
  if (job.collective != sim::Collective::kAllReduce) return job.ranks;
  return std::uint64_t{levels.slices} * levels.inner * across_parts(levels);
}

// What a level does of a collective.
std::vector<sim::Collective> work_of(sim::Collective collective, bool inner) {
  if (!inner || collective != sim::Collective::kAllReduce) return {collective};
  return {sim::Collective::kReduceScatter, sim::Collective::kAllGather};
}

// What the inner and the outer algorithm each have to be able to do.
std::optional<std::string> level_obstacle(const Job& job) {
  const std::array<std::pair<const char*, const std::string*>, 2> names = {
      {{"inner", &job.options.inner_algorithm}, {"outer", &job.options.outer_algorithm}}};
  const std::array<sim::Rank, 2> sizes = {job.options.inner, job.ranks / job.options.inner};
  for (std::size_t level = 0; level < names.size(); ++level) {
    const auto& [word, name] = names[level];
    const Flat* flat = find_flat(*name);
    if (flat == nullptr) return fmt::format("there is no {}_algorithm '{}'", word, *name);
    for (const sim::Collective part : work_of(job.collective, level == 0)) {
      if (const auto obstacle = flat->cannot(part, sizes[level])) {
        return fmt::format("its {}_algorithm {} cannot serve {} over {} ranks: {}", word, *name,
                           sim::name_of(part), sizes[level], *obstacle);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> size_obstacle(const Job& job) {
  const Levels levels(job, 0);
  const std::uint64_t blocks =
      parts(levels, job) * (job.collective == sim::Collective::kAllToAll ? regions(levels) : 1);
  if (blocks <= std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return fmt::format("it would cut the data into {} blocks", blocks);
}

std::vector<sim::Key> hierarchical_keys() {
  std::vector<std::string> names;
  for (const Flat* flat : flat_algorithms()) names.emplace_back(flat->name);
  const Options defaults;
  std::vector<sim::Key> keys(3);
  keys[0].name = "inner_ranks";
  keys[0].dimension = sim::Dimension::kCount;
  keys[0].help = "consecutive ranks of an inner group; must divide the group";
  keys[0].least = 2;
  keys[0].most = 1'000'000;
  keys[1].name = "inner_algorithm";
  keys[1].help = "algorithm inside an inner group";
  keys[1].fallback = defaults.inner_algorithm;
  keys[1].choices = names;
  keys[2].name = "outer_algorithm";
  keys[2].help = "algorithm between the inner groups";
  keys[2].fallback = defaults.outer_algorithm;
  keys[2].choices = names;
  keys.push_back(middle_key());
  keys.push_back(count_key("slices",
                           "pipelined parts: while one is between the groups, the next is inside",
                           defaults.slices, 1, 64));
  return keys;
}

std::optional<std::string> hierarchical_obstacle(const Job& job) {
  const sim::Rank inner = job.options.inner;
  if (!sim::is_flat_kind(job.collective)) {
    return fmt::format("it has no {}", sim::name_of(job.collective));
  }
  if (job.ranks < 2) return "it needs at least 2 ranks";
  if (inner == 0) return "it needs inner_ranks, the size of an inner group";
  if (inner < 2 || inner >= job.ranks || job.ranks % inner != 0) {
    return fmt::format("inner_ranks is {}, and must be at least 2, less than {} and divide it",
                       inner, job.ranks);
  }
  if (job.collective == sim::Collective::kAllToAllV) return levels_v_obstacle(job);
  if (job.options.middle != 0) return "middle_ranks is only for all_to_all_v";
  if (job.options.slices == 0) return "slices is 0, and must be at least 1";
  if (auto obstacle = level_obstacle(job)) return obstacle;
  return size_obstacle(job);
}

sim::Layout hierarchical_layout(const Job& job) {
  if (job.collective == sim::Collective::kAllToAllV) return flat_layout(kDirect, job);
  const Levels levels(job, 0);
  const auto count = static_cast<std::uint32_t>(parts(levels, job));
  if (job.collective != sim::Collective::kAllToAll) {
    return {job.collective, job.ranks, sim::BlockSizes(job.bytes, count, 1)};
  }
  return {job.collective, job.ranks,
          sim::BlockSizes(padded(job.bytes, job.ranks), count,
                          static_cast<std::uint32_t>(regions(levels)))};
}

sim::RankProgram plan_hierarchical(const Job& job, const sim::Layout& layout, sim::Rank rank) {
  if (job.collective == sim::Collective::kAllToAllV) return plan_levels_v(job, layout, rank);
  const Levels levels(job, rank);
  sim::Planner planner(rank, layout.sizes);
  std::uint32_t slots = 0;
  switch (job.collective) {
    case sim::Collective::kAllGather:
      slots = plan_all_gather(levels, planner);
      break;
    case sim::Collective::kReduceScatter:
      slots = plan_reduce_scatter(levels, planner);
      break;
    case sim::Collective::kAllToAll:
      slots = plan_all_to_all(levels, planner);
      break;
    case sim::Collective::kAllReduce:
      slots = plan_all_reduce(levels, planner);
      break;
    default:
      CHECK(false && "a kind without phases");
  }
  return std::move(planner).take(slots);
}

}  // namespace

constinit const Composed kHierarchical = {
    .name = "hierarchical",
    .summary = "inside groups of consecutive ranks and between them, in pipelined slices",
    .keys = hierarchical_keys,
    .obstacle = hierarchical_obstacle,
    .layout = hierarchical_layout,
    .plan = plan_hierarchical,
};

}  // namespace collectives
