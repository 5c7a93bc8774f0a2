// SPDX-License-Identifier: GPL-2.0-only
// `ultrasim run` and `validate` of a scenario about a model.
#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "analysis/figures.h"
#include "analysis/json.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/output_folder.h"
#include "scenarios/workload/scenario.h"
#include "scenarios/workload/step_page.h"
#include "sim/base/check.h"

namespace scenarios {
namespace {

const std::vector<std::string>& model_file_names() {
  static const std::vector<std::string> kNames{"results.json", "results.csv", "scenario.yaml"};
  return kNames;
}

std::string chosen(const workload::Answer& answer, Format format) {
  switch (format) {
    case Format::kJson:
      return workload::step_json(answer);
    case Format::kCsv:
      return workload::step_csv(answer);
    case Format::kTable:
      return workload::step_page(answer);
  }
  CHECK(false);
}

}  // namespace

int run_model(const RunArguments& arguments) {
  if (arguments.record) {
    print_fault({"--record keeps what happens inside collectives, and this is a model scenario",
                 "its timeline: ultrasim trace " + arguments.file});
    return kWrongInput;
  }
  const workload::LoadedModel loaded =
      workload::load_model_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  const workload::ModelScenario& scenario = *loaded.scenario;
  const std::string path = arguments.out.empty() ? "out/" + scenario.name : arguments.out;
  const sim::Result<OutputFolder> folder = OutputFolder::open(path, model_file_names());
  if (!folder.ok()) return print_fault(folder.failure()), kWrongInput;

  const workload::Answer answer = workload::answer_of(scenario);
  const std::optional<sim::Failure> unsaved =
      folder.value().write({{model_file_names()[0], workload::step_json(answer)},
                            {model_file_names()[1], workload::step_csv(answer)},
                            {model_file_names()[2], scenario.echo}});
  std::string text = chosen(answer, arguments.format);
  if (arguments.format == Format::kTable && !unsaved) {
    text += fmt::format("Results: {}/results.json (csv beside it)\n", folder.value().path());
  }
  const int printed = print_answer(text, kDone);
  if (!unsaved) return printed;
  return print_fault(*unsaved), kFailed;
}

int validate_model(const ValidateArguments& arguments) {
  const workload::LoadedModel loaded =
      workload::load_model_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  const auto points = static_cast<std::int64_t>(loaded.scenario->points.size());
  return print_answer(fmt::format("ok: {} of {}\n", analysis::counted(points, "layout"),
                                  loaded.scenario->model.name),
                      kDone);
}

}  // namespace scenarios
