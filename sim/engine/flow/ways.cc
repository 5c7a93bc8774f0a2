// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/ways.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "sim/base/check.h"

namespace sim::flow {
namespace {

constexpr std::uint32_t kGone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostDenominator = 1U << 20U;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9E37'79B9'7F4A'7C15U;
  x = (x ^ x >> 30U) * 0xBF58'476D'1CE4'E5B9U;
  x = (x ^ x >> 27U) * 0x94D0'49BB'1331'11EBU;
  return x ^ x >> 31U;
}

}  // namespace

Bandwidth payload_rate(const Fabric& fabric, LinkId link) {
  const LinkClass& kind = fabric.kind(link);
  const Bandwidth usable = fabric.usable(link);
  if (kind.header.value == 0 || kind.payload.value == 0) return usable;
  const auto scaled = static_cast<__int128>(usable.value) * kind.payload.value;
  return Bandwidth(static_cast<std::int64_t>(scaled / (kind.payload + kind.header).value));
}

// All (pair, link, weight), and what becomes of the links.
struct FlowWays::Raw {
  std::vector<std::uint32_t> first;         // by pair, into shares; one more than pairs
  std::vector<Share> shares;                // in path order, weights over the common denominator
  std::vector<std::uint32_t> divisor;       // by link: of all its weights
  std::vector<std::uint32_t> bundle_of;     // by link
  std::vector<std::uint32_t> bundle_links;  // one link of each bundle
  std::vector<long double> capacity;        // by bundle, bytes/s per unit of weight
  std::uint64_t denominator = 1;

