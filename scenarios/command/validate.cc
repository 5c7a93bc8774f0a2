// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <ranges>
#include <string>
#include <vector>

#include "analysis/figures.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/cases.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/study.h"
#include "scenarios/workload/scenario.h"

namespace scenarios {

namespace {

constexpr std::size_t kMostTried = 100;  // values of one axis: each builds the cluster anew

// Every change of `what_if`, and the first values of each axis of `sweep`, have to load.
bool variants_load(const ValidateArguments& arguments, const Scenario& scenario) {
  std::vector<std::vector<Override>> changes;
  for (const Variant& one : scenario.what_if) changes.push_back(one.overrides);
  for (const Axis& axis : scenario.sweep) {
    for (const std::string& value : axis.values | std::views::take(kMostTried)) {
      changes.push_back({{axis.path, value}});
    }
  }
  bool fine = true;
  for (const std::vector<Override>& change : changes) {
    const Loaded loaded = load_file(arguments.file, joined(arguments.overrides, change));
    if (!loaded.scenario) print_error(loaded.faults), fine = false;
  }
  return fine;
}

}  // namespace

int validate(const ValidateArguments& arguments) {
  if (workload::asks_about_model(arguments.file)) return validate_model(arguments);
  const Loaded loaded = load_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  const Scenario& scenario = *loaded.scenario;
  if (!variants_load(arguments, scenario)) return kWrongInput;
  const bool packets = scenario.fidelity == "packet";
  std::uint64_t all_hops = 0;
  std::string choices;
  int code = kDone;
  for (const CaseSpec& spec : scenario.cases) {
    const sim::Result<std::uint64_t> hops = hops_of(scenario, spec);
    if (!hops.ok()) {
      print_fault({spec.name + ": " + hops.failure().what, hops.failure().hint});
      code = kWrongInput;
    } else if (packets && hops.value() > scenario.limits.packet_hops) {
      print_fault({fmt::format("{}: it takes {} packet-hops; limits.packet_hops is {}", spec.name,
                               hops.value(), scenario.limits.packet_hops),
                   "raise the limit or make the case smaller"});
      code = kWrongInput;
    } else {
      all_hops += hops.value();
      if (!spec.choice.empty()) choices += fmt::format("auto: {}: {}\n", spec.name, spec.choice);
    }
  }
  if (code != kDone) return code;
  const auto cases = static_cast<std::int64_t>(scenario.cases.size());
  return print_answer(
      choices + fmt::format("ok: {}, about {:.1f} M {}\n", analysis::counted(cases, "case"),
                            static_cast<double>(all_hops) / 1e6,
                            packets ? "packet-hops" : "transfers"),
      kDone);
}

}  // namespace scenarios
