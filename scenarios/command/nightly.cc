// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include "analysis/history.h"
#include "analysis/regression.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/calibration.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/play_scenario.h"
#include "scenarios/command/result_file.h"
#include "scenarios/loader/suite.h"

namespace scenarios {
namespace {

using analysis::NightResult;
using analysis::NightResults;

double cpu_seconds() {
  double all = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    ::getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      all += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
  }
  return all;
}

// Loads every entry: what is wrong with one shows before the night begins.
bool all_load(const Suite& suite) {
  bool good = true;
  for (const SuiteEntry& entry : suite.entries) {
    const Loaded loaded = load_file(entry.file, entry.overrides);
    if (loaded.scenario) continue;
    print_error(fmt::format("{}:\n{}", entry.name, loaded.faults));
    good = false;
  }
  return good;
}

// Plays what is not there yet. A failure to keep a result ends the night.
struct Player {
  const NightlyArguments& arguments;
  analysis::History& history;
  std::int64_t night;
  bool interrupted = false;

  std::optional<sim::Failure> play(const Suite& suite, const NightResults& there) {
    std::set<std::string> done;
    for (const NightResult& one : there) done.insert(one.name);
    for (const SuiteEntry& entry : suite.entries) {
      if (done.contains(entry.name)) continue;
      if (!arguments.quiet) print_error(fmt::format("ultrasim: {}\n", entry.name));
      if (auto fault = play(entry)) return fault;
      if (interrupted) return std::nullopt;
    }
    return history.finish(night);
  }

  std::optional<sim::Failure> play(const SuiteEntry& entry) {
    const Loaded loaded = load_file(entry.file, entry.overrides);
    if (!loaded.scenario) return sim::Failure{loaded.faults, ""};
    NightResult result;
    result.name = entry.name;
    result.calibration_seconds = calibration_seconds();
    const double before = cpu_seconds();
    Interrupts interrupts;
    Progress progress(Progress::Mode::kNone);
    const std::size_t jobs = jobs_for(arguments.jobs, loaded.scenario->cases.size());
    result.outcome = play_scenario(*loaded.scenario, jobs, interrupts, progress);
    result.cpu_seconds = cpu_seconds() - before;
    interrupted = result.outcome.verdict == sim::Verdict::kInterrupted;
    return interrupted ? std::nullopt : history.keep(night, result);
  }
};

// What another ultrasim says of one entry.
sim::Result<sim::Outcome> play_elsewhere(const std::string& binary, const SuiteEntry& entry,
                                         const std::string& folder) {
  std::vector<std::string> words = {binary, "run", entry.file, "--quiet", "--out", folder};
  for (const Override& one : entry.overrides) {
    words.push_back("--set");
    words.push_back(one.path + "=" + one.value);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
  pid_t pid = 0;
  const int code = ::posix_spawn(&pid, binary.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    return sim::Failure{
        fmt::format("cannot run {}: {}", binary, std::generic_category().message(code)), ""};
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return read_result(folder);
}

// The same inputs by the old binary. What it cannot run is not there.
sim::Result<NightResults> old_results(const NightlyArguments& arguments, const Suite& suite) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / fmt::format("ultrasim_old_{}", ::getpid()))
          .string();
  NightResults results;
  for (const SuiteEntry& entry : suite.entries) {
    sim::Result<sim::Outcome> outcome = play_elsewhere(arguments.old_binary, entry, folder);
    std::error_code fault;
    std::filesystem::remove_all(folder, fault);
    if (outcome.ok()) results.push_back({entry.name, std::move(outcome).value(), 0, 0});
  }
  if (results.empty()) {
    return sim::Failure{fmt::format("{} could run nothing of the suite", arguments.old_binary), ""};
  }
  return results;
}

struct Reference {
  NightResults results;
  std::string name;
};

// The old binary if one is named, else the baseline, else the night before.
sim::Result<Reference> reference_of(const NightlyArguments& arguments, const Suite& suite,
                                    analysis::History& history, std::int64_t night) {
  if (!arguments.old_binary.empty()) {
    sim::Result<NightResults> old = old_results(arguments, suite);
    if (!old.ok()) return old.failure();
    return Reference{std::move(old).value(), "the old binary"};
  }
  sim::Result<NightResults> baseline = history.baseline(suite.name);
  if (!baseline.ok()) return baseline.failure();
  if (!baseline.value().empty()) return Reference{std::move(baseline).value(), "the baseline"};
  const sim::Result<std::int64_t> before = history.finished_before(suite.name, night);
  if (!before.ok()) return before.failure();
  if (before.value() == 0) return Reference{{}, ""};
  sim::Result<NightResults> results = history.results(before.value());
  if (!results.ok()) return results.failure();
  return Reference{std::move(results).value(), fmt::format("night {}", before.value())};
}

bool write_text(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) print_fault({fmt::format("cannot write {}", path), ""});
  return static_cast<bool>(stream);
}