  void collect(const FlowWays& ways) {
    for (const EndPair& pair : ways.pairs_) {
      denominator = std::lcm(denominator, std::uint64_t{ways.paths_used(pair)});
      CHECK(denominator <= kMostDenominator);
    }
    std::unordered_map<std::uint32_t, std::size_t> place;
    std::vector<LinkId> links;
    for (const EndPair& pair : ways.pairs_) {
      first.push_back(static_cast<std::uint32_t>(shares.size()));
      const std::uint32_t paths = ways.paths_used(pair);
      const auto weight = static_cast<std::uint32_t>(denominator / paths);
      place.clear();
      for (std::uint32_t p = 0; p < paths; ++p) {
        links.clear();
        ways.append_used_path(pair, p, links);
        for (const LinkId link : links) {
          if (paths == 1) {
            shares.push_back({index(link), weight});
            continue;
          }
          const auto [known, fresh] = place.try_emplace(index(link), shares.size());
          if (fresh) {
            shares.push_back({index(link), weight});
          } else {
            shares[known->second].weight += weight;
          }
        }
      }
    }
    first.push_back(static_cast<std::uint32_t>(shares.size()));
    CHECK(shares.size() < kGone);
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t pair = 0; pair + 1 < first.size(); ++pair) {
      for (std::uint32_t i = first[pair]; i < first[pair + 1]; ++i) visit(pair, shares[i]);
    }
  }

  // Links that the same pairs load in the same proportions get one number.
  void bundle(const Fabric& fabric) {
    divisor.assign(fabric.links().size(), static_cast<std::uint32_t>(denominator));
    for_each([&](std::uint32_t, const Share& share) {
      divisor[share.link] = std::gcd(divisor[share.link], share.weight);
    });
    std::vector<std::uint64_t> print(fabric.links().size(), 0);
    for_each([&](std::uint32_t pair, const Share& share) {
      const std::uint64_t one = std::uint64_t{pair} << 32U | share.weight / divisor[share.link];
      print[share.link] += mixed(one);
    });
    bundle_of.assign(print.size(), kGone);
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for_each([&](std::uint32_t, const Share& share) {
      const std::uint32_t link = share.link;
      if (bundle_of[link] != kGone) return;
      const auto next = static_cast<std::uint32_t>(bundle_links.size());
      const auto [entry, fresh] = known.try_emplace(print[link], next);
      bundle_of[link] = entry->second;
      const long double room = static_cast<long double>(payload_rate(fabric, LinkId(link)).value) *
                               static_cast<long double>(denominator) / divisor[link];
      if (fresh) {
        bundle_links.push_back(link);
        capacity.push_back(room);
      } else if (room < capacity[entry->second]) {
        bundle_links[entry->second] = link;
        capacity[entry->second] = room;
      }
    });
  }

  // Shares by bundle, each once.
  void to_bundles() {
    std::vector<Share> kept;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint32_t> seen(bundle_links.size(), kGone);
    for (std::uint32_t pair = 0; pair + 1 < first.size(); ++pair) {
      starts.push_back(static_cast<std::uint32_t>(kept.size()));
      for (std::uint32_t i = first[pair]; i < first[pair + 1]; ++i) {
        const std::uint32_t bundle = bundle_of[shares[i].link];
        if (seen[bundle] == pair) continue;
        seen[bundle] = pair;
        kept.push_back({bundle, shares[i].weight / divisor[shares[i].link]});
      }
    }
    starts.push_back(static_cast<std::uint32_t>(kept.size()));
    shares = std::move(kept);
    first = std::move(starts);
  }

  // For each bundle: can it fill? Not if, at one place relative to it on all routes through it
  // (the link before, after, first or last), the links there let no more through than it does.
  // Links that others were dismissed for have to stay.
  std::vector<bool> dismissed() const {
    const std::size_t bundles = bundle_links.size();
    std::vector<bool> gone(bundles, false);
    std::vector<bool> needed(bundles, false);
    std::vector<std::uint32_t> at(bundles + 1, 0);
    for (const Share& share : shares) ++at[share.link + 1];
    for (std::size_t b = 0; b < bundles; ++b) at[b + 1] += at[b];
    std::vector<std::array<std::uint32_t, 2>> uses(shares.size());  // (pair, place in shares)
    std::vector<std::uint32_t> next(at.begin(), at.end() - 1);
    for (std::uint32_t pair = 0; pair + 1 < first.size(); ++pair) {
      for (std::uint32_t i = first[pair]; i < first[pair + 1]; ++i) {
        uses[next[shares[i].link]++] = {pair, i};
      }
    }
    std::vector<std::uint32_t> limits;
    for (std::uint32_t b = 0; b < bundles; ++b) {
      if (needed[b]) continue;
      for (int side = 0; side < 4 && !gone[b]; ++side) {
        gone[b] = limited(b, side, {uses.data() + at[b], at[b + 1] - at[b]}, gone, limits);
      }
      if (!gone[b]) continue;
      for (const std::uint32_t limit : limits) needed[limit] = true;
    }
    return gone;
  }

  // Whether the links on one side of `bundle` keep its load within its capacity; fills `limits`.
  bool limited(std::uint32_t bundle, int side, std::span<const std::array<std::uint32_t, 2>> uses,
               const std::vector<bool>& gone, std::vector<std::uint32_t>& limits) const {
    std::unordered_map<std::uint32_t, long double> ratio;  // of weights, the largest
    long double load = 0;
    limits.clear();
    for (const auto& [pair, place] : uses) {
      const std::uint32_t other = neighbour(side, pair, place);
      if (other == kGone || gone[shares[other].link] || shares[other].link == bundle) return false;
      const long double mine = static_cast<long double>(shares[place].weight) /
                               static_cast<long double>(shares[other].weight);
      const auto [entry, fresh] = ratio.try_emplace(shares[other].link, 0);
      if (fresh) limits.push_back(shares[other].link);
      if (mine <= entry->second) continue;
      load += (mine - entry->second) * capacity[shares[other].link];
      entry->second = mine;
      if (load > capacity[bundle] * (1 + 1e-15L)) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint32_t neighbour(int side, std::uint32_t pair, std::uint32_t place) const {
    const std::uint32_t begin = first[pair];
    const std::uint32_t end = first[pair + 1];
    if (side == 0) return begin;
    if (side == 1) return end - 1;
    if (side == 2) return place > begin ? place - 1 : kGone;
    return place + 1 < end ? place + 1 : kGone;
  }
};

FlowWays::FlowWays(const Topology& topology, std::vector<EndPair> pairs, std::uint32_t most_paths)
    : topology_(&topology), pairs_(std::move(pairs)), most_paths_(most_paths) {
  const Fabric& fabric = *topology.fabric;
  std::int64_t plain = 0;
  for (const LinkClass& kind : fabric.classes()) {
    if (kind.flow != FlowControl::kDrop) plain = std::max(plain, kind.payload.value);
  }
  if (plain > 0) plain_payload_ = plain;
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
    largest_ = std::max(largest_, payload_rate(fabric, LinkId(link)));
  }
  index_pairs(fabric.endpoints());

  Raw raw;
  raw.collect(*this);
  raw.bundle(fabric);
  raw.to_bundles();
  const std::vector<bool> gone = raw.dismissed();
  std::vector<std::uint32_t> link_of(gone.size(), kGone);
  for (std::uint32_t bundle = 0; bundle < gone.size(); ++bundle) {
    if (gone[bundle]) continue;
    const std::uint32_t link = raw.bundle_links[bundle];
    link_of[bundle] = static_cast<std::uint32_t>(rates_.size());
    // weight w of denominator D over the divisor g: w/g units of a link of rate C x D/g.
    rates_.push_back({payload_rate(fabric, LinkId(link)),
                      static_cast<std::uint32_t>(raw.denominator / raw.divisor[link]), false});
  }
  ways_.resize(pairs_.size());
  for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) {
    describe(pair);
    ways_[pair].first_share = static_cast<std::uint32_t>(shares_.size());
    for (std::uint32_t i = raw.first[pair]; i < raw.first[pair + 1]; ++i) {
      if (gone[raw.shares[i].link]) continue;
      shares_.push_back({link_of[raw.shares[i].link], raw.shares[i].weight});
      largest_weight_ = std::max(largest_weight_, raw.shares[i].weight);
    }
    ways_[pair].shares = static_cast<std::uint32_t>(shares_.size()) - ways_[pair].first_share;
    CHECK(ways_[pair].shares > 0);
  }
}

