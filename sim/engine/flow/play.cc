// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/play.h"

#include <algorithm>
#include <utility>

#include "sim/base/check.h"
#include "sim/engine/case_figures.h"
#include "sim/engine/critical_path.h"
#include "sim/engine/executor.h"
#include "sim/engine/flow/flow_network.h"
#include "sim/engine/flow/pairs.h"

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

void fill_stall(CaseOutcome& outcome, const FlowNetwork& network, const Executor& executor) {
  outcome.waiting = executor.waiting(kMostLines);
  outcome.time_ps = network.now().value;
  switch (network.end()) {
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
      outcome.failure = network.under_way() > 0
                            ? "nothing can move any more: transfers cross a link without capacity"
                            : "nothing can move any more";
  }
}

Key count_key(const char* name, const char* help) {
  Key key;
  key.name = name;
  key.dimension = Dimension::kCount;
  key.help = help;
  key.required = true;
  key.least = 1;
  key.most = 1024;
  return key;
}

}  // namespace

std::vector<LevelUse> level_use(const Fabric& fabric, const std::vector<std::int64_t>& load,
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

const std::vector<Key>& flow_keys() {
  static const std::vector<Key> keys = {
      count_key("dma.queues", "transfers that one port of a rank sends at once"),
      count_key("efa.paths", "most paths that one transfer is spread over")};
  return keys;
}

CaseOutcome play(const Case& c, RunControl& control) {
  CaseOutcome outcome = outcome_of(c);
  const EndCosts costs = end_costs(*c.parameters);
  const FlowWays ways(*c.topology, pairs_of(*c.schedule, *c.placement),
                      static_cast<std::uint32_t>(c.parameters->count("efa.paths")));
  const auto queues = static_cast<std::uint32_t>(c.parameters->count("dma.queues"));
  FlowNetwork network(ways, costs, queues, c.limits, control);
  Executor executor(*c.schedule, *c.placement, costs, network);
  executor.run();
  outcome.transfers = executor.sends_done();
  if (!executor.finished()) {
    fill_stall(outcome, network, executor);
    return outcome;
  }
  CHECK(network.under_way() == 0 && network.solver().active() == 0);
  const Fabric& fabric = *c.topology->fabric;
  fill_rates(outcome, c, executor.time());
  outcome.levels =
      level_use(fabric, loads_of(ways, network.moved(), fabric.links().size()), executor.time());
  outcome.breakdown = critical_path(executor, *c.schedule, *c.placement, *c.topology, costs);
  outcome.bottleneck = bottleneck_of(outcome);
  outcome.fingerprint = fingerprint_of(executor.times());
  return outcome;
}

const std::vector<std::string>& limits() {
  static const std::vector<std::string> lines = {
      "Transfers are fluid: each has its max-min fair share of every link at once; there are no "
      "packets, queues, credits or losses.",
      "Parallel lanes between the same two places are one link of their summed rate.",
      "EFA has no window and no congestion control: it uses its fair share at once.",
      "Compute does not compete for HBM and DMA engines; all ranks start at once."};
  return lines;
}

}  // namespace sim::flow
