// SPDX-License-Identifier: GPL-2.0-only
// Plays a scenario at every level and prints how far they lie apart.
#include <algorithm>
#include <utility>

#include "analysis/agreement.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/cases.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/play_scenario.h"
#include "sim/engine/engines.h"

namespace scenarios {
namespace {

CaseWork work_of(const std::vector<Scenario>& levels) {
  const std::size_t cases = levels.front().cases.size();
  CaseWork work;
  for (const Scenario& level : levels) {
    // Packets cost most by far.
    const std::uint64_t factor = level.fidelity == "packet" ? 16 : 1;
    for (const CaseSpec& spec : level.cases) work.weights.push_back(factor * weight_of(spec));
  }
  work.play = [&levels, cases](std::size_t number, sim::RunControl& control,
                               std::atomic<std::uint64_t>& expected) {
    const Scenario& level = levels[number / cases];
    return play_case(level, level.cases[number % cases], control, expected);
  };
  work.failed = [&levels, cases](std::size_t number, std::string why) {
    return failed_case(levels[number / cases].cases[number % cases], std::move(why));
  };
  return work;
}

analysis::Agreement agreement_of(const std::vector<Scenario>& levels, Played& played) {
  analysis::Agreement agreement;
  agreement.scenario = levels.front().name;
  for (const Scenario& level : levels) agreement.levels.push_back(level.fidelity);
  const std::size_t cases = levels.front().cases.size();
  for (std::size_t one = 0; one < cases; ++one) {
    analysis::AgreementCase row;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      std::optional<sim::CaseOutcome>& found = played.cases[level * cases + one];
      row.at.push_back(found ? std::move(*found)
                             : failed_case(levels[level].cases[one], "interrupted"));
    }
    agreement.cases.push_back(std::move(row));
  }
  return agreement;
}

bool all_done(const analysis::Agreement& agreement) {
  return std::ranges::all_of(agreement.cases, [](const analysis::AgreementCase& one) {
    return std::ranges::all_of(one.at, [](const sim::CaseOutcome& outcome) {
      return outcome.verdict == sim::Verdict::kDone;
    });
  });
}

}  // namespace

int agree(const AgreeArguments& arguments) {
  std::vector<Scenario> levels;
  for (const std::string& name : sim::engines().names()) {
    std::vector<Override> overrides = arguments.overrides;
    overrides.push_back({"fidelity", name});
    Loaded loaded = load_file(arguments.file, overrides);
    if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
    levels.push_back(std::move(*loaded.scenario));
  }
  Interrupts interrupts;
  const CaseWork work = work_of(levels);
  const std::size_t jobs = jobs_for(0, work.weights.size());
  Played played;
  {
    Progress progress(progress_mode(arguments.quiet));
    played = play_cases(work, jobs, interrupts, progress);
  }
  const bool interrupted = played.interrupted;
  const analysis::Agreement agreement = agreement_of(levels, played);
  for (const analysis::AgreementCase& row : agreement.cases) {
    for (const sim::CaseOutcome& one : row.at) {
      if (!one.failure.empty()) print_fault({one.name + ": " + one.failure, ""});
    }
  }
  const int code = interrupted ? kInterrupted : all_done(agreement) ? kDone : kFailed;
  return print_answer(analysis::agreement_page(agreement), code);
}

}  // namespace scenarios
