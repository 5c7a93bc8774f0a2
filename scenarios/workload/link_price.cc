// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/link_price.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/check.h"

namespace workload {
namespace {

constexpr sim::Bytes kLong{std::numeric_limits<std::int64_t>::max()};

// Direct exchanges with more transfers than this are not tried for collectives that other
// algorithms can do: they lose to those long before, and a search would spend its time on laying
// them.
constexpr std::int64_t kMostTransfers = 40'000;

double to_double(std::int64_t value) { return static_cast<double>(value); }

// True when every group of `inner` lies inside one of `outer`.
bool nests(const sim::Level& inner, const sim::Level& outer) {
  std::vector<std::int64_t> parent(inner.groups, -1);
  for (std::size_t i = 0; i < inner.group_of.size(); ++i) {
    std::int64_t& known = parent[inner.group_of[i]];
    if (known < 0) known = outer.group_of[i];
    if (known != outer.group_of[i]) return false;
  }
  return true;
}

// Member number `i` of the group of rank `base` (whose digits on the axes are 0).
std::int64_t member(const Group& group, std::int64_t base, std::int64_t i) {
  for (const Axis& axis : group.axes) {
    base += i % axis.size * axis.stride;
    i /= axis.size;
  }
  return base;
}

std::int64_t number_of(const Group& group, std::int64_t rank) {
  std::int64_t number = 0;
  std::int64_t weight = 1;
  for (const Axis& axis : group.axes) {
    number += rank / axis.stride % axis.size * weight;
    weight *= axis.size;
  }
  return number;
}

std::int64_t base_of(const Group& group, std::int64_t rank) {
  for (const Axis& axis : group.axes) rank -= rank / axis.stride % axis.size * axis.stride;
  return rank;
}

std::int64_t extent(const Group& group) {
  std::int64_t most = 1;
  for (const Axis& axis : group.axes) most = std::max(most, axis.size * axis.stride);
  return most;
}

bool gathers(Move move) { return move == Move::kAllGather || move == Move::kAllReduce; }
bool scatters(Move move) { return move == Move::kReduceScatter || move == Move::kAllReduce; }

}  // namespace

std::string_view name_of(Move move) {
  constexpr std::array<std::string_view, 5> kNames = {"all_reduce", "all_gather", "reduce_scatter",
                                                      "all_to_all", "send"};
  return kNames[static_cast<std::size_t>(move)];
}

std::int64_t bytes_sent(Move move, std::int64_t n, std::int64_t bytes) {
  if (n <= 1) return 0;
  if (move == Move::kShift) return bytes;
  const auto factor = static_cast<__int128>(move == Move::kAllReduce ? 2 : 1) * (n - 1);
  return static_cast<std::int64_t>(factor * bytes / n);
}

LinkPrice::LinkPrice(const sim::Topology& topology, const sim::Parameters& parameters,
                     std::int64_t ranks)
    : topology_(topology), costs_(sim::end_costs(parameters)), ranks_(ranks) {
  const sim::Fabric& fabric = *topology.fabric;
  for (const sim::Level& level : fabric.levels()) {
    if (level.groups == fabric.endpoints() && level.name == "chip") continue;
    const bool inside = nested_.empty() || nests(*nested_.back(), level);
    if (inside && level.groups > 1) nested_.push_back(&level);
  }
  CHECK(nested_.size() + 1 < kMostTiers);
  for (const sim::Level* level : nested_) tiers_.push_back("inside a " + level->name);
  tiers_.push_back(nested_.empty() ? "the fabric" : "between " + nested_.back()->name + "s");
  const std::int64_t groups = nested_.empty() ? 1 : nested_.back()->groups;
  unit_ = fabric.endpoints() / groups;
  if (ranks <= std::int64_t{fabric.endpoints()}) unit_ = fabric.endpoints();
  load_.resize(fabric.links().size());
  for (std::uint32_t i = 0; i < fabric.links().size(); ++i) {
    const sim::LinkClass& kind = fabric.kind(sim::LinkId{i});
    const double payload = to_double(kind.payload.value);
    const double wire = payload > 0 ? 1 + to_double(kind.header.value) / payload : 1;
    picoseconds_.push_back(wire * 1e12 / to_double(fabric.usable(sim::LinkId{i}).value));
  }
}

std::string LinkPrice::source() const {
  return "collectives are priced by the load on links, all groups at once, cheapest of direct, "
         "ring "
         "and two levels";
}

sim::EndpointId LinkPrice::endpoint_of(std::int64_t rank) const {
  const std::int64_t built = topology_.fabric->endpoints();
  if (rank < built) return sim::EndpointId{static_cast<std::uint32_t>(rank)};
  const std::int64_t others = built / unit_ - 1;
  CHECK(others > 0);
  const std::int64_t stand_in = 1 + (rank / unit_ - 1) % others;
  return sim::EndpointId{static_cast<std::uint32_t>(stand_in * unit_ + rank % unit_)};
}

std::optional<sim::Placement> LinkPrice::placement_of(const Group& group) const {
  sim::Placement placement;
  std::vector<bool> taken(topology_.fabric->endpoints(), false);
  for (std::int64_t i = 0; i < group.size(); ++i) {
    const sim::EndpointId end = endpoint_of(member(group, 0, i));
    if (taken[sim::index(end)]) return std::nullopt;
    taken[sim::index(end)] = true;
    placement.endpoint_of.push_back(end);
  }
  return placement;
}

std::int64_t LinkPrice::inner_size(const Group& group) const {
  Group inner;
  Group outer;
  return split(group, inner, outer) ? inner.size() : 1;
}

// Ranks of the first unit whose group is whole.
std::vector<std::int64_t> LinkPrice::senders(const Group& group) const {
  std::vector<std::int64_t> list;
  const std::int64_t whole = ranks_ / extent(group) * extent(group);
  for (std::int64_t rank = 0; rank < std::min(unit_, whole); ++rank) list.push_back(rank);
  return list;
}

LinkPrice::Transfers LinkPrice::direct(const Group& group, double share) const {
  Transfers list;
  const std::int64_t n = group.size();
  for (const std::int64_t rank : senders(group)) {
    const std::int64_t base = base_of(group, rank);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t peer = member(group, base, i);
      if (peer != rank) list.push_back({rank, peer, share});
    }
  }
  return list;
}

