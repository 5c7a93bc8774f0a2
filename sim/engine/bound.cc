// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/base/quantity.h"
#include "sim/fabric/inspect.h"

namespace sim {
namespace {

constexpr std::size_t kMostFlows = 64;  // parts of one level whose maximum flow is computed

using Part = std::vector<EndpointId>;

// Links that any route inside the group uses.
std::vector<bool> links_used(const Topology& topology, const Placement& placement) {
  std::vector<bool> used(topology.fabric->links().size(), false);
  std::vector<LinkId> links;
  for (const EndpointId from : placement.endpoint_of) {
    for (const EndpointId to : placement.endpoint_of) {
      if (from == to) continue;
      links.clear();
      const std::uint32_t paths = topology.routes->path_count(from, to);
      for (std::uint32_t p = 0; p < paths; ++p) topology.routes->append_path(from, to, p, links);
      for (const LinkId link : links) used[index(link)] = true;
    }
  }
  return used;
}

// Rate of the links that leave (or enter) an endpoint: no flow out of it can be larger.
Bandwidth around(const Fabric& fabric, const std::vector<bool>& used, EndpointId end) {
  Bandwidth out;
  for (const LinkId link : fabric.out_links(fabric.node_of(end))) {
    if (used[index(link)]) out += fabric.link(link).bandwidth;
  }
  return out;
}

std::vector<Part> parts_of(const Level& level, const Placement& placement) {
  std::map<std::uint32_t, Part> by_group;
  for (const EndpointId end : placement.endpoint_of) {
    by_group[level.group_of[index(end)]].push_back(end);
  }
  std::vector<Part> parts;
  for (auto& [group, part] : by_group) parts.push_back(std::move(part));
  return parts;
}

class Search {
 public:
  Search(const Topology& topology, Collective collective, Bytes bytes, const Placement& placement)
      : topology_(topology),
        collective_(collective),
        bytes_(bytes),
        placement_(placement),
        used_(links_used(topology, placement)) {}

  Bound run() {
    consider_ranks();
    for (const Level& level : topology_.fabric->levels()) {
      const std::vector<Part> parts = parts_of(level, placement_);
      if (parts.size() < 2 || parts.size() == placement_.endpoint_of.size()) continue;
      if (parts.size() <= kMostFlows) consider_parts(level.name, parts);
    }
    return best_;
  }

 private:
  void consider_ranks() {
    std::vector<Bandwidth> rates;
    std::vector<Rank> sizes(placement_.ranks(), 1);
    for (const EndpointId end : placement_.endpoint_of) {
      rates.push_back(around(*topology_.fabric, used_, end));
    }
    consider("rank", sizes, rates);
  }

  void consider_parts(const std::string& level, const std::vector<Part>& parts) {
    std::vector<Bandwidth> rates;
    std::vector<Rank> sizes;
    for (const Part& part : parts) {
      Part rest;
      for (const Part& other : parts) {
        if (&other != &part) rest.insert(rest.end(), other.begin(), other.end());
      }
      rates.push_back(max_flow(*topology_.fabric, part, rest, &used_));
      sizes.push_back(static_cast<Rank>(part.size()));
    }
    consider(level, sizes, rates);
  }

  // Bytes that a part of `size` ranks must at least let out (or in).
  [[nodiscard]] Bytes owed(Rank size) const {
    const auto n = static_cast<__int128>(placement_.ranks());
    const __int128 total = bytes_.value;
    __int128 bytes = total;
    if (collective_ == Collective::kAllToAll) bytes = total * size * (n - size) / n;
    if (collective_ == Collective::kAllGather || collective_ == Collective::kReduceScatter) {
      bytes = total * (n - size) / n;
    }
    return Bytes(static_cast<std::int64_t>(bytes));
  }

  void consider(const std::string& level, const std::vector<Rank>& sizes,
                const std::vector<Bandwidth>& rates) {
    Time longest;
    Bandwidth sum;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      longest = std::max(longest, transfer_time(owed(sizes[i]), rates[i]));
      sum += rates[i];
    }
    if (collective_ == Collective::kAllReduce) {
      const auto crossings = static_cast<std::int64_t>(2 * (rates.size() - 1));
      longest = std::max(longest, transfer_time(bytes_ * crossings, sum));
    }
    if (longest <= best_.time && !best_.name.empty()) return;
    best_.time = longest;
    const Bandwidth least = *std::min_element(rates.begin(), rates.end());
    best_.name = fmt::format("{} GB/s out of each {}",
                             to_text(least.value / 1'000'000'000, Dimension::kCount), level);
  }

  const Topology& topology_;
  Collective collective_;
  Bytes bytes_;
  const Placement& placement_;
  std::vector<bool> used_;
  Bound best_;
};

}  // namespace

Bound physical_bound(const Topology& topology, Collective collective, Bytes bytes,
                     const Placement& placement) {
  return Search(topology, collective, bytes, placement).run();
}

}  // namespace sim
