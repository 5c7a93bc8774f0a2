// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "analysis/csv.h"
#include "analysis/json.h"
#include "analysis/overhead.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/dial.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/output_folder.h"
#include "scenarios/command/play_scenario.h"
#include "scenarios/workload/scenario.h"
#include "sim/base/check.h"
#include "sim/results/codec.h"

namespace scenarios {
namespace {

using sim::Outcome;

constexpr std::int64_t kRecordedSpans = 20'000;  // of a case

const std::vector<std::string>& file_names() {
  static const std::vector<std::string> kNames{"results.pb",    "results.json",  "results.csv",
                                               "manifest.json", "scenario.yaml", "stats.json"};
  return kNames;
}

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Of this process and its workers; the peak is that of the largest of them.
sim::RunStats stats_of(const Outcome& outcome, double wall_seconds, std::size_t jobs) {
  rusage own = {};
  rusage workers = {};
  ::getrusage(RUSAGE_SELF, &own);
  ::getrusage(RUSAGE_CHILDREN, &workers);
  sim::RunStats stats;
  stats.wall_seconds = wall_seconds;
  stats.cpu_seconds = cpu_seconds(own) + cpu_seconds(workers);
  stats.peak_rss_bytes = std::max(own.ru_maxrss, workers.ru_maxrss) * 1024;  // Linux counts KiB
  for (const sim::CaseOutcome& one : outcome.cases) stats.packet_hops += one.packet_hops;
  stats.worker_processes = jobs > 1 ? static_cast<std::int64_t>(jobs) : 0;
  return stats;
}

std::vector<OutputFolder::File> files_of(const Outcome& outcome, const sim::RunStats& stats) {
  const std::vector<std::string> texts{sim::encode(outcome),
                                       analysis::to_json(outcome),
                                       analysis::to_csv(outcome),
                                       analysis::manifest_json(outcome),
                                       outcome.echo,
                                       analysis::stats_json(stats)};
  CHECK(texts.size() == file_names().size());
  std::vector<OutputFolder::File> files;
  for (std::size_t i = 0; i < texts.size(); ++i) files.push_back({file_names()[i], texts[i]});
  return files;
}

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = no_colour != nullptr && *no_colour != '\0';
  const bool able = terminal != nullptr && std::string_view(terminal) != "dumb";
  return ::isatty(STDOUT_FILENO) == 1 && able && !refused;
}

std::string answer_of(const Outcome& outcome, Format format, const std::string& folder) {
  switch (format) {
    case Format::kJson:
      return analysis::to_json(outcome);
    case Format::kCsv:
      return analysis::to_csv(outcome);
    case Format::kTable:
      return analysis::overhead_page(outcome, {colour_wanted(), folder});
  }
  CHECK(false);
}

// The table says it in its rows; who reads JSON or CSV by program wants it on stderr.
void print_failures(const Outcome& outcome) {
  for (const sim::CaseOutcome& one : outcome.cases) {
    if (!one.failure.empty()) print_fault({one.name + ": " + one.failure, ""});
  }
  if (outcome.cases_missing > 0) {
    print_fault({fmt::format("stopped with {} of {} cases missing", outcome.cases_missing,
                             outcome.cases.size() + outcome.missing.size()),
                 ""});
  }
}

// With fidelity: auto, loads the scenario at the level that its budget allows.
int choose_level(const RunArguments& arguments, Loaded& loaded, std::vector<std::string>& lines) {
  if (loaded.scenario->fidelity != "auto") return kDone;
  Dialled dialled = dial(arguments.file, arguments.overrides, *loaded.scenario);
  if (!dialled.faults.empty()) return print_error(dialled.faults), kWrongInput;
  if (!dialled.failure.empty()) {
    print_fault({dialled.failure, "a larger limits.cpu_time or limits.memory"});
    return kFailed;
  }
  loaded.scenario = std::move(dialled.scenario);
  lines = std::move(dialled.lines);
  return kDone;
}

// What the dial says goes under the table, and to stderr where programs read the answer.
std::string with_lines(std::string answer, const std::vector<std::string>& lines, Format format) {
  for (const std::string& line : lines) {
    if (format == Format::kTable) {
      answer += line + "\n";
    } else {
      fmt::print(stderr, "{}\n", line);
    }
  }
  return answer;
}

}  // namespace

int run(const RunArguments& arguments) {
  if (workload::asks_about_model(arguments.file)) return run_model(arguments);
  const auto start = std::chrono::steady_clock::now();
  Loaded loaded = load_file(arguments.file, arguments.overrides);
  if (!loaded.scenario) return print_error(loaded.faults), kWrongInput;
  std::vector<std::string> dial_lines;
  if (const int code = choose_level(arguments, loaded, dial_lines); code != kDone) return code;
  Scenario& scenario = *loaded.scenario;
  if (arguments.record) scenario.most_spans = kRecordedSpans;
  const std::string path = arguments.out.empty() ? "out/" + scenario.name : arguments.out;
  const sim::Result<OutputFolder> folder = OutputFolder::open(path, file_names());
  if (!folder.ok()) return print_fault(folder.failure()), kWrongInput;

  Interrupts interrupts;  // until the results are written
  const std::size_t jobs = jobs_for(arguments.jobs, scenario.cases.size());
  Outcome outcome;
  {
    Progress progress(progress_mode(arguments.quiet));
    outcome = play_scenario(scenario, jobs, interrupts, progress);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const auto files = files_of(outcome, stats_of(outcome, wall.count(), jobs));
  const std::optional<sim::Failure> unsaved = folder.value().write(files);
  const int code = exit_code_of(outcome.verdict);
  if (arguments.format != Format::kTable) print_failures(outcome);
  const std::string answer =
      answer_of(outcome, arguments.format, unsaved ? "" : folder.value().path());
  const int printed = print_answer(with_lines(answer, dial_lines, arguments.format), code);
  if (!unsaved) return printed;
  print_fault(*unsaved);
  return code == kDone ? kFailed : code;
}

}  // namespace scenarios
