// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/column.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/check.h"
#include "sim/engine/flow/pairs.h"

namespace sim::flow {
namespace {

FlowWays::Way crossing_way(const Crossing& crossing) {
  FlowWays::Way way;
  way.crosses_nic = true;
  way.latency_ps = crossing.latency.value;
  way.fill_ps = crossing.fill.value;
  way.payload = crossing.payload.value;
  way.shares = 2;
  return way;
}

Bandwidth part_of(Bandwidth rate, std::int64_t share) {
  const auto left = static_cast<__int128>(rate.value) * share / kRatioOne;
  return Bandwidth(std::max<std::int64_t>(static_cast<std::int64_t>(left), 1));
}

// Time that one transfer flows, alone on its links, by the arithmetic of the solver.
std::int64_t flowing(const Outline& outline, Bytes bytes, Bandwidth out, Bandwidth in) {
  const LinkRate links[] = {{out, 1, false}, {in, 1, false}};
  const Share route[] = {{0, 1}, {1, 1}};
  MaxMin solver(links, 1, outline.largest);
  solver.attach(0, route, bytes);
  solver.repair();
  return solver.next().value;
}

// What the ends of one number have of their ways out, by domain.
class Ports {
 public:
  Ports(const Outline& outline, std::uint32_t end, std::uint32_t domains)
      : outline_(outline), end_(end) {
    for (const SlowPort& port : slow_ports(outline, end, domains)) slow_.emplace(port.domain, port);
  }

  [[nodiscard]] PortShare share(std::uint32_t domain) const {
    const auto found = slow_.find(domain);
    return found == slow_.end() ? PortShare{} : found->second.share;
  }
  [[nodiscard]] bool slow(std::uint32_t domain) const { return slow_.contains(domain); }
  [[nodiscard]] Bandwidth rate(std::uint32_t domain) const {
    return slow(domain) ? outline_.rate_of_nic(share(domain)) : outline_.nic;
  }
  [[nodiscard]] Crossing crossing(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t tier = outline_.meeting_tier(end_, from, to);
    if (!slow(from) && !slow(to)) return outline_.tiers[tier];
    return outline_.crossing(tier, share(from), share(to));
  }

 private:
  const Outline& outline_;
  std::uint32_t end_;
  std::map<std::uint32_t, SlowPort> slow_;
};

// One step of all ranks after another.
class Circle {
 public:
  Circle(const Composed& composed, const Circulation& work, std::uint32_t end,
         const RankStarts& starts)
      : costs_(composed.costs), before_(transfer_cost_before(costs_, true, work.part).value) {
    const Outline& outline = *composed.outline;
    const Ports ports(outline, end, work.ranks);
    const std::int64_t usual = flowing(outline, work.part, outline.nic, outline.nic);
    for (Rank rank = 0; rank < work.ranks; ++rank) {
      const Rank next = (rank + 1) % work.ranks;
      const bool slow = ports.slow(rank) || ports.slow(next);
      flowing_.push_back(slow ? flowing(outline, work.part, ports.rate(rank), ports.rate(next))
                              : usual);
      delay_.push_back(delay(ports.crossing(rank, next), work.part));
      merge_.push_back(merging(ports.share(rank).work, work.part));
      start_.push_back(starts.begin[rank].value);
      free_.push_back(starts.issue[rank].value);
    }
    ready_ = start_;
    left_.assign(work.ranks, 0);
    done_ = start_;
    sent_.resize(work.ranks);
  }

  // All ranks send; then what arrived is merged, or not. False: a send began before the last left.
  bool step(bool merges) {
    const std::size_t ranks = ready_.size();
    std::int64_t clash = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::int64_t issue = std::max(ready_[r], free_[r]);
      free_[r] = issue + costs_.issue_gap.value;
      const std::int64_t begin = issue + before_;
      clash |= begin < left_[r] ? 1 : 0;
      left_[r] = begin + flowing_[r];
      sent_[r] = left_[r] + delay_[r];
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::int64_t arrival = sent_[r == 0 ? ranks - 1 : r - 1];
      ready_[r] = merges ? std::max(arrival, start_[r]) + merge_[r] : arrival;
      done_[r] = std::max(done_[r], ready_[r]);
    }
    return clash == 0;
  }

  [[nodiscard]] std::vector<Time> done() const { return {done_.begin(), done_.end()}; }
  [[nodiscard]] std::vector<Time> issued() const {
    std::vector<Time> issued;
    for (const std::int64_t free : free_) issued.emplace_back(free - costs_.issue_gap.value);
    return issued;
  }

 private:
  [[nodiscard]] std::int64_t delay(const Crossing& crossing, Bytes bytes) const {
    return FlowWays::delay_of(crossing_way(crossing), bytes).value +
           transfer_cost_after(costs_).value;
  }
  [[nodiscard]] std::int64_t merging(std::int64_t share, Bytes bytes) const {
    if (costs_.reduce.value == 0) return 0;
    return transfer_time(bytes, part_of(costs_.reduce, share)).value;
  }

  const EndCosts& costs_;
  std::int64_t before_;
  std::vector<std::int64_t> flowing_;  // what a rank sends
  std::vector<std::int64_t> merge_;    // at a rank
  std::vector<std::int64_t> delay_;    // of what a rank sends
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> ready_;  // for the next send
  std::vector<std::int64_t> free_;   // for the next issue
  std::vector<std::int64_t> left_;   // when the last send had left
  std::vector<std::int64_t> sent_;   // when what was sent arrives
  std::vector<std::int64_t> done_;
};

}  // namespace

std::vector<SlowPort> slow_ports(const Outline& outline, std::uint32_t end, std::uint32_t domains) {
  std::vector<SlowPort> found;
  for (const SlowPort& port : outline.slow_ports) {
    if (port.end == end && port.domain < domains) found.push_back(port);
  }
  return found;
}

FlowWays column_ways(const Outline& outline, std::uint32_t end, const Schedule& schedule) {
  Placement placement;
  const Ports ports(outline, end, schedule.ranks());
  FlowWays::Told told;
  told.endpoints = schedule.ranks();
  told.ports = schedule.ranks();
  told.largest = outline.largest;
  for (std::uint32_t d = 0; d < schedule.ranks(); ++d) {
    placement.endpoint_of.push_back(EndpointId{d});
    told.links.resize(told.links.size() + 2, LinkRate{ports.rate(d), 1, false});
  }
  told.pairs = pairs_of(schedule, placement);
  for (const EndPair& pair : told.pairs) {
    const std::uint32_t from = index(pair.from);
    const std::uint32_t to = index(pair.to);
    FlowWays::Way way = crossing_way(ports.crossing(from, to));
    way.port = from;
    way.port_rate = ports.rate(from);
    way.first_share = static_cast<std::uint32_t>(told.shares.size());
    told.shares.push_back({2 * from, 1});
    told.shares.push_back({2 * to + 1, 1});
    told.ways.push_back(way);
  }
  return FlowWays(std::move(told));
}

Circulated circulate(const Composed& composed, const Circulation& work, std::uint32_t end,
                     const RankStarts& starts) {
  CHECK(starts.begin.size() == work.ranks && work.part.value > 0);
  Circle circle(composed, work, end, starts);
  Circulated result;
  for (std::uint32_t step = 0; step < work.steps; ++step) {
    if (circle.step(step < work.merged)) continue;
    result.fault =
        fmt::format("in step {} of the ring a rank sends before its last send has left", step);
    return result;
  }
  result.ready = circle.done();
  result.issued = circle.issued();
  return result;
}

}  // namespace sim::flow
