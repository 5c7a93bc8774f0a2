// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/composed_case.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "collectives/phases.h"
#include "sim/base/fingerprint.h"
#include "sim/engine/case_figures.h"
#include "sim/engine/composed.h"

namespace scenarios {
namespace {

using sim::Collective;

// A ring between so many domains is passed round in flat arrays: its programs are never written.
constexpr std::uint64_t kMostPlannedSteps = 20'000;

std::optional<sim::flow::Circulation> circulation_of(const collectives::PhaseJob& phase) {
  const sim::Rank n = phase.job.ranks;
  const bool all = phase.job.collective == Collective::kAllReduce;
  if (phase.inside || phase.algorithm != "ring" || phase.job.collective == Collective::kAllToAll) {
    return std::nullopt;
  }
  sim::flow::Circulation work;
  work.ranks = n;
  work.steps = (all ? 2 : 1) * (n - 1);
  work.merged = phase.job.collective == Collective::kAllGather ? 0 : n - 1;
  work.part = sim::Bytes(phase.job.bytes.value / n);
  return std::uint64_t{work.steps} * n > kMostPlannedSteps ? std::optional(work) : std::nullopt;
}

// Ops over all ranks, from the first rank's program.
std::uint64_t ops_of(const collectives::PhaseJob& phase) {
  const auto& algorithm = collectives::algorithms().find(phase.algorithm)->make;
  const sim::Layout layout = algorithm.layout(phase.job);
  return std::uint64_t{phase.job.ranks} * algorithm.plan(phase.job, layout, 0).ops.size();
}

class Composing {
 public:
  Composing(const Scenario& scenario, const CaseSpec& spec) : spec_(spec) {
    composed_.outline = &*scenario.outline;
    composed_.domains = spec.domains;
    composed_.costs = sim::end_costs(scenario.parameters);
    composed_.queues = static_cast<std::uint32_t>(scenario.parameters.count("dma.queues"));
    composed_.paths = static_cast<std::uint32_t>(scenario.parameters.count("efa.paths"));
    composed_.most_ops = scenario.most_ops;
    composed_.limits = scenario.limits;
  }

  // Empty when all phases are planned.
  std::string plan() {
    const sim::Result<collectives::Phases> phases = collectives::phases_of(spec_.job);
    if (!phases.ok()) return phases.failure().what;
    bytes_ = phases.value().bytes;
    for (const collectives::PhaseJob& phase : phases.value().phases) {
      std::string fault = add(phase);
      if (!fault.empty()) return fault;
    }
    return {};
  }

  sim::CaseOutcome play(sim::RunControl& control) {
    sim::CaseOutcome outcome;
    sim::flow::ComposedTimes times = sim::flow::play_composed(composed_, control);
    if (!times.fault.empty()) {
      outcome.verdict =
          times.end == sim::RunEnd::kStopped ? sim::Verdict::kInterrupted : sim::Verdict::kFailed;
      outcome.failure = times.fault;
      return outcome;
    }
    fill(outcome, std::move(times));
    return outcome;
  }

 private:
  std::string add(const collectives::PhaseJob& phase) {
    sim::flow::ComposedPhase one;
    one.name = fmt::format("{} {}", sim::name_of(phase.job.collective), phase.algorithm);
    one.inside = phase.inside;
    one.circulation = circulation_of(phase);
    if (!one.circulation) {
      if (const std::uint64_t ops = ops_of(phase); ops > composed_.most_ops) {
        return fmt::format("{} over {} ranks takes {} ops; limits.ops is {}", phase.algorithm,
                           phase.job.ranks, ops, composed_.most_ops);
      }
      sim::Result<sim::Schedule> planned = collectives::plan(phase.algorithm, phase.job);
      if (!planned.ok()) return planned.failure().what;
      schedules_.push_back(std::move(planned).value());
      one.schedule = &schedules_.back();
    }
    composed_.phases.push_back(std::move(one));
    return {};
  }

  void fill(sim::CaseOutcome& outcome, sim::flow::ComposedTimes times) const {
    const sim::Rank ranks = spec_.job.ranks;
    outcome.time_ps = times.time.value;
    outcome.algorithm_bandwidth = sim::average_rate(spec_.job.bytes, times.time).value;
    outcome.bus_bandwidth =
        static_cast<std::int64_t>(static_cast<__int128>(outcome.algorithm_bandwidth) *
                                  sim::bus_numerator(spec_.job.collective, ranks) / ranks);
    outcome.transfers = static_cast<std::int64_t>(times.transfers);
    outcome.breakdown = times.breakdown;
    outcome.levels = std::move(times.levels);
    outcome.bottleneck = sim::bottleneck_of(outcome);
    outcome.symmetry = std::move(times.symmetry);
    if (bytes_ != spec_.job.bytes) {
      outcome.symmetry.push_back(
          fmt::format("padded to {} B, so that all parts are equal", bytes_.value));
    }
    sim::Fingerprint print;
    for (const sim::Time ready : times.ready) print.add(static_cast<std::uint64_t>(ready.value));
    outcome.fingerprint = print.hex();
  }

  const CaseSpec& spec_;
  sim::flow::Composed composed_;
  std::deque<sim::Schedule> schedules_;
  sim::Bytes bytes_;
};

}  // namespace

sim::CaseOutcome play_composed_case(const Scenario& scenario, const CaseSpec& spec,
                                    sim::RunControl& control) {
  Composing composing(scenario, spec);
  if (std::string fault = composing.plan(); !fault.empty()) {
    sim::CaseOutcome outcome;
    outcome.verdict = sim::Verdict::kFailed;
    outcome.failure = std::move(fault);
    return outcome;
  }
  return composing.play(control);
}

}  // namespace scenarios
