// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/column.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/check.h"
#include "sim/engine/flow/pairs.h"

namespace sim::flow {
namespace {

FlowWays::Way crossing_way(const Outline& outline, std::uint32_t tier) {
  const Crossing& crossing = outline.tiers[tier];
  FlowWays::Way way;
  way.crosses_nic = true;
  way.latency_ps = crossing.latency.value;
  way.fill_ps = crossing.fill.value;
  way.payload = crossing.payload.value;
  way.port_rate = outline.nic;
  way.shares = 2;
  return way;
}

// Time that one transfer flows, alone on its links, by the arithmetic of the solver.
std::int64_t flowing(const Outline& outline, Bytes bytes) {
  const LinkRate links[] = {{outline.nic, 1, false}, {outline.nic, 1, false}};
  const Share route[] = {{0, 1}, {1, 1}};
  MaxMin solver(links, 1, outline.largest);
  solver.attach(0, route, bytes);
  solver.repair();
  return solver.next().value;
}

// One step of all ranks after another.
class Circle {
 public:
  Circle(const Composed& composed, const Circulation& work, std::uint32_t end,
         const RankStarts& starts)
      : costs_(composed.costs),
        before_(transfer_cost_before(costs_, true, work.part).value),
        flowing_(flowing(*composed.outline, work.part)),
        merge_(costs_.reduce.value == 0 ? 0 : transfer_time(work.part, costs_.reduce).value) {
    const Outline& outline = *composed.outline;
    const std::vector<Time> after = delays(outline, work.part);
    for (Rank rank = 0; rank < work.ranks; ++rank) {
      const Rank next = (rank + 1) % work.ranks;
      delay_.push_back(after[outline.meeting_tier(end, rank, next)].value);
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
      left_[r] = begin + flowing_;
      sent_[r] = left_[r] + delay_[r];
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::int64_t arrival = sent_[r == 0 ? ranks - 1 : r - 1];
      ready_[r] = merges ? std::max(arrival, start_[r]) + merge_ : arrival;
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
  [[nodiscard]] std::vector<Time> delays(const Outline& outline, Bytes bytes) const {
    FlowWays::Told told;
    told.endpoints = 2;
    std::vector<Time> after;
    for (std::uint32_t tier = 0; tier < outline.tiers.size(); ++tier) {
      FlowWays::Told one = told;
      one.pairs = {{EndpointId{0}, EndpointId{1}}};
      one.ways = {crossing_way(outline, tier)};
      after.push_back(FlowWays(std::move(one)).delay(0, bytes) + transfer_cost_after(costs_));
    }
    return after;
  }

  const EndCosts& costs_;
  std::int64_t before_;
  std::int64_t flowing_;
  std::int64_t merge_;
  std::vector<std::int64_t> delay_;  // of what a rank sends
  std::vector<std::int64_t> start_;
  std::vector<std::int64_t> ready_;  // for the next send
  std::vector<std::int64_t> free_;   // for the next issue
  std::vector<std::int64_t> left_;   // when the last send had left
  std::vector<std::int64_t> sent_;   // when what was sent arrives
  std::vector<std::int64_t> done_;
};

}  // namespace

FlowWays column_ways(const Outline& outline, std::uint32_t end, const Schedule& schedule) {
  Placement placement;
  for (std::uint32_t d = 0; d < schedule.ranks(); ++d)
    placement.endpoint_of.push_back(EndpointId{d});
  FlowWays::Told told;
  told.endpoints = schedule.ranks();
  told.ports = schedule.ranks();
  told.largest = outline.largest;
  told.pairs = pairs_of(schedule, placement);
  told.links.assign(std::size_t{2} * schedule.ranks(), LinkRate{outline.nic, 1, false});
  for (const EndPair& pair : told.pairs) {
    const std::uint32_t from = index(pair.from);
    const std::uint32_t to = index(pair.to);
    FlowWays::Way way = crossing_way(outline, outline.meeting_tier(end, from, to));
    way.port = from;
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