FlowWays::FlowWays(Told told)
    : pairs_(std::move(told.pairs)),
      most_paths_(1),
      ways_(std::move(told.ways)),
      shares_(std::move(told.shares)),
      rates_(std::move(told.links)),
      largest_(told.largest),
      ports_(told.ports) {
  CHECK(ways_.size() == pairs_.size());
  for (const Share& share : shares_) largest_weight_ = std::max(largest_weight_, share.weight);
  index_pairs(told.endpoints);
}

void FlowWays::index_pairs(std::uint32_t endpoints) {
  first_of_.assign(endpoints + 1, 0);
  for (const EndPair& pair : pairs_) ++first_of_[index(pair.from) + 1];
  for (std::size_t i = 1; i < first_of_.size(); ++i) first_of_[i] += first_of_[i - 1];
}

std::uint32_t FlowWays::number(EndpointId from, EndpointId to) const {
  const auto begin = pairs_.begin() + first_of_[index(from)];
  const auto end = pairs_.begin() + first_of_[index(from) + 1];
  const auto found = std::lower_bound(begin, end, EndPair{from, to});
  CHECK(found != end && found->to == to);
  return static_cast<std::uint32_t>(found - pairs_.begin());
}

std::uint32_t FlowWays::paths_used(const EndPair& pair) const {
  const std::uint32_t all = topology_->routes->path_count(pair.from, pair.to);
  return std::min(all, most_paths_);
}

// With more paths than may be used, each pair takes its own run of them, as packets do.
void FlowWays::append_used_path(const EndPair& pair, std::uint32_t path,
                                std::vector<LinkId>& links) const {
  const std::uint32_t all = topology_->routes->path_count(pair.from, pair.to);
  const std::uint32_t start =
      all <= most_paths_ ? 0 : (index(pair.from) * 31 + index(pair.to) * 17) % all;
  topology_->routes->append_path(pair.from, pair.to, (start + path) % all, links);
}

// Between nodes that store and forward a packet goes at the least rate of its links; each such
// stretch but the slowest one adds one packet's time to that of the whole transfer.
std::int64_t FlowWays::fill(const std::vector<LinkId>& path, std::int64_t payload) const {
  const Fabric& fabric = *topology_->fabric;
  std::int64_t sum = 0;
  std::int64_t slowest = 0;
  std::int64_t stretch = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Bytes packet = Bytes(payload) + fabric.kind(path[i]).header;
    stretch = std::max(stretch, transfer_time(packet, fabric.usable(path[i])).value);
    const Node& next = fabric.node(fabric.link(path[i]).to);
    if (i + 1 < path.size() && next.forwarding != Forwarding::kStoreAndForward) continue;
    sum += stretch;
    slowest = std::max(slowest, stretch);
    stretch = 0;
  }
  return sum - slowest;
}

void FlowWays::describe(std::uint32_t pair) {
  const Fabric& fabric = *topology_->fabric;
  std::vector<LinkId> path;
  append_used_path(pairs_[pair], 0, path);
  Way& way = ways_[pair];
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Link& link = fabric.link(path[i]);
    const std::int64_t payload = fabric.kind(path[i]).payload.value;
    if (payload > 0 && (way.payload == 0 || payload < way.payload)) way.payload = payload;
    way.crosses_nic = way.crosses_nic || fabric.node(link.to).kind == NodeKind::kNic;
    way.latency_ps += link.latency.value;
    if (i + 1 < path.size()) way.latency_ps += fabric.passing(path[i], path[i + 1]).value;
  }
  if (way.payload == 0) way.payload = plain_payload_;
  const auto [port, fresh] = port_of_.try_emplace(index(path.front()), ports_);
  if (fresh) ++ports_;
  way.port = port->second;
  way.port_rate = payload_rate(fabric, path.front());
  way.fill_ps = fill(path, way.payload);
}

Time FlowWays::delay_of(const Way& way, Bytes bytes) {
  std::int64_t fill_ps = way.fill_ps;
  if (bytes.value < way.payload) {
    const auto part = static_cast<__int128>(fill_ps) * bytes.value;
    fill_ps = static_cast<std::int64_t>((part + way.payload - 1) / way.payload);
  }
  return Time(way.latency_ps + fill_ps);
}

}  // namespace sim::flow