LinkPrice::Transfers LinkPrice::ring(const Group& group, double share) const {
  Transfers list;
  const std::int64_t n = group.size();
  for (const std::int64_t rank : senders(group)) {
    const std::int64_t next = (number_of(group, rank) + 1) % n;
    list.push_back({rank, member(group, base_of(group, rank), next), share});
  }
  return list;
}

std::size_t LinkPrice::tier_of(sim::EndpointId from, sim::EndpointId to) const {
  for (std::size_t i = 0; i < nested_.size(); ++i) {
    const sim::Level& level = *nested_[i];
    if (level.group_of[sim::index(from)] == level.group_of[sim::index(to)]) return i;
  }
  return nested_.size();
}

void LinkPrice::lay(const sim::EndpointId from, const sim::EndpointId to, double share) {
  const std::uint32_t paths = topology_.routes->path_count(from, to);
  for (std::uint32_t p = 0; p < paths; ++p) {
    path_.clear();
    topology_.routes->append_path(from, to, p, path_);
    for (const sim::LinkId link : path_) {
      double& load = load_[sim::index(link)];
      if (load == 0) touched_.push_back(sim::index(link));
      load += share / paths;
    }
    if (p > 0) continue;
    const sim::Fabric& fabric = *topology_.fabric;
    bool crosses_nic = false;
    double latency = 0;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const sim::Link& link = fabric.link(path_[i]);
      latency += to_double(link.latency.value);
      crosses_nic = crosses_nic || fabric.node(link.to).kind == sim::NodeKind::kNic;
      if (i > 0) latency += to_double(fabric.passing(path_[i - 1], path_[i]).value);
    }
    // Transfers of models over NICs are longer than a packet: they pay for being cut.
    latency += to_double(sim::transfer_cost_before(costs_, crosses_nic, kLong).value +
                         sim::transfer_cost_after(costs_).value);
    latency_ = std::max(latency_, latency);
  }
}

// Lays one round of transfers and adds its cost as a phase of `steps` equal rounds; `share` of the
// transfers is already that of all rounds together.
void LinkPrice::add_phase(Candidate& candidate, const Transfers& transfers, double steps,
                          double gaps, double reduced) {
  latency_ = 0;
  std::int64_t first = transfers.empty() ? 0 : transfers.front().from;
  std::int64_t seen = transfers.empty() ? 0 : 1;
  for (const Transfer& one : transfers) {
    if (one.from != first) first = one.from, ++seen;
    const sim::EndpointId from = endpoint_of(one.from);
    const sim::EndpointId to = endpoint_of(one.to);
    if (from == to) continue;
    lay(from, to, one.share);
    candidate.sent[tier_of(from, to)] += one.share;
  }
  Phase phase;
  for (const std::uint32_t link : touched_) {
    phase.slope = std::max(phase.slope, load_[link] * picoseconds_[link]);
    load_[link] = 0;
  }
  touched_.clear();
  phase.latency = steps * latency_;
  phase.gap = gaps * to_double(costs_.issue_gap.value);
  if (reduced > 0 && costs_.reduce.value > 0)
    phase.reduce = reduced * 1e12 / to_double(costs_.reduce.value);
  candidate.phases.push_back(phase);
  CHECK(seen > 0);
}

