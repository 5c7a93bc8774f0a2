// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/case_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/fingerprint.h"
#include "sim/engine/bound.h"

namespace sim {

std::int64_t parts_per_billion(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0
                    : static_cast<std::int64_t>(static_cast<__int128>(part) * kRatioOne / whole);
}

CaseOutcome outcome_of(const Case& c) {
  CaseOutcome outcome;
  outcome.collective = std::string(name_of(c.schedule->layout().collective));
  outcome.algorithm = c.schedule->algorithm();
  outcome.ranks = c.schedule->ranks();
  outcome.bytes = c.bytes.value;
  for (const Time late : c.placement->arrival) {
    outcome.last_arrival_ps = std::max(outcome.last_arrival_ps, late.value);
  }
  return outcome;
}

namespace {

std::int64_t bus_bandwidth(const Layout& layout, std::int64_t algorithm_bandwidth, Time time) {
  if (layout.traffic) {  // what ranks sent to others, the mean over ranks
    std::int64_t sent = 0;
    for (Rank rank = 0; rank < layout.ranks; ++rank) sent += layout.traffic->sent_by(rank).value;
    return average_rate(Bytes(sent / layout.ranks), time).value;
  }
  return static_cast<std::int64_t>(static_cast<__int128>(algorithm_bandwidth) *
                                   bus_numerator(layout.collective, layout.ranks) / layout.ranks);
}

}  // namespace

void fill_rates(CaseOutcome& outcome, const Case& c, Time time) {
  const Layout& layout = c.schedule->layout();
  outcome.time_ps = time.value;
  CHECK(time.value > 0 || c.schedule->sends() == 0);  // own copies may cost nothing
  if (time.value > 0) {
    outcome.algorithm_bandwidth = average_rate(c.bytes, time).value;
    outcome.bus_bandwidth = bus_bandwidth(layout, outcome.algorithm_bandwidth, time);
  }
  const Bound bound = physical_bound(*c.topology, layout, c.bytes, *c.placement);
  outcome.bound_ps = bound.time.value;
  outcome.bound = bound.name;
  outcome.bound_share_ppb = parts_per_billion(bound.time.value, time.value);
  CHECK(bound.time <= time);  // achieved never beats physical
}

std::string bottleneck_of(const CaseOutcome& outcome) {
  const Breakdown& b = outcome.breakdown;
  const std::int64_t moving = b.transmission_ps + b.queueing_ps;
  const bool program = outcome.collective == name_of(Collective::kProgram);
  const char* work = program ? "computing" : "reduction and copies";
  const std::pair<std::int64_t, const char*> stages[] = {{b.launch_ps, "collective launch"},
                                                         {b.endpoint_ps, "endpoint cost"},
                                                         {b.latency_ps, "wire and switch latency"},
                                                         {b.compute_ps, work},
                                                         {b.late_ps, "a late rank"}};
  const auto* largest = std::max_element(std::begin(stages), std::end(stages));
  const auto percent = [&](std::int64_t part) {
    return (parts_per_billion(part, outcome.time_ps) + 5'000'000) / 10'000'000;
  };
  if (b.repair_ps > std::max(moving, largest->first)) {
    return fmt::format("lost packets, {} sent again", outcome.packets_resent);
  }
  if (outcome.levels.empty() || largest->first > moving) {
    return fmt::format("{}, {} % of the time", largest->second, percent(largest->first));
  }
  const auto busiest = std::max_element(
      outcome.levels.begin(), outcome.levels.end(),
      [](const LevelUse& a, const LevelUse& c) { return a.busiest_ppb < c.busiest_ppb; });
  if (outcome.packets_resent > 0 && busiest->busiest_ppb < kRatioOne / 2) {
    // Nothing was short of room: the wait was for timers that noticed losses.
    return fmt::format("lost packets, {} sent again", outcome.packets_resent);
  }
  return fmt::format("{}, {} % busy", busiest->name,
                     (busiest->busiest_ppb + 5'000'000) / 10'000'000);
}

std::string fingerprint_of(const OpTimes& times) {
  Fingerprint print;
  for (const Time time : times.end) print.add(static_cast<std::uint64_t>(time.value));
  return print.hex();
}

}  // namespace sim
