// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/variants.h"

#include <optional>
#include <utility>

#include "scenarios/command/cases.h"
#include "scenarios/command/play_scenario.h"
#include "scenarios/command/workers.h"
#include "sim/results/codec.h"

namespace scenarios {
namespace {

// What crosses the pipe: one letter, then an encoded Outcome or the faults.
constexpr char kOutcome = 'o';
constexpr char kFaults = 'f';

std::optional<std::string> play_one(const Variants& variants, std::size_t number,
                                    sim::RunControl& control) {
  const Loaded loaded = load_text(variants.text, variants.shown_name, variants.overrides(number));
  if (!loaded.scenario) return kFaults + loaded.faults;
  const Scenario& scenario = *loaded.scenario;
  std::vector<std::optional<sim::CaseOutcome>> cases;
  std::atomic<std::uint64_t> expected{0};
  for (const CaseSpec& spec : scenario.cases) {
    sim::CaseOutcome played = play_case(scenario, spec, control, expected);
    if (played.verdict == sim::Verdict::kInterrupted || control.stop) return std::nullopt;
    cases.emplace_back(std::move(played));
  }
  return kOutcome + sim::encode(outcome_of(scenario, std::move(cases)));
}

sim::Result<sim::Outcome> read_back(const std::string& bytes) {
  if (bytes.starts_with(kOutcome)) return sim::decode_outcome(std::string_view(bytes).substr(1));
  return sim::Failure{bytes.empty() ? "nothing came back" : bytes.substr(1), ""};
}

}  // namespace

bool play_variants(const Variants& variants, int jobs, Interrupts& interrupts, Progress& progress) {
  Work work;
  work.noun = "run";
  work.weights.assign(variants.count, 1);
  work.play = [&variants](std::size_t number, sim::RunControl& control,
                          std::atomic<std::uint64_t>&) {
    return play_one(variants, number, control);
  };
  work.failed = [](std::size_t, const std::string& why) { return kFaults + why; };
  work.keep = [&variants](std::size_t number, const std::string& bytes) {
    variants.keep(number, read_back(bytes));
  };
  return play_in_workers(work, jobs_for(jobs, variants.count), interrupts, progress);
}

}  // namespace scenarios
