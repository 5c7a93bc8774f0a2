// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/quantity.h"
#include "sim/fabric/inspect.h"

namespace sim {
namespace {

constexpr std::size_t kMostFlows = 64;  // parts of one level whose maximum flow is computed

using Part = std::vector<Rank>;

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
  for (Rank rank = 0; rank < placement.ranks(); ++rank) {
    by_group[level.group_of[index(placement.endpoint_of[rank])]].push_back(rank);
  }
  std::vector<Part> parts;
  for (auto& [group, part] : by_group) parts.push_back(std::move(part));
  return parts;
}

// The same where every pair owes its own bytes. Rows that go to several ranks of a server cross
// into it once: what crosses for them is the bundle where the whole server lies beyond, else at
// least the largest of the pairs.
class TrafficDuty {
 public:
  TrafficDuty(const Traffic& traffic, std::vector<std::size_t> part_of, std::size_t parts)
      : traffic_(traffic), part_of_(std::move(part_of)), out_(parts), in_(parts), beyond_(parts) {}

  std::vector<Bytes> owed() {
    const Rank size = std::max<Rank>(1, traffic_.server);  // without bundles each rank by itself
    for (Rank from = 0; from < traffic_.ranks; ++from) {
      for (Rank first = 0; first < traffic_.ranks; first += size) add(from, first, size);
    }
    std::vector<Bytes> most;
    for (std::size_t i = 0; i < out_.size(); ++i) most.emplace_back(std::max(out_[i], in_[i]));
    return most;
  }

 private:
  struct Beyond {
    Rank ranks = 0;
    std::int64_t largest = 0;
  };

  void add(Rank from, Rank first, Rank size) {
    const std::size_t home = part_of_[from];
    Beyond outside;
    for (Rank to = first; to < first + size; ++to) {
      if (part_of_[to] == home) continue;
      for (Beyond* one : {&outside, &beyond_[part_of_[to]]}) {
        ++one->ranks;
        one->largest = std::max(one->largest, traffic_.of(from, to));
      }
    }
    const auto crossing = [&](const Beyond& one) {
      const bool all = traffic_.server > 0 && one.ranks == size;
      return all ? traffic_.bundle(from, first / size) : one.largest;
    };
    out_[home] += crossing(outside);
    for (Rank to = first; to < first + size; ++to) {
      Beyond& one = beyond_[part_of_[to]];
      if (part_of_[to] != home) in_[part_of_[to]] += crossing(one);
      one = {};
    }
  }

  const Traffic& traffic_;
  std::vector<std::size_t> part_of_;  // by rank
  std::vector<std::int64_t> out_;     // by part
  std::vector<std::int64_t> in_;      // by part
  std::vector<Beyond> beyond_;        // by part, of the server at hand
};

// Bytes that each part of a group must at least let out or in.
class Duty {
 public:
  Duty(const Layout& layout, Bytes bytes) : layout_(layout), bytes_(bytes) {}

  [[nodiscard]] std::vector<Bytes> of(const std::vector<Part>& parts) const {
    if (has_pairs(layout_.collective)) return of_pairs(parts);
    if (layout_.traffic) return of_traffic(parts);
    std::vector<Bytes> owed;
    for (const Part& part : parts) owed.push_back(of_part(part));
    return owed;
  }

  // How often the tensor must leave some part, over all of them.
  [[nodiscard]] std::int64_t crossings(std::size_t parts) const {
    const auto others = static_cast<std::int64_t>(parts) - 1;
    if (layout_.merged_in_network) return 0;
    switch (layout_.collective) {
      case Collective::kAllReduce:
        return 2 * others;
      case Collective::kBroadcast:
      case Collective::kReduce:
        return others;
      default:
        return 0;
    }
  }

 private:
  [[nodiscard]] Bytes of_part(const Part& part) const {
    const auto n = static_cast<__int128>(layout_.ranks);
    const auto size = static_cast<__int128>(part.size());
    const __int128 total = bytes_.value;
    const auto as_bytes = [](__int128 bytes) { return Bytes(static_cast<std::int64_t>(bytes)); };
    switch (layout_.collective) {
      case Collective::kAllToAll:
        return as_bytes(total * size * (n - size) / n);
      case Collective::kAllGather:
      case Collective::kReduceScatter:
        return as_bytes(total * (n - size) / n);
      case Collective::kGather:
      case Collective::kScatter: {
        const bool root = std::ranges::find(part, layout_.root) != part.end();
        return as_bytes(total * (root ? n - size : size) / n);
      }
      default:
        return bytes_;
    }
  }

