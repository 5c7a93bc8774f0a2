// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/collectives.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "collectives/composed.h"
#include "collectives/flat.h"
#include "collectives/given.h"
#include "collectives/whole_group.h"
#include "sim/base/check.h"

namespace collectives {
namespace {

using Entry = sim::Catalog<Algorithm>::Entry;

// Turns "it needs a power of two of ranks" into a failure that names the job and who can serve it.
sim::Failure refuse(std::string_view name, const Job& job, const std::string& obstacle) {
  sim::Failure failure;
  failure.what =
      fmt::format("{} cannot serve {} over {} rank{}: {}", name, sim::name_of(job.collective),
                  job.ranks, job.ranks == 1 ? "" : "s", obstacle);
  const std::vector<std::string> can = able(job);
  failure.hint = !can.empty() ? fmt::format("use {}", fmt::join(can, " or "))
                 : job.collective == sim::Collective::kProgram
                     ? fmt::format("use a GOAL file of {} ranks, NAME.goal", job.ranks)
                     : "no algorithm can serve it";
  return failure;
}

// The functions of one flat algorithm as plain pointers.
template <const Flat& flat>
Entry whole_group() {
  Algorithm algorithm;
  algorithm.obstacle = [](const Job& job) { return flat_obstacle(flat, job); };
  algorithm.refusal = [](const Job& job) -> std::optional<sim::Failure> {
    const auto obstacle = flat_obstacle(flat, job);
    return obstacle ? std::optional(refuse(flat.name, job, *obstacle)) : std::nullopt;
  };
  algorithm.layout = [](const Job& job) { return flat_layout(flat, job); };
  algorithm.plan = [](const Job& job, const sim::Layout& layout, sim::Rank rank) {
    return plan_flat(flat, job, layout, rank);
  };
  return {std::string(flat.name), std::string(flat.summary),
          flat.keys == nullptr ? std::vector<sim::Key>() : flat.keys(), algorithm};
}

// The same for one that has no phases.
template <const WholeGroup& whole>
Entry without_phases(std::vector<sim::Key> keys = {}) {
  Algorithm algorithm;
  algorithm.obstacle = [](const Job& job) { return whole_group_obstacle(whole, job); };
  algorithm.refusal = [](const Job& job) -> std::optional<sim::Failure> {
    const auto obstacle = whole_group_obstacle(whole, job);
    return obstacle ? std::optional(refuse(whole.name, job, *obstacle)) : std::nullopt;
  };
  algorithm.layout = [](const Job& job) { return whole_group_layout(whole, job); };
  algorithm.plan = [](const Job& job, const sim::Layout& layout, sim::Rank rank) {
    return plan_whole_group(whole, job, layout, rank);
  };
  algorithm.in_network = whole.in_network;
  return {std::string(whole.name), std::string(whole.summary), std::move(keys), algorithm};
}

// `flat` in the kinds that flat algorithms serve, `whole` in the others, under the name of `flat`.
template <const Flat& flat, const WholeGroup& whole>
Entry both() {
  Entry entry = whole_group<flat>();
  entry.make.obstacle = [](const Job& job) {
    return sim::is_flat_kind(job.collective) ? flat_obstacle(flat, job)
                                             : whole_group_obstacle(whole, job);
  };
  entry.make.refusal = [](const Job& job) {
    return (sim::is_flat_kind(job.collective) ? whole_group<flat>() : without_phases<whole>())
        .make.refusal(job);
  };
  entry.make.layout = [](const Job& job) {
    return sim::is_flat_kind(job.collective) ? flat_layout(flat, job)
                                             : whole_group_layout(whole, job);
  };
  entry.make.plan = [](const Job& job, const sim::Layout& layout, sim::Rank rank) {
    return sim::is_flat_kind(job.collective) ? plan_flat(flat, job, layout, rank)
                                             : plan_whole_group(whole, job, layout, rank);
  };
  return entry;
}

// One with a plan of its own. The name is a template argument so that `refusal` can be a plain
// pointer.
template <const Composed& composed>
Entry own_plan() {
  Algorithm algorithm;
  algorithm.obstacle = composed.obstacle;
  algorithm.refusal = [](const Job& job) -> std::optional<sim::Failure> {
    const auto obstacle = composed.obstacle(job);
    return obstacle ? std::optional(refuse(composed.name, job, *obstacle)) : std::nullopt;
  };
  algorithm.layout = composed.layout;
  algorithm.plan = composed.plan;
  return {std::string(composed.name), std::string(composed.summary), composed.keys(), algorithm};
}

template <const Flat&... flats>
std::vector<Entry> whole_groups(FlatList<flats...>) {
  return {whole_group<flats>()...};
}

// The flat algorithms of flat.h, then those with a plan of their own: one line each.
std::vector<Entry> entries() {
  std::vector<Entry> all = whole_groups(FlatAlgorithms());
  all.front() = both<kDirect, kDirectWhole>();
  all.push_back(own_plan<kHierarchical>());
  all.push_back(own_plan<kTorus>());
  all.push_back(without_phases<kBinomial>());
  all.push_back(without_phases<kChain>({chunks_key()}));
  all.push_back(without_phases<kDissemination>());
  all.push_back(without_phases<kInSwitch>());
  return all;
}

}  // namespace

const sim::Catalog<Algorithm>& algorithms() {
  static const sim::Catalog<Algorithm> catalog(entries());
  return catalog;
}

std::optional<sim::Failure> refusal(const std::string& algorithm, const Job& job) {
  if (job.given != nullptr) {
    const auto obstacle = job.given->obstacle(job);
    return obstacle ? std::optional(refuse(algorithm, job, *obstacle)) : std::nullopt;
  }
  const auto* entry = algorithms().find(algorithm);
  CHECK(entry != nullptr);
  return entry->make.refusal(job);
}

sim::Result<sim::Schedule> plan(const std::string& algorithm, const Job& job) {
  if (auto failure = refusal(algorithm, job)) return *std::move(failure);
  if (job.given != nullptr) return job.given->plan(job);
  const auto* entry = algorithms().find(algorithm);
  const sim::Layout layout = entry->make.layout(job);
  std::vector<sim::RankProgram> programs;
  programs.reserve(job.ranks);
  for (sim::Rank rank = 0; rank < job.ranks; ++rank) {
    programs.push_back(entry->make.plan(job, layout, rank));
  }
  return sim::Schedule(layout, algorithm, std::move(programs));
}

std::vector<std::string> able(const Job& job) {
  std::vector<std::string> names;
  for (const auto& entry : algorithms().entries()) {
    if (!entry.make.in_network && !entry.make.obstacle(job)) names.push_back(entry.name);
  }
  return names;
}

}  // namespace collectives
