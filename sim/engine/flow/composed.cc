// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/composed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "sim/engine/critical_path.h"
#include "sim/engine/executor.h"
#include "sim/engine/flow/column.h"
#include "sim/engine/flow/figures.h"
#include "sim/engine/flow/flow_network.h"
#include "sim/engine/flow/pairs.h"

namespace sim::flow {
namespace {

// What one phase did at one component, in times counted from the earliest start of its ranks.
struct Played {
  std::vector<Time> ready;   // by rank
  std::vector<Time> issued;  // by rank: last send handed to the network; before all starts: none
  Time last;                 // when the last op ended
  Breakdown breakdown;       // of the component's critical path
  std::uint64_t first = 0;   // the component that was played
  std::uint64_t stands_for = 0;
  std::vector<std::int64_t> loads;  // by link of a domain
};

Placement in_order(Rank ranks) {
  Placement placement;
  for (Rank rank = 0; rank < ranks; ++rank) placement.endpoint_of.push_back(EndpointId{rank});
  return placement;
}

void set_pace(Placement& placement, Rank rank, std::int64_t share) {
  if (share == kRatioOne) return;
  if (placement.pace.empty()) placement.pace.assign(placement.ranks(), kRatioOne);
  placement.pace[rank] = share;
}

Breakdown sum(const Breakdown& a, const Breakdown& b) {
  return {a.launch_ps + b.launch_ps,     a.endpoint_ps + b.endpoint_ps,
          a.latency_ps + b.latency_ps,   a.transmission_ps + b.transmission_ps,
          a.queueing_ps + b.queueing_ps, a.compute_ps + b.compute_ps};
}

std::int64_t total(const Breakdown& b) {
  return b.launch_ps + b.endpoint_ps + b.latency_ps + b.transmission_ps + b.queueing_ps +
         b.compute_ps;
}

// When each rank has all: its own reductions and copies have ended, all sends to it are in.
std::vector<Time> ready_times(const Schedule& schedule, const OpTimes& times,
                              const std::vector<Time>& starts) {
  std::vector<Time> ready = starts;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    OpId id = schedule.first_op(rank);
    for (const Op& op : schedule.program(rank).ops) {
      const Rank at = op.transfers() ? op.peer : rank;
      ready[at] = std::max(ready[at], times.end[id++]);
    }
  }
  return ready;
}

std::vector<Time> issue_times(const Schedule& schedule, const OpTimes& times) {
  std::vector<Time> issued(schedule.ranks(), OpTimes::kNotYet);
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (OpId id = schedule.first_op(rank); id < schedule.first_op(rank + 1); ++id) {
      issued[rank] = std::max(issued[rank], times.issue[id]);
    }
  }
  return issued;
}

class Composition {
 public:
  Composition(const Composed& composed, RunControl& control)
      : c_(composed),
        outline_(*composed.outline),
        control_(control),
        ends_(composed.outline->ends()),
        issued_(std::size_t{c_.domains} * ends_, OpTimes::kNotYet),
        inside_until_(c_.domains, Time(0)),
        column_until_(ends_, Time(0)),
        loads_(outline_.domain.fabric->links().size(), 0) {
    result_.ready.assign(std::size_t{c_.domains} * ends_, composed.costs.launch);
    result_.breakdown.launch_ps = composed.costs.launch.value;
    result_.time = composed.costs.launch;
  }

  ComposedTimes run() {
    if (const std::uint64_t ops = least_ops(); ops > c_.most_ops) {
      result_.fault = fmt::format("it plays at least {} ops; limits.ops is {}", ops, c_.most_ops);
      return std::move(result_);
    }
    for (const ComposedPhase& phase : c_.phases) {
      const std::uint32_t components = phase.inside ? c_.domains : ends_;
      known_.clear();
      ways_.clear();
      for (std::uint32_t one = 0; one < components && result_.fault.empty(); ++one) {
        add(phase, one);
      }
      if (!result_.fault.empty()) return std::move(result_);
      report(phase, components);
    }
    fill_levels();
    return std::move(result_);
  }

 private:
  using Starts = RankStarts;
  using Key = std::pair<std::vector<std::uint32_t>, Starts>;