  [[nodiscard]] std::vector<Bytes> of_traffic(const std::vector<Part>& parts) const {
    std::vector<std::size_t> part_of(layout_.ranks);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (const Rank rank : parts[part]) part_of[rank] = part;
    }
    TrafficDuty duty(*layout_.traffic, std::move(part_of), parts.size());
    return duty.owed();
  }

  [[nodiscard]] std::vector<Bytes> of_pairs(const std::vector<Part>& parts) const {
    std::vector<std::size_t> part_of(layout_.ranks);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (const Rank rank : parts[part]) part_of[rank] = part;
    }
    std::vector<std::int64_t> out(parts.size());
    std::vector<std::int64_t> in(parts.size());
    for (Rank rank = 0; rank < layout_.ranks; ++rank) {
      const Rank target = layout_.targets[rank];
      if (target == kNoRank || part_of[target] == part_of[rank]) continue;
      ++out[part_of[rank]];
      ++in[part_of[target]];
    }
    std::vector<Bytes> owed;
    for (std::size_t i = 0; i < parts.size(); ++i) owed.push_back(bytes_ * std::max(out[i], in[i]));
    return owed;
  }

  const Layout& layout_;
  Bytes bytes_;
};

class Search {
 public:
  Search(const Topology& topology, const Layout& layout, Bytes bytes, const Placement& placement)
      : topology_(topology),
        duty_(layout, bytes),
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
    std::vector<Part> parts;
    for (Rank rank = 0; rank < placement_.ranks(); ++rank) {
      rates.push_back(around(*topology_.fabric, used_, placement_.endpoint_of[rank]));
      parts.push_back({rank});
    }
    consider("rank", parts, rates);
  }

  [[nodiscard]] std::vector<EndpointId> ends_of(const Part& part) const {
    std::vector<EndpointId> ends;
    for (const Rank rank : part) ends.push_back(placement_.endpoint_of[rank]);
    return ends;
  }

  void consider_parts(const std::string& level, const std::vector<Part>& parts) {
    std::vector<Bandwidth> rates;
    for (const Part& part : parts) {
      Part rest;
      for (const Part& other : parts) {
        if (&other != &part) rest.insert(rest.end(), other.begin(), other.end());
      }
      rates.push_back(max_flow(*topology_.fabric, ends_of(part), ends_of(rest), &used_));
    }
    consider(level, parts, rates);
  }

  void consider(const std::string& level, const std::vector<Part>& parts,
                const std::vector<Bandwidth>& rates) {
    Time longest;
    Bandwidth sum;
    const std::vector<Bytes> owed = duty_.of(parts);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      longest = std::max(longest, transfer_time(owed[i], rates[i]));
      sum += rates[i];
    }
    const std::int64_t crossings = duty_.crossings(parts.size());
    if (crossings > 0) longest = std::max(longest, transfer_time(bytes_ * crossings, sum));
    if (longest <= best_.time && !best_.name.empty()) return;
    best_.time = longest;
    const Bandwidth least = *std::min_element(rates.begin(), rates.end());
    best_.name = fmt::format("{} GB/s out of each {}",
                             to_text(least.value / 1'000'000'000, Dimension::kCount), level);
  }

  const Topology& topology_;
  Duty duty_;
  Bytes bytes_;
  const Placement& placement_;
  std::vector<bool> used_;
  Bound best_;
};

}  // namespace

Bound physical_bound(const Topology& topology, const Layout& layout, Bytes bytes,
                     const Placement& placement) {
  if (layout.collective == Collective::kProgram) return {};  // what it must move is not known
  return Search(topology, layout, bytes, placement).run();
}

Bound physical_bound(const Topology& topology, Collective collective, Bytes bytes,
                     const Placement& placement) {
  const Layout layout{collective, placement.ranks(), BlockSizes(bytes, placement.ranks(), 1)};
  return physical_bound(topology, layout, bytes, placement);
}

}  // namespace sim
