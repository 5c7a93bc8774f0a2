// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/cases.h"

#include <fmt/format.h>

#include <algorithm>
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
    sim::Result<sim::Schedule> schedule = planned(job);
    if (!schedule.ok()) return "neighbour " + job.name + ": " + schedule.failure().what;
    neighbours.schedules.push_back(std::move(schedule).value());
    neighbours.conditions.jobs.push_back({&neighbours.schedules.back(), &job.placement});
  }
  return std::nullopt;
}

void put_names(const CaseSpec& spec, sim::CaseOutcome& outcome) {
  outcome.name = spec.name;
  outcome.group = spec.group;
  outcome.collective = std::string(sim::name_of(spec.job.collective));
  outcome.algorithm = spec.shown.empty() ? spec.algorithm : spec.shown;
  outcome.choice = spec.choice;
  outcome.ranks = spec.job.ranks;
  outcome.bytes = spec.job.bytes.value;
}

// Why the schedule of one group is wrong; nothing: it is right, or too large to be proved.
std::optional<std::string> disproved(const sim::Schedule& schedule) {
  const std::uint64_t blocks = std::uint64_t{schedule.layout().sizes.blocks()} * schedule.ranks();
  const bool known = schedule.layout().collective != sim::Collective::kProgram;
  if (!known || schedule.ops() > kMostVerifiedOps || blocks > kMostVerifiedBlocks) return {};
  return sim::verify(schedule);
}

// The case as `seed` draws it: who owes whom how much, and when ranks come.
CaseSpec drawn(const CaseSpec& spec, std::uint64_t seed) {
  CaseSpec one = spec;
  if (spec.seeds > 1 && spec.routing) {
    one.job.traffic = std::make_shared<const sim::Traffic>(
        collectives::routed(*spec.routing, spec.job.ranks, spec.server, seed));
    one.job.bytes = one.job.traffic->mean_buffer();
  }
  if (spec.arrival) one.placement.arrival = spec.arrival->drawn(spec.placement.ranks(), seed);
  return one;
}

sim::CaseOutcome play_drawn(const Scenario& scenario, const CaseSpec& spec, std::uint64_t seed,
                            sim::RunControl& control, std::atomic<std::uint64_t>& expected) {
  const sim::Result<sim::Schedule> group = collectives::plan(spec.algorithm, spec.job);
  if (!group.ok()) return failed_case(spec, group.failure().what);
  std::optional<sim::Schedule> all;  // of several groups; one is played as it is
  if (spec.groups > 1) all = sim::side_by_side(group.value(), spec.groups);
  sim::Case one = engine_case(scenario, spec, all ? *all : group.value());
  one.seed = seed;
  Neighbours neighbours;
  if (const auto fault = plan_neighbours(scenario, neighbours)) return failed_case(spec, *fault);
  one.conditions = &neighbours.conditions;
  const std::uint64_t work = sim::expected_work(scenario.fidelity, one);
  expected = work;
  if (scenario.fidelity == "packet" && work > scenario.limits.packet_hops) {
    return failed_case(spec, fmt::format("it takes {} packet-hops; limits.packet_hops is {}", work,
                                         scenario.limits.packet_hops));
  }
  if (const auto fault = disproved(group.value())) {
    return failed_case(spec, "the schedule is wrong: " + *fault);
  }
  return sim::engines().find(scenario.fidelity)->make(one, control);
}

// The run in the middle of those over all seeds, the earlier of two; or the first that went wrong.
sim::CaseOutcome play_seeds(const Scenario& scenario, const CaseSpec& spec,
                            sim::RunControl& control, std::atomic<std::uint64_t>& expected) {
  std::vector<sim::CaseOutcome> runs;
  for (std::int64_t run = 0; run < spec.seeds; ++run) {
    const std::uint64_t seed = scenario.seed + static_cast<std::uint64_t>(run);
    runs.push_back(play_drawn(scenario, drawn(spec, seed), seed, control, expected));
    if (runs.back().verdict != sim::Verdict::kDone) return std::move(runs.back());
  }
  if (runs.size() == 1) return std::move(runs.front());
  std::vector<std::int64_t> times;
  for (const sim::CaseOutcome& run : runs) times.push_back(run.time_ps);
  std::ranges::stable_sort(runs, {}, &sim::CaseOutcome::time_ps);
  sim::CaseOutcome outcome = std::move(runs[(runs.size() - 1) / 2]);
  outcome.seed_times_ps = std::move(times);
  return outcome;
}

sim::CaseOutcome plan_and_play(const Scenario& scenario, const CaseSpec& spec,
                               sim::RunControl& control, std::atomic<std::uint64_t>& expected) {
  if (scenario.fidelity == "auto") {
    return failed_case(spec, "fidelity: auto is for `ultrasim run`; name a level here");
  }
  sim::CaseOutcome outcome = spec.domains > 0 ? play_composed_case(scenario, spec, control)
                                              : play_seeds(scenario, spec, control, expected);
  put_names(spec, outcome);
  return outcome;
}

}  // namespace

sim::Result<sim::Schedule> planned(const CaseSpec& spec) {
  sim::Result<sim::Schedule> group = collectives::plan(spec.algorithm, spec.job);
  if (!group.ok() || spec.groups == 1) return group;
  return sim::side_by_side(group.value(), spec.groups);
}

std::uint64_t weight_of(const CaseSpec& spec) {
  // Every rank moves its buffer about once, twice for an all-reduce; each transfer is a packet at
  // least.
  const auto bytes = static_cast<std::uint64_t>(spec.job.bytes.value);
  const std::uint64_t times = spec.job.collective == sim::Collective::kAllReduce ? 2 : 1;
  return times * spec.groups * spec.job.ranks * (bytes / 4'096 + spec.job.ranks) *
         static_cast<std::uint64_t>(spec.seeds);
}

sim::Result<std::uint64_t> hops_of(const Scenario& scenario, const CaseSpec& spec) {
  if (spec.domains > 0) return std::uint64_t{spec.job.ranks};
  const sim::Result<sim::Schedule> schedule = planned(spec);
  if (!schedule.ok()) return schedule.failure();
  const std::uint64_t once =
      sim::expected_work(scenario.fidelity, engine_case(scenario, spec, schedule.value()));
  return once * static_cast<std::uint64_t>(spec.seeds);
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
