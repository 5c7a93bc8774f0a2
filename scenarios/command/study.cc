// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/command/answer.h"
#include "scenarios/command/variants.h"
#include "scenarios/loader/file.h"
#include "scenarios/workload/scenario.h"
#include "sim/base/diagnostic.h"

namespace scenarios {
namespace {

std::string without_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Puts what came back to its place: run 0 is the base.
void keep_run(Study& study, std::size_t number, sim::Result<sim::Outcome> played) {
  if (number == 0) {
    if (played.ok()) study.base = std::move(played).value();
    return;
  }
  analysis::Variation& variation = study.variations[number - 1];
  if (played.ok()) {
    variation.outcome = std::move(played).value();
    variation.fault.clear();
  } else {
    variation.fault = without_end(played.failure().what);
  }
}

}  // namespace

std::vector<Override> joined(std::vector<Override> base, const std::vector<Override>& more) {
  for (const Override& one : more) {
    const auto same = std::ranges::find(base, one.path, &Override::path);
    if (same != base.end()) {
      same->value = one.value;
    } else {
      base.push_back(one);
    }
  }
  return base;
}

std::optional<StudyFile> read_study_file(const StudyArguments& arguments) {
  if (workload::asks_about_model(arguments.file)) {
    print_fault({fmt::format("{} is a model scenario, and this study takes collectives",
                             sim::quoted(arguments.file)),
                 "sweep its keys with `sweep:` in the file, or search with `ultrasim layouts`"});
    return std::nullopt;
  }
  Loaded loaded = load_file(arguments.file, arguments.overrides);
  sim::Result<std::string> text = read_text_file(arguments.file);
  if (!loaded.scenario || !text.ok()) return print_error(loaded.faults), std::nullopt;
  return StudyFile{std::move(text).value(), std::move(*loaded.scenario)};
}

std::optional<Study> play_study(const StudyArguments& arguments, const std::string& text,
                                const std::vector<Variant>& variants) {
  Study study;
  for (const Variant& one : variants) {
    analysis::Variation variation{one.name, {}, {}, "it did not run"};
    for (const Override& change : one.overrides) {
      variation.changes.emplace_back(change.path, change.value);
    }
    study.variations.push_back(std::move(variation));
  }
  Variants runs;
  runs.text = text;
  runs.shown_name = arguments.file;
  runs.count = variants.size() + 1;
  runs.overrides = [&](std::size_t number) {
    return number == 0 ? arguments.overrides
                       : joined(arguments.overrides, variants[number - 1].overrides);
  };
  runs.keep = [&study](std::size_t number, sim::Result<sim::Outcome> played) {
    keep_run(study, number, std::move(played));
  };
  Interrupts interrupts;
  Progress progress(progress_mode(arguments.quiet));
  study.interrupted = play_variants(runs, arguments.jobs, interrupts, progress);
  if (study.base.cases.empty()) {
    print_fault({study.interrupted ? "interrupted before the scenario as it stands was done"
                                   : "the scenario as it stands could not be run",
                 ""});
    return std::nullopt;
  }
  return study;
}

}  // namespace scenarios
