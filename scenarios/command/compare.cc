// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/comparison.h"
#include "analysis/json.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/result_file.h"

namespace scenarios {

int compare(const CompareArguments& arguments) {
  const sim::Result<sim::Outcome> before = read_result(arguments.before);
  const sim::Result<sim::Outcome> after = read_result(arguments.after);
  for (const auto* one : {&before, &after}) {
    if (!one->ok()) print_fault(one->failure());
  }
  if (!before.ok() || !after.ok()) return kWrongInput;
  const analysis::Comparison comparison = analysis::compare(before.value(), after.value());
  return print_answer(arguments.format == Format::kJson ? analysis::to_json(comparison)
                                                        : analysis::comparison_page(comparison),
                      kDone);
}

}  // namespace scenarios
