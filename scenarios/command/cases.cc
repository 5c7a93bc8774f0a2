// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/cases.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/command/composed_case.h"
#include "sim/engine/engines.h"
#include "sim/schedule/verify.h"

namespace scenarios {
namespace {

sim::Case engine_case(const Scenario& scenario, const CaseSpec& spec,
                      const sim::Schedule& schedule) {
  sim::Case one;
  one.topology = &scenario.topology;
  one.schedule = &schedule;
  one.placement = &spec.placement;
  one.bytes = spec.job.bytes;
  one.parameters = &scenario.parameters;
  one.seed = scenario.seed;
  one.limits = scenario.limits;
  one.most_spans = scenario.most_spans;
  return one;
}

// The conditions of a case, with the schedules that its neighbours play.
struct Neighbours {
  sim::Conditions conditions;
  std::vector<sim::Schedule> schedules;
};

std::optional<std::string> plan_neighbours(const Scenario& scenario, Neighbours& neighbours) {
  neighbours.conditions = scenario.conditions;
  neighbours.schedules.reserve(scenario.neighbours.size());  // they are pointed at
  for (const CaseSpec& job : scenario.neighbours) {
    sim::Result<sim::Schedule> planned = collectives::plan(job.algorithm, job.job);
    if (!planned.ok()) return "neighbour " + job.name + ": " + planned.failure().what;
    neighbours.schedules.push_back(std::move(planned).value());
    neighbours.conditions.jobs.push_back({&neighbours.schedules.back(), &job.placement});
  }
  return std::nullopt;
}

void put_names(const CaseSpec& spec, sim::CaseOutcome& outcome) {
  outcome.name = spec.name;
  outcome.group = spec.group;
  outcome.collective = std::string(sim::name_of(spec.job.collective));
  outcome.algorithm = spec.algorithm;
  outcome.ranks = spec.job.ranks;
  outcome.bytes = spec.job.bytes.value;
}

sim::CaseOutcome plan_and_play(const Scenario& scenario, const CaseSpec& spec,
                               sim::RunControl& control, std::atomic<std::uint64_t>& expected) {
  if (scenario.fidelity == "auto") {
    return failed_case(spec, "fidelity: auto is for `ultrasim run`; name a level here");
  }
  if (spec.domains > 0) {
    sim::CaseOutcome told = play_composed_case(scenario, spec, control);
    put_names(spec, told);
    return told;
  }
  const sim::Result<sim::Schedule> planned = collectives::plan(spec.algorithm, spec.job);
  if (!planned.ok()) return failed_case(spec, planned.failure().what);
  const sim::Schedule& schedule = planned.value();
  sim::Case one = engine_case(scenario, spec, schedule);
  Neighbours neighbours;
  if (const auto fault = plan_neighbours(scenario, neighbours)) return failed_case(spec, *fault);
  one.conditions = &neighbours.conditions;
  const std::uint64_t work = sim::expected_work(scenario.fidelity, one);
  expected = work;
  if (scenario.fidelity == "packet" && work > scenario.limits.packet_hops) {
    return failed_case(spec, fmt::format("it takes {} packet-hops; limits.packet_hops is {}", work,
                                         scenario.limits.packet_hops));
  }
  const std::uint64_t blocks = std::uint64_t{schedule.layout().sizes.blocks()} * schedule.ranks();
  const bool known = spec.job.collective != sim::Collective::kProgram;
  if (known && schedule.ops() <= kMostVerifiedOps && blocks <= kMostVerifiedBlocks) {
    if (const auto fault = sim::verify(schedule)) {
      return failed_case(spec, "the schedule is wrong: " + *fault);
    }
  }
  sim::CaseOutcome outcome = sim::engines().find(scenario.fidelity)->make(one, control);
  put_names(spec, outcome);
  return outcome;
}

}  // namespace

std::uint64_t weight_of(const CaseSpec& spec) {
  // Every rank moves its buffer about once, twice for an all-reduce; each transfer is a packet at
  // least.
  const auto bytes = static_cast<std::uint64_t>(spec.job.bytes.value);
  const std::uint64_t times = spec.job.collective == sim::Collective::kAllReduce ? 2 : 1;
  return times * spec.job.ranks * (bytes / 4'096 + spec.job.ranks);
}

sim::Result<std::uint64_t> hops_of(const Scenario& scenario, const CaseSpec& spec) {
  if (spec.domains > 0) return std::uint64_t{spec.job.ranks};
  sim::Result<sim::Schedule> planned = collectives::plan(spec.algorithm, spec.job);
  if (!planned.ok()) return planned.failure();
  return sim::expected_work(scenario.fidelity, engine_case(scenario, spec, planned.value()));
}

sim::CaseOutcome play_case(const Scenario& scenario, const CaseSpec& spec, sim::RunControl& control,
                           std::atomic<std::uint64_t>& expected) {
  try {
    return plan_and_play(scenario, spec, control, expected);
  } catch (const std::bad_alloc&) {
    return failed_case(spec, "out of memory");
  } catch (const std::exception& error) {
    return failed_case(spec, error.what());
  }
}

sim::CaseOutcome failed_case(const CaseSpec& spec, std::string why) {
  sim::CaseOutcome outcome;
  put_names(spec, outcome);
  outcome.verdict = sim::Verdict::kFailed;
  outcome.failure = std::move(why);
  return outcome;
}

}  // namespace scenarios
