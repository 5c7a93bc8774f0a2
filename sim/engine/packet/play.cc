// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sim/base/quantity.h"
#include "sim/engine/case_figures.h"
#include "sim/engine/critical_path.h"
#include "sim/engine/executor.h"
#include "sim/engine/packet/packet_network.h"
#include "sim/engine/packet/tenants.h"
#include "sim/engine/recording.h"

namespace sim::packet {
namespace {

constexpr std::size_t kMostWaiting = 8;

constexpr std::int64_t kFirstPeriod = 50'000;  // ps, of a recording; doubles as need be

// A buffer that cannot hold one packet would never grant it.
std::string too_small_buffer(const Topology& topology) {
  Ways ways(topology);
  for (std::uint32_t i = 0; i < topology.fabric->links().size(); ++i) {
    const LinkClass& kind = topology.fabric->kind(LinkId(i));
    const std::int64_t packet = ways.usual_payload(LinkId(i)) + kind.header.value;
    if (kind.flow == FlowControl::kUnbounded || kind.buffer.value >= packet) continue;
    return fmt::format("the buffer of a {} ({} B) cannot hold one packet of {} B", kind.name,
                       kind.buffer.value, packet);
  }
  return {};
}

// Use of each link class, in the fabric's order of classes.
std::vector<LevelUse> level_use(const Fabric& fabric, const Ports& ports, Time time) {
  std::vector<LevelUse> levels(fabric.classes().size());
  std::vector<std::int64_t> busiest(levels.size(), 0);
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const PortUse& use = ports.use(i);
    if (use.packets == 0) continue;
    LevelUse& level = levels[index(fabric.link(LinkId(i)).kind)];
    level.links += 1;
    level.payload_bytes += use.payload;
    std::int64_t& most = busiest[index(fabric.link(LinkId(i)).kind)];
    if (use.busy_ps <= most) continue;
    most = use.busy_ps;
    level.busiest = fabric.describe(LinkId(i));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].name = fabric.classes()[i].name;
    // The last acknowledgements may leave after the case has ended.
    levels[i].busiest_ppb = parts_per_billion(std::min(busiest[i], time.value), time.value);
  }
  std::erase_if(levels, [](const LevelUse& level) { return level.links == 0; });
  return levels;
}

void fill_verdict(CaseOutcome& outcome, const PacketNetwork& network, const Executor& executor,
                  const RunLimits& limits) {
  switch (network.end()) {
    case RunEnd::kStopped:
      outcome.verdict = Verdict::kInterrupted;
      outcome.failure = "interrupted";
      break;
    case RunEnd::kHopLimit:
      outcome.verdict = Verdict::kFailed;
      outcome.failure = fmt::format("stopped after {} packet-hops; limits.packet_hops is {}",
                                    network.packet_hops(), limits.packet_hops);
      break;
    case RunEnd::kTimeLimit:
      outcome.verdict = Verdict::kFailed;
      outcome.failure = fmt::format("stopped at {}; limits.simulated_time is {}",
                                    to_text(network.now().value, Dimension::kTime),
                                    to_text(limits.simulated_time.value, Dimension::kTime));
      break;
    case RunEnd::kDone:
      outcome.verdict = executor.finished() ? Verdict::kDone : Verdict::kStalled;
      break;
  }
  if (executor.finished()) return;
  outcome.waiting = executor.waiting(kMostWaiting);
  outcome.time_ps = network.now().value;
  for (const std::string& line : network.given_up()) outcome.waiting.push_back(line);
  if (outcome.verdict != Verdict::kStalled) return;
  if (const std::string ring = network.ring_of_waits(); !ring.empty()) {
    outcome.failure = ring;
  } else if (network.given_up().empty()) {
    outcome.failure = fmt::format("nothing can move any more; {}", network.why_stuck());
  } else if (network.refused()) {
    outcome.failure = "a transfer was given up: its receiver stays not ready";
  } else if (network.dropped() == 0) {
    outcome.failure =
        "a transfer was given up though nothing was lost: efa.retransmit_timer is "
        "shorter than a round trip";
  } else {
    outcome.failure = "a transfer was given up: its packets are lost again and again";
  }
}

void fill_times(CaseOutcome& outcome, const Case& c, const PacketNetwork& network,
                const Executor& executor, const EndCosts& costs) {
  const Time time = executor.time();
  fill_rates(outcome, c, time);
  outcome.levels = level_use(*c.topology->fabric, network.ports(), time);
  outcome.breakdown =
      critical_path(executor, *c.schedule, *c.placement, *c.topology, costs, network.repairs());
  outcome.bottleneck = bottleneck_of(outcome);
  outcome.fingerprint = fingerprint_of(executor.times());
  CHECK((c.conditions != nullptr && c.conditions->others()) || network.leftover().empty());
}

