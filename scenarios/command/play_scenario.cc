// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/play_scenario.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "scenarios/command/cases.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/workers.h"
#include "sim/engine/engines.h"
#include "sim/results/codec.h"

namespace scenarios {
namespace {

using sim::Outcome;
using sim::Verdict;

CaseWork work_of(const Scenario& scenario) {
  CaseWork work;
  for (const CaseSpec& spec : scenario.cases) work.weights.push_back(weight_of(spec));
  work.play = [&scenario](std::size_t number, sim::RunControl& control,
                          std::atomic<std::uint64_t>& expected) {
    return play_case(scenario, scenario.cases[number], control, expected);
  };
  work.failed = [&scenario](std::size_t number, std::string why) {
    return failed_case(scenario.cases[number], std::move(why));
  };
  return work;
}

// The same as work on bytes, kept in `played`.
Work work_on(const CaseWork& cases, Played& played) {
  Work work;
  work.weights = cases.weights;
  work.play = [&cases](std::size_t number, sim::RunControl& control,
                       std::atomic<std::uint64_t>& expected) -> std::optional<std::string> {
    const sim::CaseOutcome outcome = cases.play(number, control, expected);
    if (outcome.verdict == Verdict::kInterrupted) return std::nullopt;
    return sim::encode_case(outcome);
  };
  work.failed = [&cases](std::size_t number, std::string why) {
    return sim::encode_case(cases.failed(number, std::move(why)));
  };
  work.keep = [&cases, &played](std::size_t number, const std::string& bytes) {
    sim::Result<sim::CaseOutcome> read = sim::decode_case(bytes);
    played.cases[number] =
        read.ok() ? std::move(read).value() : cases.failed(number, read.failure().what);
  };
  return work;
}

std::string shown(const sim::Quantity& quantity) {
  return quantity.dimension == sim::Dimension::kText
             ? quantity.text
             : sim::to_text(quantity.amount, quantity.dimension);
}

std::vector<sim::Assumption> assumptions_of(const Scenario& scenario) {
  std::vector<sim::Assumption> assumptions;
  for (const sim::Parameter& one : scenario.parameters.list()) {
    assumptions.push_back({one.name, shown(one.value), shown(one.low), shown(one.high),
                           std::string(sim::name_of(one.grade)), one.source});
  }
  return assumptions;
}

Verdict verdict_of(const Outcome& outcome) {
  if (outcome.cases_missing > 0) return Verdict::kInterrupted;
  for (const Verdict verdict : {Verdict::kFailed, Verdict::kStalled}) {
    if (std::ranges::find(outcome.cases, verdict, &sim::CaseOutcome::verdict) !=
        outcome.cases.end()) {
      return verdict;
    }
  }
  return Verdict::kDone;
}

}  // namespace

Outcome outcome_of(const Scenario& scenario, std::vector<std::optional<sim::CaseOutcome>> cases) {
  Outcome outcome;
  outcome.scenario = scenario.name;
  outcome.about = scenario.about;
  outcome.fabric = scenario.fabric;
  outcome.fidelity = scenario.fidelity;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i]) {
      outcome.cases.push_back(std::move(*cases[i]));
    } else {
      outcome.missing.push_back(scenario.cases[i].name);
    }
  }
  outcome.cases_missing = static_cast<std::int64_t>(outcome.missing.size());
  outcome.verdict = verdict_of(outcome);
  outcome.assumptions = assumptions_of(scenario);
  outcome.limits = sim::limits_of(scenario.fidelity);
  outcome.echo = scenario.echo;
  outcome.input_hash = scenario.input_hash;
  outcome.version = ULTRASIM_VERSION;
  outcome.seed = static_cast<std::int64_t>(scenario.seed);
  return outcome;
}

Played play_cases(const CaseWork& cases, std::size_t jobs, Interrupts& interrupts,
                  Progress& progress) {
  Played played;
  played.cases.resize(cases.weights.size());
  const Work work = work_on(cases, played);
  played.interrupted = jobs > 1 ? play_in_workers(work, jobs, interrupts, progress)
                                : play_here(work, interrupts, progress);
  return played;
}

Outcome play_scenario(const Scenario& scenario, std::size_t jobs, Interrupts& interrupts,
                      Progress& progress) {
  return outcome_of(scenario, play_cases(work_of(scenario), jobs, interrupts, progress).cases);
}

std::size_t jobs_for(int wanted, std::size_t pieces) {
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return std::min(static_cast<std::size_t>(wanted > 0 ? wanted : cores), pieces);
}

int exit_code_of(Verdict verdict) {
  if (verdict == Verdict::kInterrupted) return kInterrupted;
  return verdict == Verdict::kDone ? kDone : kFailed;
}

}  // namespace scenarios