  // Of one component of each phase.
  [[nodiscard]] std::uint64_t least_ops() const {
    std::uint64_t ops = 0;
    for (const ComposedPhase& phase : c_.phases) {
      if (phase.circulation) {
        ops += std::uint64_t{phase.circulation->steps} * phase.circulation->ranks / 64;
      } else {
        ops += phase.schedule->ops();
      }
    }
    return ops;
  }

  [[nodiscard]] std::size_t place(const ComposedPhase& phase, std::uint32_t one,
                                  std::uint32_t rank) const {
    return phase.inside ? std::size_t{one} * ends_ + rank : std::size_t{rank} * ends_ + one;
  }

  // Where the domains of a column meet: by tier, the place of each, renumbered from 0.
  [[nodiscard]] std::vector<std::uint32_t> pattern(std::uint32_t end) const {
    std::vector<std::uint32_t> pattern;
    for (std::uint32_t tier = 0; tier + 1 < outline_.tiers.size(); ++tier) {
      std::uint32_t number = 0;
      for (std::uint32_t domain = 0; domain < c_.domains; ++domain) {
        const bool fresh = domain > 0 && outline_.place(end, domain, tier) !=
                                             outline_.place(end, domain - 1, tier);
        number += fresh ? 1 : 0;
        pattern.push_back(number);
      }
    }
    return pattern;
  }

  // What marks a column: whose ways out are slow, and by how much.
  void append_slow_ports(std::uint32_t end, std::vector<std::uint32_t>& marks) const {
    for (const SlowPort& port : slow_ports(outline_, end, c_.domains)) {
      marks.push_back(port.domain);
      for (const std::int64_t share : {port.share.bus, port.share.nic, port.share.work}) {
        marks.push_back(static_cast<std::uint32_t>(share));
      }
    }
  }

  void add(const ComposedPhase& phase, std::uint32_t one) {
    Key key;
    const Time first = starts_of(phase, one, key.second);
    if (!overlaps(phase, one, first)) return;
    key.first = phase.inside ? std::vector<std::uint32_t>{outline_.kind(one)} : pattern(one);
    if (!phase.inside) append_slow_ports(one, key.first);
    auto [known, fresh] = known_.try_emplace(std::move(key));
    if (fresh) {
      known->second = play(phase, one, known->first.second);
      known->second.first = one;
      if (!result_.fault.empty()) return;
    }
    ++known->second.stands_for;
    note(phase, one, first, known->second);
  }

