// SPDX-License-Identifier: GPL-2.0-only
// The schedule of one case as MSCCL XML, which MSCCL, RCCL and `algorithm: file.xml` take.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/msccl.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"

namespace scenarios {
namespace {

std::vector<std::string> names_of(const std::vector<CaseSpec>& cases) {
  std::vector<std::string> names;
  for (const CaseSpec& one : cases) names.push_back(one.name);
  return names;
}

// The case asked for; null after it was said why there is none.
const CaseSpec* find_case(const Scenario& scenario, const std::string& name) {
  const std::vector<std::string> names = names_of(scenario.cases);
  if (name.empty()) {
    if (scenario.cases.size() == 1) return &scenario.cases.front();
    print_fault({fmt::format("the scenario has {} cases", scenario.cases.size()),
                 fmt::format("name one, such as --case {}", names.front())});
    return nullptr;
  }
  const auto found = std::ranges::find(scenario.cases, name, &CaseSpec::name);
  if (found != scenario.cases.end()) return &*found;
  const std::string near = sim::nearest(name, names);
  print_fault({fmt::format("there is no case {}", sim::quoted(name)),
               near.empty() ? fmt::format("the first one is {}", names.front())
                            : fmt::format("did you mean '{}'?", near)});
  return nullptr;
}

}  // namespace

int export_msccl(const ExportArguments& arguments) {
  const Loaded loaded = load_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  const CaseSpec* spec = find_case(*loaded.scenario, arguments.case_name);
  if (spec == nullptr) return kWrongInput;
  const sim::Result<sim::Schedule> schedule = collectives::plan(spec->algorithm, spec->job);
  if (!schedule.ok()) return print_fault(schedule.failure()), kFailed;
  const sim::Result<std::string> text = collectives::msccl::write(schedule.value());
  if (text.ok()) return print_answer(text.value(), kDone);
  print_fault({fmt::format("{} cannot be told as MSCCL XML: {}", spec->name, text.failure().what),
               text.failure().hint});
  return kFailed;
}

}  // namespace scenarios
