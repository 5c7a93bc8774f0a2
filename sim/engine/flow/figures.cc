// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/figures.h"

#include <algorithm>

#include "sim/engine/case_figures.h"
#include "sim/engine/critical_path.h"
#include "sim/engine/recording.h"

namespace sim::flow {
namespace {

constexpr std::size_t kMostLines = 8;  // of who waits for what

// Bytes over each fabric link.
std::vector<std::int64_t> loads_of(const FlowWays& ways, const std::vector<std::int64_t>& moved,
                                   std::size_t links) {
  std::vector<std::int64_t> load(links, 0);
  for (std::uint32_t pair = 0; pair < moved.size(); ++pair) {
    if (moved[pair] == 0) continue;
    ways.for_each_link(pair, [&](LinkId link, std::uint32_t paths) {
      load[index(link)] += (moved[pair] + paths - 1) / paths;
    });
  }
  return load;
}

std::vector<LinkLoad> link_loads(const Fabric& fabric, const std::vector<std::int64_t>& load) {
  std::vector<LinkLoad> loads;
  for (std::uint32_t i = 0; i < load.size(); ++i) {
    if (load[i] == 0) continue;
    const Time busy = transfer_time(Bytes(load[i]), payload_rate(fabric, LinkId(i)));
    loads.push_back({LinkId(i), load[i], busy.value});
  }
  return loads;
}

void fill_unfinished(CaseOutcome& outcome, const Executor& executor, const FluidRun& run) {
  outcome.waiting = executor.waiting(kMostLines);
  outcome.time_ps = run.now.value;
  switch (run.end) {
    case RunEnd::kStopped:
      outcome.verdict = Verdict::kInterrupted;
      outcome.failure = "interrupted";
      return;
    case RunEnd::kTimeLimit:
      outcome.verdict = Verdict::kFailed;
      outcome.failure = "more simulated time than limits.simulated_time allows";
      return;
    default:
      outcome.verdict = Verdict::kStalled;
      outcome.failure = "nothing can move any more";
  }
}

}  // namespace

std::vector<LevelUse> use_of_levels(const Fabric& fabric, const std::vector<std::int64_t>& load,
                                    Time time) {
  std::vector<LevelUse> levels(fabric.classes().size());
  std::vector<std::int64_t> busiest(levels.size(), 0);
  for (std::uint32_t i = 0; i < load.size(); ++i) {
    if (load[i] == 0) continue;
    const std::uint32_t kind = index(fabric.link(LinkId(i)).kind);
    levels[kind].links += 1;
    levels[kind].payload_bytes += load[i];
    const Time busy = transfer_time(Bytes(load[i]), payload_rate(fabric, LinkId(i)));
    if (busy.value <= busiest[kind]) continue;
    busiest[kind] = busy.value;
    levels[kind].busiest = fabric.describe(LinkId(i));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].name = fabric.classes()[i].name;
    levels[i].busiest_ppb = parts_per_billion(std::min(busiest[i], time.value), time.value);
  }
  std::erase_if(levels, [](const LevelUse& level) { return level.links == 0; });
  return levels;
}

void fill_fluid(CaseOutcome& outcome, const Case& c, const Executor& executor,
                const FluidRun& run) {
  outcome.transfers = executor.sends_done();
  if (!executor.finished()) return fill_unfinished(outcome, executor, run);
  const Fabric& fabric = *c.topology->fabric;
  const Time time = executor.time();
  fill_rates(outcome, c, time);
  const std::vector<std::int64_t> load = loads_of(run.ways, run.moved, fabric.links().size());
  outcome.levels = use_of_levels(fabric, load, time);
  outcome.breakdown = critical_path(executor, *c.schedule, *c.placement, *c.topology, run.costs);
  outcome.bottleneck = bottleneck_of(outcome);
  outcome.fingerprint = fingerprint_of(executor.times());
  if (c.most_spans == 0) return;
  outcome.recording = record(c, executor, {});
  outcome.recording.links = record_links(fabric, link_loads(fabric, load), time);
}

}  // namespace sim::flow
