// SPDX-License-Identifier: GPL-2.0-only
// `run --range`: every input with a range at both of its ends, one at a time, then all of them
// together: at the points of a seeded Latin hypercube, and at the two corners, where each input
// stands at the end that alone made the cases faster, or slower.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/figures.h"
#include "analysis/text_table.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/study.h"
#include "scenarios/loader/declared.h"
#include "sim/base/random.h"

namespace scenarios {
namespace {

using sim::Parameter;

// Inputs with a range, choices of the experiment apart. Published ones count too: two sources
// differ.
std::vector<const Parameter*> unsure_of(const Scenario& scenario) {
  std::vector<const Parameter*> unsure;
  for (const Parameter& one : scenario.parameters.list()) {
    if (set_by_loader(one.name) || one.low.amount >= one.high.amount) continue;
    if (one.value.dimension == sim::Dimension::kText || one.grade == sim::Grade::kChosen) continue;
    unsure.push_back(&one);
  }
  return unsure;
}

std::string text_of(const Parameter& one, std::int64_t amount) {
  return sim::to_text(amount, one.value.dimension);
}

Variant at_end(const Parameter& one, std::int64_t amount) {
  const std::string value = text_of(one, amount);
  return {fmt::format("{} = {}", one.name, value), {{one.name, value}}};
}

// Between the ends, evenly by ratio where the low end is above zero. Counts (of planes, queues)
// take one of the three values that are known to make sense.
std::int64_t between(const Parameter& one, double share) {
  if (one.value.dimension == sim::Dimension::kCount) {
    if (share < 1.0 / 3) return one.low.amount;
    return share < 2.0 / 3 ? one.value.amount : one.high.amount;
  }
  const auto low = static_cast<double>(one.low.amount);
  const auto high = static_cast<double>(one.high.amount);
  const double amount = low > 0 ? low * std::pow(high / low, share) : low + (high - low) * share;
  return std::clamp(static_cast<std::int64_t>(std::llround(amount)), one.low.amount,
                    one.high.amount);
}

// `samples` points in which each input visits each of `samples` equal slices of its range once.
std::vector<Variant> hypercube(const std::vector<const Parameter*>& unsure, std::size_t samples,
                               std::uint64_t seed) {
  std::vector<Variant> variants(samples);
  for (std::size_t i = 0; i < samples; ++i) variants[i].name = fmt::format("sample {}", i + 1);
  for (const Parameter* one : unsure) {
    sim::Random random(seed, "latin hypercube " + one->name);
    std::vector<std::size_t> slices(samples);
    std::iota(slices.begin(), slices.end(), std::size_t{0});
    for (std::size_t i = samples; i > 1; --i) std::swap(slices[i - 1], slices[random.below(i)]);
    for (std::size_t i = 0; i < samples; ++i) {
      const double within = static_cast<double>(random.below(1'000'000)) / 1e6;
      const double share = (static_cast<double>(slices[i]) + within) / static_cast<double>(samples);
      variants[i].overrides.push_back({one->name, text_of(*one, between(*one, share))});
    }
  }
  return variants;
}

// All inputs at once at the ends that, one at a time, made the cases faster, and slower.
std::vector<Variant> corners(const Study& study, const std::vector<const Parameter*>& unsure,
                             std::size_t singles) {
  const std::vector<analysis::Variation> pairs(
      study.variations.begin(), study.variations.begin() + static_cast<std::ptrdiff_t>(singles));
  std::vector<Variant> both{{"every input at its faster end", {}},
                            {"every input at its slower end", {}}};
  for (const analysis::Swing& swing : analysis::swings_of(study.base, pairs)) {
    const auto named = [&](const Parameter* one) { return one->name == swing.name; };
    const auto found = std::ranges::find_if(unsure, named);
    if (found == unsure.end() || swing.at_low == swing.at_high) continue;
    const Parameter& one = **found;
    const bool low_is_faster = swing.at_low < swing.at_high;
    both[0].overrides.push_back(
        {one.name, text_of(one, (low_is_faster ? one.low : one.high).amount)});
    both[1].overrides.push_back(
        {one.name, text_of(one, (low_is_faster ? one.high : one.low).amount)});
  }
  return both;
}

// False when it was interrupted.
bool add_corners(const StudyArguments& arguments, const std::string& text,
                 const std::vector<const Parameter*>& unsure, std::size_t singles, Study& study) {
  const std::vector<Variant> variants = corners(study, unsure, singles);
  if (variants[0].overrides.empty()) return true;
  std::optional<Study> played = play_study(arguments, text, variants);
  if (!played || played->interrupted) return false;
  for (analysis::Variation& one : played->variations) study.variations.push_back(std::move(one));
  return true;
}

std::string page_of(const Study& study, std::size_t singles) {
  const std::vector<analysis::Variation> pairs(
      study.variations.begin(), study.variations.begin() + static_cast<std::ptrdiff_t>(singles));
  std::string text =
      fmt::format("{}   {}   range of the answers: {}\n\n", study.base.scenario, study.base.fabric,
                  analysis::counted(static_cast<std::int64_t>(study.variations.size()) + 1, "run"));
  text += analysis::intervals_text(analysis::intervals_of(study.base, study.variations));
  text += "\nWhat moves the answers most, one input at a time (mean change of time):\n";
  text += analysis::tornado_text(analysis::swings_of(study.base, pairs));
  return text + analysis::faults_in_words(study.variations);
}

}  // namespace

int range(const StudyArguments& arguments) {
  const std::optional<StudyFile> file = read_study_file(arguments);
  if (!file) return kWrongInput;
  const std::vector<const Parameter*> unsure = unsure_of(file->scenario);
  std::vector<Variant> variants;
  for (const Parameter* one : unsure) {
    variants.push_back(at_end(*one, one->low.amount));
    variants.push_back(at_end(*one, one->high.amount));
  }
  const std::size_t singles = variants.size();
  if (singles > 0) {
    const auto samples = static_cast<std::size_t>(arguments.samples);
    for (Variant& one : hypercube(unsure, samples, file->scenario.seed)) {
      variants.push_back(std::move(one));
    }
  }
  std::optional<Study> study = play_study(arguments, file->text, variants);
  if (!study) return kFailed;
  if (study->interrupted || !add_corners(arguments, file->text, unsure, singles, *study)) {
    print_fault({"interrupted: a range of some of the runs would be too narrow", ""});
    return kInterrupted;
  }
  const std::string text = arguments.csv ? analysis::what_if_csv(study->base, study->variations)
                                         : page_of(*study, singles);
  return print_answer(text, kDone);
}

}  // namespace scenarios
