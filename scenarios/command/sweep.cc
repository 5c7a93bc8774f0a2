// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <system_error>

#include "analysis/sweep_file.h"
#include "analysis/sweep_page.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/variants.h"
#include "scenarios/loader/file.h"
#include "scenarios/loader/studies.h"

namespace scenarios {
namespace {

analysis::SweepIdentity identity_of(const Scenario& scenario) {
  return {scenario.name, scenario.input_hash, ULTRASIM_VERSION,
          static_cast<std::int64_t>(runs_of(scenario.sweep))};
}

// Each value of each key once, with the others as the file has them: what is wrong with a value
// shows before anything runs. True when all load.
bool values_load(const SweepArguments& arguments, const std::string& text,
                 const std::vector<Axis>& axes) {
  constexpr std::size_t kMostTried = 16;  // of one key
  for (const Axis& axis : axes) {
    for (std::size_t i = 0; i < std::min(axis.values.size(), kMostTried); ++i) {
      std::vector<Override> overrides = arguments.overrides;
      overrides.push_back({axis.path, axis.values[i]});
      const Loaded loaded = load_text(text, arguments.file, overrides);
      if (!loaded.scenario) return print_error(loaded.faults), false;
    }
  }
  return true;
}

// Numbers of this shard that the file does not hold yet.
std::vector<std::int64_t> to_do(const SweepArguments& arguments, std::int64_t runs,
                                const std::vector<std::int64_t>& done) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = arguments.shard - 1; number < runs; number += arguments.shards) {
    if (!std::ranges::binary_search(done, number)) numbers.push_back(number);
  }
  return numbers;
}

// Plays `numbers` and keeps each as it comes. What cannot be kept ends the sweep.
struct Sweeper {
  const SweepArguments& arguments;
  const std::vector<Axis>& axes;
  analysis::SweepFile& file;
  std::optional<sim::Failure> unkept = std::nullopt;

  bool play(const std::string& text, const std::vector<std::int64_t>& numbers) {
    const auto point = [&](std::size_t i) {
      return point_of(axes, static_cast<std::uint64_t>(numbers[i]));
    };
    Variants runs;
    runs.text = text;
    runs.shown_name = arguments.file;
    runs.count = numbers.size();
    runs.overrides = [&](std::size_t i) {
      std::vector<Override> overrides = arguments.overrides;
      for (Override& one : point(i)) overrides.push_back(std::move(one));
      return overrides;
    };
    runs.keep = [&](std::size_t i, sim::Result<sim::Outcome> played) {
      keep(numbers[i], point(i), std::move(played));
    };
    Interrupts interrupts;
    Progress progress(progress_mode(arguments.quiet));
    return play_variants(runs, arguments.jobs, interrupts, progress);
  }

  void keep(std::int64_t number, const std::vector<Override>& point,
            sim::Result<sim::Outcome> played) {
    analysis::SweepRun run;
    run.number = number;
    for (const Override& one : point) run.changes.emplace_back(one.path, one.value);
    if (played.ok()) run.outcome = std::move(played).value();
    if (!played.ok()) run.fault = played.failure().what;
    if (unkept) return;
    unkept = file.keep(run);
    if (unkept) ::kill(::getpid(), SIGINT);  // stops the workers as a user would
  }
};

std::string results_path(const SweepArguments& arguments, const Scenario& scenario) {
  if (!arguments.results.empty()) return arguments.results;
  const std::string folder = "out/" + scenario.name;
  std::error_code fault;  // opening the file tells
  std::filesystem::create_directories(folder, fault);
  return folder + "/sweep.sqlite";
}

bool any_failed(const analysis::SweepFile::Tables& tables) {
  return !tables.faults.empty() ||
         std::ranges::any_of(tables.cases,
                             [](const analysis::SweepCase& one) { return one.verdict != "done"; });
}

}  // namespace

int sweep(const SweepArguments& arguments) {
  const Loaded loaded = load_file(arguments.file, arguments.overrides);
  const sim::Result<std::string> text = read_text_file(arguments.file);
  if (!loaded.scenario || !text.ok()) return print_error(loaded.faults), kWrongInput;
  const Scenario& scenario = *loaded.scenario;
  if (scenario.sweep.empty()) {
    print_fault({"the scenario has no sweep", "add sweep: with keys and their values"});
    return kWrongInput;
  }
  if (!values_load(arguments, text.value(), scenario.sweep)) return kWrongInput;
  const std::string path = results_path(arguments, scenario);
  sim::Result<analysis::SweepFile> file = analysis::SweepFile::open(path, identity_of(scenario));
  if (!file.ok()) return print_fault(file.failure()), kWrongInput;
  const sim::Result<std::vector<std::int64_t>> done = file.value().numbers();
  if (!done.ok()) return print_fault(done.failure()), kFailed;
  const auto runs = static_cast<std::int64_t>(runs_of(scenario.sweep));
  const std::vector<std::int64_t> numbers = to_do(arguments, runs, done.value());
  if (!done.value().empty() && !arguments.quiet) {
    print_error(fmt::format("ultrasim: {} runs are there already, {} to do\n", done.value().size(),
                            numbers.size()));
  }
  Sweeper sweeper{arguments, scenario.sweep, file.value()};
  const bool interrupted = !numbers.empty() && sweeper.play(text.value(), numbers);
  if (sweeper.unkept) return print_fault(*sweeper.unkept), kFailed;
  const sim::Result<analysis::SweepFile::Tables> tables = file.value().tables();
  if (!tables.ok()) return print_fault(tables.failure()), kFailed;
  const int code = interrupted ? kInterrupted : any_failed(tables.value()) ? kFailed : kDone;
  return print_answer(arguments.csv
                          ? analysis::sweep_csv(tables.value())
                          : analysis::sweep_page(file.value().identity(), tables.value(), path),
                      code);
}

}  // namespace scenarios
