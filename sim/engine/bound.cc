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

// Links that any route between ranks first .. end-1, a group, uses.
std::vector<bool> links_used(const Topology& topology, const Placement& placement, Rank first,
                             Rank end) {
  std::vector<bool> used(topology.fabric->links().size(), false);
  std::vector<LinkId> links;
  for (Rank one = first; one < end; ++one) {
    for (Rank other = first; other < end; ++other) {
      if (one == other) continue;
      const EndpointId from = placement.endpoint_of[one];
      const EndpointId to = placement.endpoint_of[other];
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

// Bytes that each part must at least let out, and in.
struct Owed {
  explicit Owed(std::size_t parts) : out(parts), in(parts) {}

  std::vector<std::int64_t> out;
  std::vector<std::int64_t> in;
};

// Of a group in which every pair owes its own bytes. Rows that go to several ranks of a server
// cross into it once: what crosses for them is the bundle where the whole server lies beyond, else
// at least the largest of the pairs.
class TrafficDuty {
 public:
  TrafficDuty(const Traffic& traffic, std::vector<std::size_t> part_of, Owed& owed)
      : traffic_(traffic), part_of_(std::move(part_of)), owed_(owed), beyond_(owed.out.size()) {}

  void add() {
    const Rank size = std::max<Rank>(1, traffic_.server);  // without bundles each rank by itself
    for (Rank from = 0; from < traffic_.ranks; ++from) {
      for (Rank first = 0; first < traffic_.ranks; first += size) add(from, first, size);
    }
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
    owed_.out[home] += crossing(outside);
    for (Rank to = first; to < first + size; ++to) {
      Beyond& one = beyond_[part_of_[to]];
      if (part_of_[to] != home) owed_.in[part_of_[to]] += crossing(one);
      one = {};
    }
  }

  const Traffic& traffic_;
  std::vector<std::size_t> part_of_;  // by rank
  Owed& owed_;
  std::vector<Beyond> beyond_;  // by part, of the server at hand
};

// Bytes that each part must at least let out or in, over all groups.
class Duty {
 public:
  Duty(const Layout& layout, Bytes bytes) : layout_(layout), bytes_(bytes) {}

  [[nodiscard]] std::vector<Bytes> of(const std::vector<Part>& parts) const {
    Owed sums(parts.size());
    for (const std::vector<std::size_t>& part_of : groups(parts)) {
      if (has_pairs(layout_.collective)) {
        add_pairs(part_of, sums);
      } else if (layout_.traffic) {
        TrafficDuty(*layout_.traffic, part_of, sums).add();
      } else {
        add_parts(part_of, sums);
      }
    }
    std::vector<Bytes> owed;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      owed.emplace_back(std::max(sums.out[i], sums.in[i]));
    }
    return owed;
  }

  // How often the tensor must leave some part, over all of them and all groups.
  [[nodiscard]] std::int64_t crossings(const std::vector<Part>& parts) const {
    std::int64_t others = 0;
    for (const std::vector<std::size_t>& part_of : groups(parts)) {
      others += static_cast<std::int64_t>(sizes(part_of).size()) - 1;
    }
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
  // By group: the part of each of its ranks.
  [[nodiscard]] std::vector<std::vector<std::size_t>> groups(const std::vector<Part>& parts) const {
    std::size_t ranks = 0;
    for (const Part& part : parts) ranks += part.size();
    std::vector<std::vector<std::size_t>> found(ranks / layout_.ranks);
    for (std::vector<std::size_t>& group : found) group.resize(layout_.ranks);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (const Rank rank : parts[part]) {
        found[rank / layout_.ranks][rank % layout_.ranks] = part;
      }
    }
    return found;
  }

  // Ranks of a group in each part that holds some.
  static std::map<std::size_t, std::int64_t> sizes(const std::vector<std::size_t>& part_of) {
    std::map<std::size_t, std::int64_t> found;
    for (const std::size_t part : part_of) ++found[part];
    return found;
  }

  void add_parts(const std::vector<std::size_t>& part_of, Owed& owed) const {
    const std::map<std::size_t, std::int64_t> touched = sizes(part_of);
    if (touched.size() < 2) return;  // nothing has to cross
    for (const auto& [part, size] : touched) add_part(part_of, part, size, owed);
  }

  void add_part(const std::vector<std::size_t>& part_of, std::size_t part, std::int64_t size,
                Owed& owed) const {
    const auto n = static_cast<__int128>(layout_.ranks);
    const __int128 total = bytes_.value;
    const auto share = [&](__int128 of) { return static_cast<std::int64_t>(total * of / n); };
    std::int64_t& out = owed.out[part];
    std::int64_t& in = owed.in[part];
    const bool root = has_root(layout_.collective) && part_of[layout_.root] == part;
    switch (layout_.collective) {
      case Collective::kAllToAll:
        out += share(static_cast<__int128>(size) * (n - size));
        in += share(static_cast<__int128>(size) * (n - size));
        break;
      case Collective::kAllGather:
        in += share(n - size);
        break;
      case Collective::kReduceScatter:
        out += share(n - size);
        break;
      case Collective::kGather:
        (root ? in : out) += share(root ? n - size : size);
        break;
      case Collective::kScatter:
        (root ? out : in) += share(root ? n - size : size);
        break;
      case Collective::kBroadcast:
        (root ? out : in) += bytes_.value;
        break;
      case Collective::kReduce:
        (root ? in : out) += bytes_.value;
        break;
      default:
        out += bytes_.value;
        in += bytes_.value;
    }
  }

  void add_pairs(const std::vector<std::size_t>& part_of, Owed& owed) const {
    for (Rank rank = 0; rank < layout_.ranks; ++rank) {
      const Rank target = layout_.targets[rank];
      if (target == kNoRank || part_of[target] == part_of[rank]) continue;
      owed.out[part_of[rank]] += bytes_.value;
      owed.in[part_of[target]] += bytes_.value;
    }
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
        used_(topology.fabric->links().size(), false) {
    for (Rank first = 0; first < placement.ranks(); first += layout.ranks) {
      add_group(first, first + layout.ranks);
    }
  }

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
  // A rank's own bytes leave over the links that its group uses, not over those that pass it.
  void add_group(Rank first, Rank end) {
    const std::vector<bool> used = links_used(topology_, placement_, first, end);
    for (std::size_t link = 0; link < used.size(); ++link) {
      if (used[link]) used_[link] = true;
    }
    for (Rank rank = first; rank < end; ++rank) {
      around_.push_back(around(*topology_.fabric, used, placement_.endpoint_of[rank]));
    }
  }

  void consider_ranks() {
    std::vector<Part> parts;
    for (Rank rank = 0; rank < placement_.ranks(); ++rank) parts.push_back({rank});
    consider("rank", parts, around_);
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
      if (owed[i].value > 0) longest = std::max(longest, transfer_time(owed[i], rates[i]));
      sum += rates[i];
    }
    const std::int64_t crossings = duty_.crossings(parts);
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
  std::vector<bool> used_;         // by any group
  std::vector<Bandwidth> around_;  // by rank
  Bound best_;
};

}  // namespace

Bound physical_bound(const Topology& topology, const Layout& layout, Bytes bytes,
                     const Placement& placement) {
  if (layout.collective == Collective::kProgram) return {};  // what it must move is not known
  if (layout.ranks == 1) return {};                          // nothing has to move
  return Search(topology, layout, bytes, placement).run();
}

Bound physical_bound(const Topology& topology, Collective collective, Bytes bytes,
                     const Placement& placement) {
  const Layout layout{collective, placement.ranks(), BlockSizes(bytes, placement.ranks(), 1)};
  return physical_bound(topology, layout, bytes, placement);
}

}  // namespace sim
