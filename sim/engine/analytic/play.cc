// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/analytic/play.h"

#include "sim/engine/analytic/analytic_network.h"
#include "sim/engine/analytic/occupancy.h"
#include "sim/engine/case_figures.h"
#include "sim/engine/executor.h"
#include "sim/engine/flow/figures.h"
#include "sim/engine/flow/pairs.h"

namespace sim::analytic {
namespace {

flow::FlowWays ways_of(const Case& c) {
  return {*c.topology, flow::pairs_of(*c.schedule, *c.placement),
          static_cast<std::uint32_t>(c.parameters->count("efa.paths"))};
}

}  // namespace

const std::vector<Key>& analytic_keys() {
  static const std::vector<Key> keys = [] {
    Key paths;
    paths.name = "efa.paths";
    paths.dimension = Dimension::kCount;
    paths.help = "most paths that one transfer is spread over";
    paths.required = true;
    paths.least = 1;
    paths.most = 1024;
    return std::vector<Key>{paths};
  }();
  return keys;
}

CaseOutcome play(const Case& c, RunControl& control) {
  CaseOutcome outcome = outcome_of(c);
  const EndCosts costs = end_costs(*c.parameters);
  const flow::FlowWays ways = ways_of(c);
  const std::vector<SendTimes> sends = occupancy(*c.schedule, *c.placement, ways);
  AnalyticNetwork network(ways, sends, costs, c.limits, control);
  Executor executor(*c.schedule, *c.placement, costs, network);
  executor.run();
  flow::fill_fluid(outcome, c, executor,
                   {ways, network.moved(), network.end(), network.now(), costs});
  return outcome;
}

const std::vector<std::string>& limits() {
  static const std::vector<std::string> lines = {
      "Times come from link loads: sends that wait for equally long chains of sends share links as "
      "if they moved together, and a port serves its sends in order. There are no packets, queues, "
      "credits or losses, and no shares that change over time.",
      "Parallel lanes between the same two places are one link of their summed rate.",
      "EFA has no window and no congestion control: it uses its fair share at once.",
      "Compute does not compete for HBM and DMA engines; ranks start at once, or as "
      "`arrival` says, and what is sent to a late one waits in its memory."};
  return lines;
}

}  // namespace sim::analytic
