// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace scenarios {
namespace {

using sim::EndpointId;
using sim::Fabric;
using sim::Level;

std::uint32_t group_of(const Level* level, EndpointId endpoint) {
  return level == nullptr ? 0 : level->group_of[index(endpoint)];
}

// Chips in the order of their first endpoints, without those that faults cut off.
Chips all_chips(const Fabric& fabric) {
  const Level* level = fabric.level("chip");
  CHECK(level != nullptr);
  Chips chips(level->groups);
  std::vector<std::uint32_t> place_of(level->groups, std::numeric_limits<std::uint32_t>::max());
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < fabric.endpoints(); ++i) {
    if (fabric.cut_off(EndpointId{i})) continue;
    std::uint32_t& chip = place_of[level->group_of[i]];
    if (chip == std::numeric_limits<std::uint32_t>::max()) chip = seen++;
    chips[chip].push_back(EndpointId{i});
  }
  chips.resize(seen);
  return chips;
}

void by_plane(const Fabric& fabric, Chips& chips) {
  const Level* ultraserver = fabric.level("ultraserver");
  const Level* rack = fabric.level("rack");
  const Level* plane = fabric.level("plane");
  std::ranges::stable_sort(chips, {}, [&](const std::vector<EndpointId>& chip) {
    return std::tuple(group_of(ultraserver, chip[0]), group_of(rack, chip[0]),
                      group_of(plane, chip[0]));
  });
}

// Twins go where the first of them stands.
void by_twin(const Fabric& fabric, Chips& chips) {
  const Level* twin = fabric.level("twin");
  std::vector<std::size_t> first(twin->groups, chips.size());
  for (std::size_t i = 0; i < chips.size(); ++i) {
    std::size_t& place = first[group_of(twin, chips[i][0])];
    place = std::min(place, i);
  }
  std::ranges::stable_sort(chips, {}, [&](const std::vector<EndpointId>& chip) {
    return first[group_of(twin, chip[0])];
  });
}

// Lengths of the runs into which the level divides the ranks; empty when it does not: fewer than
// two, or a part that comes back.
std::vector<sim::Rank> run_lengths(const Level& level, const sim::Placement& placement) {
  const std::vector<EndpointId>& ends = placement.endpoint_of;
  std::vector<sim::Rank> lengths;
  std::set<std::uint32_t> seen;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= ends.size(); ++i) {
    if (i < ends.size() && group_of(&level, ends[i]) == group_of(&level, ends[start])) continue;
    lengths.push_back(static_cast<sim::Rank>(i - start));
    if (!seen.insert(group_of(&level, ends[start])).second) return {};
    start = i;
  }
  return lengths.size() < 2 ? std::vector<sim::Rank>() : lengths;
}

}  // namespace

sim::Result<Chips> chips_in_order(const Fabric& fabric, const std::string& span) {
  Chips chips = all_chips(fabric);
  if (span == "sled_first") return chips;
  const char* level = span == "plane_first" ? "plane" : "twin";
  if (fabric.level(level) == nullptr) {
    return sim::Failure{fmt::format("span {} needs a fabric with {}s", span, level),
                        "span: sled_first"};
  }
  if (span == "plane_first") {
    by_plane(fabric, chips);
  } else {
    by_twin(fabric, chips);
  }
  return chips;
}

std::size_t Pattern::fit(std::size_t all) const {
  if (all <= first) return 0;
  const std::size_t blocks = (all - first) / (chips * stride);
  if (blocks > 0) return blocks * stride;
  // Not a whole block, but the first groups of one may be there.
  const std::size_t reach = (chips - 1) * stride;
  return all - first > reach ? std::min(all - first - reach, stride) : 0;
}

std::size_t Pattern::chip(std::size_t group, std::size_t member) const {
  return first + group / stride * chips * stride + group % stride + member * stride;
}

sim::Placement place(const Fabric& fabric, const Chips& chips, std::size_t count) {
  CHECK(count <= chips.size());
  sim::Placement placement;
  for (std::size_t i = 0; i < count; ++i) {
    placement.endpoint_of.insert(placement.endpoint_of.end(), chips[i].begin(), chips[i].end());
  }
  const auto slow = [&](EndpointId end) { return fabric.pace(end) != sim::kRatioOne; };
  if (std::ranges::any_of(placement.endpoint_of, slow)) {
    for (const EndpointId end : placement.endpoint_of) placement.pace.push_back(fabric.pace(end));
  }
  return placement;
}

sim::Placement one_group(const sim::Placement& placement, sim::Rank ranks, std::size_t group) {
  const auto of = [&](const auto& all) {
    if (all.empty()) return all;
    const auto start = all.begin() + static_cast<std::ptrdiff_t>(group * ranks);
    return std::decay_t<decltype(all)>(start, start + ranks);
  };
  return {of(placement.endpoint_of), of(placement.pace), of(placement.arrival)};
}

std::vector<sim::Rank> inner_groups(const Fabric& fabric, const sim::Placement& placement) {
  for (const char* name : {"ultraserver", "server", "layer", "rack", "sled"}) {
    const Level* level = fabric.level(name);
    if (level == nullptr) continue;
    std::vector<sim::Rank> lengths = run_lengths(*level, placement);
    const auto odd = [&](sim::Rank ranks) { return ranks < 2 || ranks != lengths.front(); };
    if (!lengths.empty() && std::ranges::none_of(lengths, odd)) return lengths;
  }
  return {};
}

}  // namespace scenarios