int tell(const NightlyArguments& arguments, const Suite& suite, const Reference& reference,
         const NightResults& results) {
  analysis::Regression regression = analysis::regression_of(
      reference.results, results, static_cast<double>(arguments.speed_tolerance_percent) / 100);
  regression.suite = suite.name;
  regression.against = reference.name;
  std::string page = analysis::regression_markdown(regression);
  for (const NightResult& one : results) {
    if (one.outcome.verdict == sim::Verdict::kDone) continue;
    page += fmt::format("\n{}: {}\n", one.name, sim::name_of(one.outcome.verdict));
  }
  const bool written = write_text(arguments.junit, analysis::regression_junit(regression)) &&
                       write_text(arguments.markdown, page);
  const bool first = reference.results.empty();
  const bool failed =
      (!first && regression.failed()) || std::ranges::any_of(results, [](const NightResult& one) {
        return one.outcome.verdict != sim::Verdict::kDone;
      });
  return print_answer(page, failed || !written ? kFailed : kDone);
}

}  // namespace

int nightly(const NightlyArguments& arguments) {
  const LoadedSuite loaded = load_suite(arguments.suite);
  if (!loaded.suite) return print_error(loaded.faults), kWrongInput;
  const Suite& suite = *loaded.suite;
  if (!all_load(suite)) return kWrongInput;
  sim::Result<analysis::History> history = analysis::History::open(arguments.history);
  if (!history.ok()) return print_fault(history.failure()), kWrongInput;
  const sim::Result<std::int64_t> night =
      history.value().begin({suite.name, ULTRASIM_VERSION, arguments.commit});
  if (!night.ok()) return print_fault(night.failure()), kFailed;
  const sim::Result<NightResults> there = history.value().results(night.value());
  if (!there.ok()) return print_fault(there.failure()), kFailed;
  Player player{arguments, history.value(), night.value()};
  if (const auto fault = player.play(suite, there.value())) return print_fault(*fault), kFailed;
  if (player.interrupted)
    return print_fault({"interrupted; run it again to go on", ""}), kInterrupted;
  const sim::Result<Reference> reference =
      reference_of(arguments, suite, history.value(), night.value());
  if (!reference.ok()) return print_fault(reference.failure()), kFailed;
  const sim::Result<NightResults> results = history.value().results(night.value());
  if (!results.ok()) return print_fault(results.failure()), kFailed;
  return tell(arguments, suite, reference.value(), results.value());
}

int bless(const BlessArguments& arguments) {
  const LoadedSuite loaded = load_suite(arguments.suite);
  if (!loaded.suite) return print_error(loaded.faults), kWrongInput;
  sim::Result<analysis::History> history = analysis::History::open(arguments.history);
  if (!history.ok()) return print_fault(history.failure()), kWrongInput;
  const sim::Result<std::int64_t> night =
      history.value().bless(loaded.suite->name, arguments.reason);
  if (!night.ok()) return print_fault(night.failure()), kWrongInput;
  return print_answer(
      fmt::format("Night {} is the baseline of {} now.\n", night.value(), loaded.suite->name),
      kDone);
}

}  // namespace scenarios
