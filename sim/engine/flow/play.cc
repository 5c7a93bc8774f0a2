// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/play.h"

#include "sim/base/check.h"
#include "sim/engine/case_figures.h"
#include "sim/engine/executor.h"
#include "sim/engine/flow/figures.h"
#include "sim/engine/flow/flow_network.h"
#include "sim/engine/flow/pairs.h"

namespace sim::flow {
namespace {

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
  fill_fluid(outcome, c, executor, {ways, network.moved(), network.end(), network.now(), costs});
  CHECK(outcome.verdict != Verdict::kDone || network.solver().active() == 0);
  return outcome;
}

const std::vector<std::string>& limits() {
  static const std::vector<std::string> lines = {
      "Transfers are fluid: each has its max-min fair share of every link at once; there are no "
      "packets, queues, credits or losses.",
      "Parallel lanes between the same two places are one link of their summed rate.",
      "EFA has no window and no congestion control: it uses its fair share at once.",
      "Compute does not compete for HBM and DMA engines; ranks start at once, or as "
      "`arrival` says, and what is sent to a late one waits in its memory."};
  return lines;
}

}  // namespace sim::flow