bool LinkPrice::split(const Group& group, Group& inner, Group& outer) const {
  const std::int64_t n = group.size();
  for (std::size_t at = nested_.size(); at-- > 0;) {
    const sim::Level& level = *nested_[at];
    std::int64_t run = 0;  // members of the group of rank 0 that share its place, from the first on
    while (run < n &&
           level.group_of[sim::index(endpoint_of(member(group, 0, run)))] ==
               level.group_of[sim::index(endpoint_of(0))] &&
           tier_of(endpoint_of(0), endpoint_of(member(group, 0, run))) <= at) {
      ++run;
    }
    if (run < 2 || run >= n || n % run != 0) continue;
    inner = Group{};
    outer = Group{};
    std::int64_t left = run;
    std::size_t in = 0;
    std::size_t out = 0;
    for (const Axis& axis : group.axes) {
      if (axis.size == 1) continue;
      if (left >= axis.size) {
        if (left % axis.size != 0) return false;
        inner.axes[in++] = axis;
        left /= axis.size;
      } else {
        if (axis.size % left != 0 || out > 1) return false;
        if (left > 1) inner.axes[in++] = {left, axis.stride};
        outer.axes[out++] = {axis.size / left, axis.stride * left};
        left = 1;
      }
    }
    return true;
  }
  return false;
}

// Gather: across first, so that each byte crosses once; then inside. Scatter: the other way round.
void LinkPrice::add_two_levels(std::vector<Candidate>& list, Move move, const Group& group) {
  Group inner;
  Group outer;
  if (!split(group, inner, outer)) return;
  const double k = to_double(inner.size());
  const double m = to_double(outer.size());
  const double n = k * m;
  for (const bool rings : {true, false}) {
    if (!rings && std::min(unit_, ranks_) * outer.size() > kMostTransfers) continue;
    Candidate one{rings ? "2-level ring" : "2-level direct", {}, {}};
    const auto across = [&](double reduced) {
      const Transfers moves = rings ? ring(outer, (m - 1) / n) : direct(outer, 1 / n);
      add_phase(one, moves, rings ? m - 1 : 1, rings ? 0 : m - 2, reduced * (m - 1) / n);
    };
    if (scatters(move)) {
      add_phase(one, direct(inner, 1 / k), 1, k - 2, (k - 1) / k);
      across(1);
    }
    if (gathers(move)) {
      across(0);
      add_phase(one, direct(inner, 1 / k), 1, k - 2, 0);
    }
    list.push_back(std::move(one));
  }
}

std::vector<LinkPrice::Candidate> LinkPrice::candidates(Move move, const Group& group) {
  std::vector<Candidate> list;
  const std::int64_t members = group.size();
  const double n = to_double(members);
  if (move == Move::kShift) {
    list.push_back({"send", {}, {}});
    add_phase(list.back(), ring(group, 1), 1, 0, 0);
    return list;
  }
  const bool small = std::min(unit_, ranks_) * members <= kMostTransfers;
  if (move == Move::kAllToAll || small) {
    list.push_back({"direct", {}, {}});
    if (move == Move::kAllToAll) add_phase(list.back(), direct(group, 1 / n), 1, n - 2, 0);
    if (scatters(move)) {
      add_phase(list.back(), direct(group, 1 / n), 1, n - 2, (n - 1) / n);
    }
    if (gathers(move)) add_phase(list.back(), direct(group, 1 / n), 1, n - 2, 0);
  }
  if (move == Move::kAllToAll) return list;
  list.push_back({"ring", {}, {}});
  if (scatters(move)) add_phase(list.back(), ring(group, (n - 1) / n), n - 1, 0, (n - 1) / n);
  if (gathers(move)) add_phase(list.back(), ring(group, (n - 1) / n), n - 1, 0, 0);
  add_two_levels(list, move, group);
  return list;
}

double LinkPrice::cost(const Candidate& candidate, double bytes, double stretch) const {
  double sum = to_double(costs_.launch.value);
  for (const Phase& phase : candidate.phases) {
    sum +=
        phase.latency + std::max(phase.gap, phase.slope * bytes * stretch) + phase.reduce * bytes;
  }
  return sum;
}

Price LinkPrice::price(Move move, const Group& group, std::int64_t bytes, double stretch) {
  if (group.size() <= 1) return {};
  auto found = known_.find({move, group});
  if (found == known_.end()) {
    std::vector<Candidate> list = candidates(move, group);
    const double over = to_double(static_cast<std::int64_t>(senders(group).size()));
    for (Candidate& one : list) {
      for (double& share : one.sent) share /= over;
    }
    found = known_.emplace(std::pair(move, group), std::move(list)).first;
  }
  const Candidate* best = nullptr;
  double least = 0;
  for (const Candidate& one : found->second) {
    const double time = cost(one, to_double(bytes), stretch);
    if (best == nullptr || time < least) best = &one, least = time;
  }
  Price price;
  price.time = sim::Time(std::llround(least));
  price.algorithm = best->algorithm;
  // The bytes as integers whose sum is exact: what rounding leaves goes to the outermost place.
  std::int64_t left = bytes_sent(move, group.size(), bytes);
  std::size_t last = 0;
  for (std::size_t i = 0; i < kMostTiers; ++i) {
    if (best->sent[i] > 0) last = i;
  }
  for (std::size_t i = 0; i < last; ++i) {
    price.sent[i] = std::min(left, static_cast<std::int64_t>(best->sent[i] * to_double(bytes)));
    left -= price.sent[i];
  }
  price.sent[last] = left;
  return price;
}

}  // namespace workload