void fill_recording(CaseOutcome& outcome, const Case& c, const PacketNetwork& network,
                    const Executor& executor) {
  outcome.recording = record(c, executor, network.began());
  std::vector<LinkLoad> loads;
  for (std::uint32_t i = 0; i < network.ports().size(); ++i) {
    const PortUse& use = network.ports().use(i);
    if (use.packets > 0) loads.push_back({LinkId(i), use.payload, use.busy_ps});
  }
  outcome.recording.links = record_links(*c.topology->fabric, std::move(loads), executor.time());
  outcome.recording.curves = network.sampler().curves();
}

Impairment impairment_of(const LinkFault& fault) {
  Impairment what;
  what.loss = static_cast<std::uint64_t>(fault.loss);
  what.corruption = static_cast<std::uint64_t>(fault.corruption);
  what.bit_errors = static_cast<std::uint64_t>(fault.bit_errors);
  what.late = static_cast<std::uint64_t>(fault.late);
  what.lateness = fault.lateness.value;
  for (const DownTime& down : fault.down) what.outages.push_back({down.from.value, down.to.value});
  return what;
}

// Before the run: what links do wrong, and others' load.
void apply(const Conditions& conditions, PacketNetwork& network) {
  for (const LinkFault& fault : conditions.links) network.impair(fault.link, impairment_of(fault));
  for (const BackgroundLoad& load : conditions.loads) network.load(load.link, load.share_ppb);
}

// The case's executor, with its neighbours where it has any.
class Players {
 public:
  Players(const Case& c, const EndCosts& costs, PacketNetwork& network) {
    if (c.conditions == nullptr || !c.conditions->others()) {
      alone_ = std::make_unique<Executor>(*c.schedule, *c.placement, costs, network);
      own_ = alone_.get();
    } else {
      tenants_ = std::make_unique<Tenants>(network, costs);
      own_ = &tenants_->add(*c.schedule, *c.placement);
      for (const OtherJob& job : c.conditions->jobs) tenants_->add(*job.schedule, *job.placement);
    }
  }
  void run() { tenants_ == nullptr ? alone_->run() : tenants_->run(); }
  [[nodiscard]] const Executor& own() const { return *own_; }

 private:
  std::unique_ptr<Executor> alone_;
  std::unique_ptr<Tenants> tenants_;
  Executor* own_ = nullptr;
};

}  // namespace

CaseOutcome play(const Case& c, RunControl& control) {
  CaseOutcome outcome = outcome_of(c);
  if (const std::string fault = too_small_buffer(*c.topology); !fault.empty()) {
    outcome.verdict = Verdict::kFailed;
    outcome.failure = fault;
    return outcome;
  }
  const EndCosts costs = end_costs(*c.parameters);
  PacketNetwork network(*c.topology, costs, packet_options(*c.parameters), c.seed, c.limits,
                        control);
  if (c.conditions != nullptr) apply(*c.conditions, network);
  Players players(c, costs, network);
  if (c.most_spans > 0) network.record(c.schedule->ops(), kFirstPeriod);
  players.run();
  const Executor& executor = players.own();
  outcome.transfers = executor.sends_done();
  outcome.packets = static_cast<std::int64_t>(network.packets());
  outcome.packet_hops = static_cast<std::int64_t>(network.packet_hops());
  outcome.packets_dropped = static_cast<std::int64_t>(network.dropped());
  outcome.packets_resent = static_cast<std::int64_t>(network.repeats());
  fill_verdict(outcome, network, executor, c.limits);
  if (outcome.verdict != Verdict::kDone) return outcome;
  fill_times(outcome, c, network, executor, costs);
  if (c.most_spans > 0) fill_recording(outcome, c, network, executor);
  return outcome;
}

std::uint64_t expected_hops(const Case& c) {
  Ways ways(*c.topology);
  const bool semaphore = c.parameters->bytes("dma.semaphore").value > 0;
  std::uint64_t hops = 0;
  for (Rank rank = 0; rank < c.schedule->ranks(); ++rank) {
    for (const Op& op : c.schedule->program(rank).ops) {
      if (!op.transfers()) continue;
      const EndpointId from = c.placement->endpoint_of[rank];
      const EndpointId to = c.placement->endpoint_of[op.peer];
      const Ways::Way way = ways.way(from, to);
      const auto bytes = static_cast<std::uint64_t>(c.schedule->bytes(op).value);
      const std::uint64_t packets = (bytes + way.payload - 1) / way.payload;
      hops += (packets + (semaphore && !way.lossy ? 1 : 0)) * ways.path(from, to, 0).size();
    }
  }
  return hops;
}

const std::vector<std::string>& limits() {
  static const std::vector<std::string> lines = {
      "Parallel lanes between the same two places are one link of their summed rate.",
      "NeuronLink traffic moves in packets of packet.size; protocol overhead is a fixed share.",
      "Input buffers are shared by all outputs of a switch.",
      "EFA's congestion control is published only in outline: efa.transport says which model of "
      "it.",
      "Compute does not compete for HBM and DMA engines; ranks start at once, or as "
      "`arrival` says, and what is sent to a late one waits in its memory."};
  return lines;
}

}  // namespace sim::packet