  // Fills in when the ranks begin, from the first of them on; returns when that is.
  Time starts_of(const ComposedPhase& phase, std::uint32_t one, RankStarts& starts) const {
    const std::uint32_t ranks = phase.inside ? ends_ : c_.domains;
    starts.begin.resize(ranks);
    starts.issue.resize(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      starts.begin[r] = result_.ready[place(phase, one, r)];
    }
    const Time first = *std::min_element(starts.begin.begin(), starts.begin.end());
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const Time issued = issued_[place(phase, one, r)];
      const Time from = issued == OpTimes::kNotYet ? Time(0) : issued + c_.costs.issue_gap;
      starts.issue[r] = std::max(from, starts.begin[r]) - first;
      starts.begin[r] -= first;
    }
    return first;
  }

  // False, and a fault, when phases that share links run into each other.
  bool overlaps(const ComposedPhase& phase, std::uint32_t one, Time first) {
    const Time until = phase.inside ? inside_until_[one] : column_until_[one];
    const bool apart = first >= until;
    if (!apart) {
      result_.fault = fmt::format(
          "{} would begin before what shares its links has ended; "
          "symmetry: never plays it in full",
          phase.name);
    }
    return apart;
  }

  void note(const ComposedPhase& phase, std::uint32_t one, Time first, const Played& played) {
    for (std::uint32_t r = 0; r < played.ready.size(); ++r) {
      const std::size_t at = place(phase, one, r);
      result_.ready[at] = first + played.ready[r];
      if (played.issued[r] != OpTimes::kNotYet) issued_[at] = first + played.issued[r];
    }
    Time& until = phase.inside ? inside_until_[one] : column_until_[one];
    until = std::max(until, first + played.last);
    result_.time = std::max(result_.time, first + played.last);
  }

  Played play(const ComposedPhase& phase, std::uint32_t one, const Starts& starts) {
    return phase.circulation ? play_circulation(*phase.circulation, one, starts)
                             : play_schedule(phase, one, starts);
  }

  Played play_circulation(const Circulation& work, std::uint32_t end, const Starts& starts) {
    Circulated circulated = circulate(c_, work, end, starts);
    Played played;
    result_.fault = circulated.fault;
    if (!result_.fault.empty()) return played;
    played.ready = std::move(circulated.ready);
    played.issued = std::move(circulated.issued);
    played.last = *std::max_element(played.ready.begin(), played.ready.end());
    column_bytes_ = work.part.value * work.steps;
    fill_column(played, work.steps, work.merged, Bytes(column_bytes_));
    return played;
  }

  // Where a column's time goes: costs of its steps, its bytes at the rate of a NIC, the rest waits.
  void fill_column(Played& played, std::uint64_t steps, std::uint64_t merged, Bytes bytes) const {
    const Bytes part(steps == 0 ? 0 : bytes.value / static_cast<std::int64_t>(steps));
    const Time cost = transfer_cost_before(c_.costs, true, part) + transfer_cost_after(c_.costs);
    std::int64_t left = played.last.value;
    const auto take = [&left](std::int64_t most) {
      const std::int64_t taken = std::min(left, most);
      left -= taken;
      return taken;
    };
    played.breakdown.endpoint_ps = take(cost.value * static_cast<std::int64_t>(steps));
    played.breakdown.transmission_ps = take(transfer_time(bytes, outline_.nic).value);
    if (c_.costs.reduce.value > 0 && steps > 0) {
      played.breakdown.compute_ps =
          take(transfer_time(part, c_.costs.reduce).value * static_cast<std::int64_t>(merged));
    }
    played.breakdown.latency_ps = left;
  }

  // Of a component of a phase: kept where others have the same.
  FlowWays& ways_of(const ComposedPhase& phase, std::uint32_t one, const Placement& placement) {
    const std::uint32_t kind = phase.inside ? outline_.kind(one) : 0;
    if (!phase.inside) ways_.clear();
    auto [known, fresh] = ways_.try_emplace(kind);
    if (fresh) {
      const Schedule& schedule = *phase.schedule;
      known->second = phase.inside
                          ? std::make_unique<FlowWays>(outline_.topology(kind),
                                                       pairs_of(schedule, placement), c_.paths)
                          : std::make_unique<FlowWays>(column_ways(outline_, one, schedule));
      CHECK(known->second->largest() <= outline_.largest);
      known->second->set_largest(outline_.largest);
    }
    return *known->second;
  }

  Placement placement_of(const ComposedPhase& phase, std::uint32_t one) const {
    Placement placement = in_order(phase.schedule->ranks());
    if (phase.inside) {
      const Fabric& fabric = *outline_.topology(outline_.kind(one)).fabric;
      for (Rank r = 0; r < placement.ranks(); ++r)
        set_pace(placement, r, fabric.pace(EndpointId{r}));
    } else {
      for (const SlowPort& port : slow_ports(outline_, one, c_.domains)) {
        set_pace(placement, port.domain, port.share.work);
      }
    }
    return placement;
  }

  Played play_schedule(const ComposedPhase& phase, std::uint32_t one, const Starts& starts) {
    const Schedule& schedule = *phase.schedule;
    const Placement placement = placement_of(phase, one);
    const FlowWays& ways = ways_of(phase, one, placement);
    FlowNetwork network(ways, c_.costs, c_.queues, c_.limits, control_);
    Executor executor(schedule, placement, c_.costs, network, starts);
    executor.run();
    Played played;
    result_.end = network.end();
    if (!executor.finished()) {
      result_.fault = network.end() == RunEnd::kStopped ? "interrupted" : phase.name + " stalled";
      return played;
    }
    played.ready = ready_times(schedule, executor.times(), starts.begin);
    played.issued = issue_times(schedule, executor.times());
    played.last = executor.time();
    if (phase.inside) {
      const Topology& topology = outline_.topology(outline_.kind(one));
      played.breakdown = critical_path(executor, schedule, placement, topology, c_.costs);
      played.breakdown.launch_ps = 0;  // its chain begins at a rank that the phase before made late
      played.loads = loads_of(ways, network.moved());
    } else {
      const Bytes bytes = schedule.bytes_sent(0);
      fill_column(played, schedule.sends() / schedule.ranks(), 0, bytes);
      column_bytes_ = bytes.value;
    }
    return played;
  }

  [[nodiscard]] std::vector<std::int64_t> loads_of(const FlowWays& ways,
                                                   const std::vector<std::int64_t>& moved) const {
    std::vector<std::int64_t> loads(loads_.size(), 0);
    for (std::uint32_t pair = 0; pair < moved.size(); ++pair) {
      ways.for_each_link(pair, [&](LinkId link, std::uint32_t paths) {
        loads[index(link)] += (moved[pair] + paths - 1) / paths;
      });
    }
    return loads;
  }

  void report(const ComposedPhase& phase, std::uint32_t components) {
    const char* what = phase.inside ? "domain" : "end";
    std::uint64_t most = 0;
    const Played* usual = nullptr;
    const Played* longest = nullptr;
    for (const auto& [key, played] : known_) {
      if (played.stands_for > most) most = played.stands_for, usual = &played;
      if (longest == nullptr || played.last > longest->last) longest = &played;
    }
    CHECK(usual != nullptr);
    for (std::size_t i = 0; i < usual->loads.size(); ++i) loads_[i] += usual->loads[i];
    nic_bytes_ += phase.inside ? 0 : column_bytes_;
    result_.symmetry.push_back(
        fmt::format("{} {}: {} of {} played; that of {} {} stands for {} others", phase.name,
                    phase.inside ? "inside" : "between the domains", known_.size(), components,
                    what, usual->first, most - 1));
    result_.breakdown = sum(result_.breakdown, longest->breakdown);
    const std::uint64_t sends =
        phase.circulation ? std::uint64_t{phase.circulation->steps} * phase.circulation->ranks
                          : phase.schedule->sends();
    result_.transfers += sends * components;
  }

  void fill_levels() {
    // What the chains of single components do not explain is waiting for other components.
    result_.breakdown.queueing_ps += result_.time.value - total(result_.breakdown);
    if (result_.breakdown.queueing_ps < 0) {
      result_.breakdown.transmission_ps += result_.breakdown.queueing_ps;
      result_.breakdown.queueing_ps = 0;
    }
    result_.levels = use_of_levels(*outline_.domain.fabric, loads_, result_.time);
    for (LevelUse& level : result_.levels) {
      level.links *= c_.domains;
      level.payload_bytes *= c_.domains;
    }
    if (nic_bytes_ == 0) return;
    const auto ends = static_cast<std::int64_t>(ends_) * c_.domains;
    LevelUse nic{"NIC bus", 2 * ends, 2 * nic_bytes_ * ends, 0, "NIC bus of end 0 of domain 0"};
    const Time busy = transfer_time(Bytes(nic_bytes_), outline_.nic);
    const __int128 share = static_cast<__int128>(std::min(busy, result_.time).value) * kRatioOne;
    nic.busiest_ppb =
        static_cast<std::int64_t>(share / std::max<std::int64_t>(1, result_.time.value));
    result_.levels.push_back(std::move(nic));
  }

  const Composed& c_;
  const Outline& outline_;
  RunControl& control_;
  std::uint32_t ends_;
  ComposedTimes result_;
  std::vector<Time> issued_;         // by domain x end: last send handed to the network
  std::vector<Time> inside_until_;   // by domain: when its links fall silent
  std::vector<Time> column_until_;   // by end
  std::vector<std::int64_t> loads_;  // by link of a domain that is as most are
  std::int64_t nic_bytes_ = 0;       // sent by an end
  std::int64_t column_bytes_ = 0;    // sent by an end in the column played last
  std::map<Key, Played> known_;      // of the phase under way
  std::map<std::uint32_t, std::unique_ptr<FlowWays>> ways_;  // of it, by kind of domain
};

}  // namespace

ComposedTimes play_composed(const Composed& composed, RunControl& control) {
  return Composition(composed, control).run();
}

}  // namespace sim::flow
