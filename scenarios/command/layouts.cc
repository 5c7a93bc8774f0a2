// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/workload/search.h"

namespace scenarios {

int layouts(const LayoutsArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const workload::LoadedModel loaded =
      workload::load_model_file(arguments.file, arguments.overrides, workload::Ask::kSearch);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  const workload::ModelScenario& scenario = *loaded.scenario;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned threads = arguments.jobs > 0 ? static_cast<unsigned>(arguments.jobs) : cores;
  const workload::SearchResult result = workload::search_layouts(scenario, threads);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (!arguments.quiet) {
    print_error(fmt::format("ultrasim: {} layouts in {:.2f} s\n", result.tried, wall.count()));
  }
  const bool csv = arguments.format == Format::kCsv;
  const int code = result.best.empty() ? kFailed : kDone;
  return print_answer(
      csv ? workload::search_csv(scenario, result) : workload::search_page(scenario, result), code);
}

}  // namespace scenarios
