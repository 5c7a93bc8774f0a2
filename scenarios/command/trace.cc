// SPDX-License-Identifier: GPL-2.0-only
// Writes a timeline: of a recorded result, or of a scenario, which is played and recorded for it.
#include "analysis/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analysis/figures.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/play_scenario.h"
#include "scenarios/command/result_file.h"
#include "scenarios/command/text_file.h"
#include "scenarios/workload/step_trace.h"
#include "sim/base/diagnostic.h"

namespace scenarios {
namespace {

namespace fs = std::filesystem;

struct Traced {
  sim::Outcome outcome;
  std::string folder;  // of the trace, when no file is named
};

bool is_result(const std::string& path) {
  std::error_code fault;
  return fs::is_directory(path, fault) || fs::path(path).extension() == ".pb";
}

// Keeps the cases that were asked for; false, and a fault told, when there is none.
bool keep_cases(const TraceArguments& arguments, Scenario& scenario) {
  std::string first = scenario.cases.empty() ? "" : scenario.cases.front().name;
  std::erase_if(scenario.cases, [&](const CaseSpec& spec) {
    return spec.name.find(arguments.only) == std::string::npos;
  });
  if (!scenario.cases.empty()) return true;
  print_fault({fmt::format("no case has {} in its name", sim::quoted(arguments.only)),
               fmt::format("case names are like {}", sim::quoted(first))});
  return false;
}

Traced play(const TraceArguments& arguments, Scenario& scenario) {
  const auto cases = static_cast<std::int64_t>(scenario.cases.size());
  scenario.most_spans = std::max<std::int64_t>(arguments.spans / cases, 1);
  Interrupts interrupts;
  Progress progress(progress_mode(arguments.quiet));
  const std::size_t jobs = jobs_for(arguments.jobs, scenario.cases.size());
  return Traced{play_scenario(scenario, jobs, interrupts, progress), "out/" + scenario.name};
}

// Leaves the first ranks whole, the first of them even where it alone is longer.
void cut(sim::Recording& recording, std::int64_t spans) {
  std::size_t kept = 0;
  std::int64_t ranks = 0;
  while (kept < recording.spans.size()) {
    const std::int64_t rank = recording.spans[kept].rank;
    const auto more = [&](const sim::Span& span) { return span.rank != rank; };
    const auto end = static_cast<std::size_t>(
        std::find_if(recording.spans.begin() + static_cast<std::ptrdiff_t>(kept),
                     recording.spans.end(), more) -
        recording.spans.begin());
    if (ranks > 0 && static_cast<std::int64_t>(end) > spans) break;
    kept = end;
    ++ranks;
  }
  recording.spans.resize(kept);
  if (ranks > 0) recording.ranks_recorded = ranks;
}

sim::Result<Traced> read(const TraceArguments& arguments) {
  if (!arguments.overrides.empty()) {
    return sim::Failure{"--set changes a scenario, and this is a result", "name the scenario file"};
  }
  sim::Result<sim::Outcome> outcome = read_result(arguments.file);
  if (!outcome.ok()) return outcome.failure();
  Traced traced{std::move(outcome).value(), {}};
  const auto& all = traced.outcome.cases;
  const auto unrecorded = [](const sim::CaseOutcome& one) { return one.recording.empty(); };
  if (std::ranges::all_of(all, unrecorded)) {
    const auto failed =
        std::ranges::find_if(all, [](const sim::CaseOutcome& one) { return !one.failure.empty(); });
    return sim::Failure{"this result holds no recording",
                        failed == all.end()
                            ? "run the scenario with --record, or name the scenario file"
                            : fmt::format("only finished cases are recorded; {}: {}", failed->name,
                                          failed->failure)};
  }
  std::erase_if(traced.outcome.cases, [&](const sim::CaseOutcome& one) {
    return one.name.find(arguments.only) == std::string::npos;
  });
  if (traced.outcome.cases.empty()) {
    return sim::Failure{fmt::format("no case has {} in its name", sim::quoted(arguments.only)),
                        "see the table of the run for the names"};
  }
  for (sim::CaseOutcome& one : traced.outcome.cases) {
    cut(one.recording, arguments.spans / static_cast<std::int64_t>(traced.outcome.cases.size()));
  }
  const fs::path path(arguments.file);
  traced.folder = path.extension() == ".pb" ? path.parent_path().string() : path.string();
  return traced;
}

// Cases without a timeline, with the reason.
std::string left_out(const sim::Outcome& outcome) {
  std::string text;
  for (const sim::CaseOutcome& one : outcome.cases) {
    if (!one.recording.empty()) continue;
    const std::string why = !one.failure.empty() ? one.failure
                            : one.symmetry.empty()
                                ? "it was not recorded"
                                : "it was told by symmetry (symmetry: never plays every rank)";
    text += fmt::format("Not in it: {}: {}\n", one.name, why);
  }
  return text;
}

// `folder`: of the file, where none is named.
int write_text(const TraceArguments& arguments, const std::string& folder, const std::string& text,
               const std::string& missing, int code) {
  if (text.empty()) return print_fault({"there is nothing to show", missing}), kFailed;
  std::error_code fault;
  if (arguments.out.empty() && !folder.empty()) {
    fs::create_directories(folder, fault);  // a fault shows when the file is written
  }
  const std::string path = !arguments.out.empty() ? arguments.out
                           : folder.empty()       ? "trace.json"
                                                  : folder + "/trace.json";
  if (!write_text_file(path, text)) {
    print_fault({fmt::format("cannot write {}", sim::quoted(path)),
                 "name a file in a folder that can be written: --out FILE"});
    return kWrongInput;
  }
  return print_answer(
      fmt::format("{}Timeline: {} (open it in https://ui.perfetto.dev)\n", missing, path), code);
}

int write(const TraceArguments& arguments, const Traced& traced) {
  return write_text(arguments, traced.folder, analysis::trace_of(traced.outcome),
                    left_out(traced.outcome), exit_code_of(traced.outcome.verdict));
}

int trace_model(const TraceArguments& arguments) {
  const workload::LoadedModel loaded =
      workload::load_model_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  std::string refused;
  for (const workload::Point& point : loaded.scenario->points) {
    if (!point.layout) refused += fmt::format("Not in it: {}: {}\n", point.name, point.refused);
  }
  return write_text(arguments, "out/" + loaded.scenario->name,
                    workload::step_trace(*loaded.scenario), refused, kDone);
}

}  // namespace

int trace(const TraceArguments& arguments) {
  if (is_result(arguments.file)) {
    const sim::Result<Traced> traced = read(arguments);
    if (!traced.ok()) return print_fault(traced.failure()), kWrongInput;
    return write(arguments, traced.value());
  }
  if (workload::asks_about_model(arguments.file)) return trace_model(arguments);
  Loaded loaded = load_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  if (!keep_cases(arguments, *loaded.scenario)) return kWrongInput;
  return write(arguments, play(arguments, *loaded.scenario));
}

}  // namespace scenarios
