// SPDX-License-Identifier: GPL-2.0-only
// `bottleneck`: what binds, measured: every rate and every cost made twice and half as good, one at
// a time.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures.h"
#include "analysis/sentences.h"
#include "analysis/text_table.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/study.h"
#include "scenarios/loader/declared.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Parameter;

// Rates and times of what could bind; nothing that is off (0) or unlimited.
std::vector<const Parameter*> scalable(const Scenario& scenario) {
  constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;
  std::vector<const Parameter*> found;
  for (const Parameter& one : scenario.parameters.list()) {
    const bool kind =
        one.value.dimension == Dimension::kBandwidth || one.value.dimension == Dimension::kTime;
    if (!kind || set_by_loader(one.name)) continue;
    if (one.value.amount > 0 && one.value.amount < kUnlimited) found.push_back(&one);
  }
  return found;
}

Variant scaled(const Parameter& one, bool better) {
  const bool rate = one.value.dimension == Dimension::kBandwidth;
  const std::int64_t amount = better == rate ? one.value.amount * 2 : one.value.amount / 2;
  const std::string value = sim::to_text(amount, one.value.dimension);
  return {fmt::format("{} = {}", one.name, value), {{one.name, value}}};
}

std::string page_of(const Study& study) {
  std::string text = fmt::format(
      "{}   {}   what binds, measured by {}\n\n", study.base.scenario, study.base.fabric,
      analysis::counted(static_cast<std::int64_t>(study.variations.size()), "rerun"));
  text += "Each rate and cost twice and half as good, one at a time (mean change of time):\n";
  text += analysis::tornado_text(analysis::swings_of(study.base, study.variations),
                                 {"twice as good", "half as good"});
  text += analysis::faults_in_words(study.variations);
  const std::string binding = analysis::binding_in_words(study.base);
  return binding.empty() ? text : text + analysis::wrapped(binding, "", "");
}

}  // namespace

int bottleneck(const StudyArguments& arguments) {
  const std::optional<StudyFile> file = read_study_file(arguments);
  if (!file) return kWrongInput;
  std::vector<Variant> variants;
  for (const Parameter* one : scalable(file->scenario)) {
    variants.push_back(scaled(*one, true));
    variants.push_back(scaled(*one, false));
  }
  const std::optional<Study> study = play_study(arguments, file->text, variants);
  if (!study) return kFailed;
  if (study->interrupted) return print_fault({"interrupted", ""}), kInterrupted;
  const std::string text =
      arguments.csv ? analysis::what_if_csv(study->base, study->variations) : page_of(*study);
  return print_answer(text, kDone);
}

}  // namespace scenarios
