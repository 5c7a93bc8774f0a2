// SPDX-License-Identifier: GPL-2.0-only
// Plays every algorithm of a scenario at every size and prints, as a `selection` that scenarios can
// hold, who is fastest up to which size. Between two sizes played the rule changes at their
// geometric mean. What was measured stands beside each rule as a comment.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/play_scenario.h"
#include "sim/base/quantity.h"

namespace scenarios {
namespace {

// The fastest of one collective, group size and tensor size, and the runner-up.
struct Best {
  std::string algorithm;
  std::int64_t time_ps = std::numeric_limits<std::int64_t>::max();
  std::string next;
  std::int64_t next_ps = std::numeric_limits<std::int64_t>::max();

  void take(const std::string& name, std::int64_t time) {
    if (time < time_ps) {
      next = std::exchange(algorithm, name);
      next_ps = std::exchange(time_ps, time);
    } else if (time < next_ps) {
      next = name;
      next_ps = time;
    }
  }
};

using Sizes = std::map<std::int64_t, Best>;                           // by bytes
using Tuned = std::map<sim::Collective, std::map<sim::Rank, Sizes>>;  // and by ranks

std::string text_of(const Best& best) {
  const auto us = [](std::int64_t ps) { return static_cast<double>(ps) / 1e6; };
  std::string text = fmt::format("{:.1f} us", us(best.time_ps));
  if (!best.next.empty()) text += fmt::format("; {} {:.1f} us", best.next, us(best.next_ps));
  return text;
}

// One rule for each run of sizes with one winner.
std::string rules_of(sim::Collective collective, const Sizes& sizes, const std::string& ranks) {
  std::string text;
  for (auto at = sizes.begin(); at != sizes.end(); ++at) {
    const auto next = std::next(at);
    const bool last = next == sizes.end();
    text += fmt::format("  # {}: {} {}\n", sim::to_text(at->first, sim::Dimension::kBytes),
                        at->second.algorithm, text_of(at->second));
    if (!last && next->second.algorithm == at->second.algorithm) continue;
    text += fmt::format("  - {{collective: {}, algorithm: {}", sim::name_of(collective),
                        at->second.algorithm);
    if (!last) {
      const double middle =
          std::sqrt(static_cast<double>(at->first) * static_cast<double>(next->first));
      text += fmt::format(", up_to: {} B", static_cast<std::int64_t>(middle));
    }
    text += ranks + "}\n";
  }
  return text;
}

std::string selection_of(const Scenario& scenario, const Tuned& tuned) {
  std::string text = fmt::format("# {} by {}, fidelity {}\nselection:\n", scenario.fabric,
                                 scenario.name, scenario.fidelity);
  for (const auto& [collective, groups] : tuned) {
    for (auto group = groups.begin(); group != groups.end(); ++group) {
      text += fmt::format("  # {} over {} ranks\n", sim::name_of(collective), group->first);
      const bool last = std::next(group) == groups.end();
      text += rules_of(collective, group->second,
                       last ? "" : fmt::format(", most_ranks: {}", group->first));
    }
  }
  return text;
}

}  // namespace

int tune(const TuneArguments& arguments) {
  const Loaded loaded = load_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  const Scenario& scenario = *loaded.scenario;
  Interrupts interrupts;
  const std::size_t jobs = jobs_for(0, scenario.cases.size());
  sim::Outcome outcome;
  {
    Progress progress(progress_mode(false));
    outcome = play_scenario(scenario, jobs, interrupts, progress);
  }
  if (outcome.cases_missing > 0) {
    print_fault({fmt::format("stopped with {} of {} cases missing", outcome.cases_missing,
                             scenario.cases.size()),
                 ""});
    return kInterrupted;
  }
  Tuned tuned;
  for (std::size_t i = 0; i < scenario.cases.size(); ++i) {
    const sim::CaseOutcome& one = outcome.cases[i];
    if (one.verdict != sim::Verdict::kDone) {
      print_fault({one.name + ": " + one.failure, "leave it out, or raise the limit"});
      return kFailed;
    }
    const CaseSpec& spec = scenario.cases[i];
    tuned[spec.job.collective][spec.job.ranks][spec.job.bytes.value].take(spec.algorithm,
                                                                          one.time_ps);
  }
  return print_answer(selection_of(scenario, tuned), kDone);
}

}  // namespace scenarios
