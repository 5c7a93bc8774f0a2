// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/structure.h"

#include <algorithm>
#include <functional>

#include "sim/base/check.h"

namespace sim {

namespace {

using Groups = std::vector<std::uint32_t>;

Groups groups_of_endpoints(const Fabric& fabric, const std::vector<std::uint32_t>& group_of) {
  Groups groups(fabric.nodes().size(), kNoGroup);
  for (std::uint32_t end = 0; end < fabric.endpoints(); ++end) {
    groups[index(fabric.node_of(EndpointId{end}))] = group_of[end];
  }
  return groups;
}

// The group of all neighbours that have one, if it is a single one.
std::uint32_t shared_group(const Fabric& fabric, const Groups& groups, NodeId node) {
  std::uint32_t shared = kNoGroup;
  for (const LinkId link : fabric.out_links(node)) {
    const std::uint32_t there = groups[index(fabric.link(link).to)];
    if (there == kNoGroup || there == shared) continue;
    if (shared != kNoGroup) return kNoGroup;
    shared = there;
  }
  return shared;
}

// Takes in, round by round, what touches one group only; first without NICs, then with them. After
// each round the groups are a cut.
void grow(const Fabric& fabric, Groups& groups, const std::function<void()>& after_round) {
  const auto nodes = static_cast<std::uint32_t>(groups.size());
  for (const bool nics : {false, true}) {
    for (bool grown = true; grown;) {
      grown = false;
      Groups next = groups;
      for (std::uint32_t node = 0; node < nodes; ++node) {
        const bool nic = fabric.nodes()[node].kind == NodeKind::kNic;
        if (groups[node] != kNoGroup || (nic && !nics)) continue;
        next[node] = shared_group(fabric, groups, NodeId{node});
        grown = grown || next[node] != kNoGroup;
      }
      groups = std::move(next);
      if (grown) after_round();
    }
  }
}

// By group: what leaves it, at live links' rates.
std::vector<std::int64_t> leaving(const Fabric& fabric, const Groups& groups, std::uint32_t count) {
  std::vector<std::int64_t> rates(count, 0);
  for (std::uint32_t id = 0; id < fabric.links().size(); ++id) {
    const Link& link = fabric.links()[id];
    const std::uint32_t group = groups[index(link.from)];
    if (group == kNoGroup || group == groups[index(link.to)] || fabric.dead(LinkId{id})) continue;
    rates[group] += link.bandwidth.value;
  }
  return rates;
}

std::vector<std::int64_t> least_leaving(const Fabric& fabric,
                                        const std::vector<std::uint32_t>& group_of,
                                        std::uint32_t count) {
  Groups groups = groups_of_endpoints(fabric, group_of);
  std::vector<std::int64_t> least = leaving(fabric, groups, count);
  grow(fabric, groups, [&] {
    const std::vector<std::int64_t> now = leaving(fabric, groups, count);
    for (std::uint32_t group = 0; group < count; ++group) {
      least[group] = std::min(least[group], now[group]);
    }
  });
  return least;
}

bool nests(const Level& inner, const Level& outer) {
  std::vector<std::uint32_t> around(inner.groups, kNoGroup);
  for (std::size_t end = 0; end < inner.group_of.size(); ++end) {
    std::uint32_t& group = around[inner.group_of[end]];
    if (group == kNoGroup) group = outer.group_of[end];
    if (group != outer.group_of[end]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> groups_served(const Fabric& fabric, const Level& level) {
  Groups groups = groups_of_endpoints(fabric, level.group_of);
  grow(fabric, groups, [] {});
  return groups;
}

GroupRates rates_out(const Fabric& fabric, const Level& level) {
  const std::vector<std::int64_t> rates = least_leaving(fabric, level.group_of, level.groups);
  const auto [least, most] = std::ranges::minmax(rates);
  return {Bandwidth(least), Bandwidth(most)};
}

Bandwidth bisection_by_cuts(const Fabric& fabric) {
  const Level* outermost = nullptr;
  for (const Level* level : nested_levels(fabric)) {
    if (level->groups >= 2) outermost = level;
  }
  CHECK(outermost != nullptr);
  std::vector<std::uint32_t> half_of;
  for (const std::uint32_t group : outermost->group_of) {
    half_of.push_back(group < outermost->groups / 2 ? 0 : 1);
  }
  // Links have equal ways back, so what enters the second half is what leaves it.
  const std::vector<std::int64_t> rates = least_leaving(fabric, half_of, 2);
  return Bandwidth(std::min(rates[0], rates[1]));
}

std::vector<const Level*> nested_levels(const Fabric& fabric) {
  std::vector<const Level*> nested;
  for (const Level& level : fabric.levels()) {
    if (nested.empty() || nests(*nested.back(), level)) nested.push_back(&level);
  }
  return nested;
}

std::vector<std::uint64_t> hops_from(const Topology& topology,
                                     std::span<const EndpointId> sources) {
  std::vector<std::uint64_t> pairs;
  std::vector<LinkId> links;
  for (const EndpointId from : sources) {
    for (std::uint32_t to = 0; to < topology.fabric->endpoints(); ++to) {
      if (index(from) == to || topology.routes->path_count(from, EndpointId{to}) == 0) continue;
      links.clear();
      topology.routes->append_path(from, EndpointId{to}, 0, links);
      if (links.size() >= pairs.size()) pairs.resize(links.size() + 1, 0);
      ++pairs[links.size()];
    }
  }
  return pairs;
}

}  // namespace sim
