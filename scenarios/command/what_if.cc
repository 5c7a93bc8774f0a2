// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/study.h"

namespace scenarios {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "key=value; key=value"; empty after a fault was printed.
std::optional<Variant> variant_of(const std::string& change) {
  Variant variant{change, {}};
  std::string_view rest = change;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view part = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      print_fault({fmt::format("--change {} is not KEY=VALUE", sim::quoted(part)),
                   "for example --change cluster.wiring=doc"});
      return std::nullopt;
    }
    variant.overrides.push_back(
        {std::string(part.substr(0, equals)), std::string(part.substr(equals + 1))});
  }
  return variant;
}

bool any_broken(const Study& study) {
  return std::ranges::any_of(study.variations, [](const analysis::Variation& one) {
    return !one.fault.empty() || one.outcome.verdict != sim::Verdict::kDone;
  });
}

// Faults of what the user wrote, all of them, before anything is run.
bool all_load(const StudyArguments& arguments, const std::string& text,
              const std::vector<Variant>& variants) {
  bool good = true;
  for (const Variant& one : variants) {
    const Loaded loaded =
        load_text(text, arguments.file, joined(arguments.overrides, one.overrides));
    if (loaded.scenario) continue;
    print_error(fmt::format("what if {}:\n{}", sim::quoted(one.name), loaded.faults));
    good = false;
  }
  return good;
}

}  // namespace

int what_if(const StudyArguments& arguments) {
  const std::optional<StudyFile> file = read_study_file(arguments);
  if (!file) return kWrongInput;
  std::vector<Variant> variants = file->scenario.what_if;
  for (const std::string& change : arguments.changes) {
    std::optional<Variant> variant = variant_of(change);
    if (!variant) return kWrongInput;
    variants.push_back(std::move(*variant));
  }
  if (variants.empty()) {
    print_fault({"there is nothing to change", "add what_if: to the scenario, or --change"});
    return kWrongInput;
  }
  if (!all_load(arguments, file->text, variants)) return kWrongInput;
  const std::optional<Study> study = play_study(arguments, file->text, variants);
  if (!study) return kFailed;
  const std::string text = arguments.csv ? analysis::what_if_csv(study->base, study->variations)
                                         : analysis::what_if_page(study->base, study->variations);
  const int code = study->interrupted ? kInterrupted : any_broken(*study) ? kFailed : kDone;
  return print_answer(text, code);
}

}  // namespace scenarios
