// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include "analysis/sweep_file.h"
#include "analysis/sweep_page.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"

namespace scenarios {

int merge(const MergeArguments& arguments) {
  std::vector<analysis::SweepFile> parts;
  for (const std::string& path : arguments.files) {
    sim::Result<analysis::SweepFile> part = analysis::SweepFile::read(path);
    if (!part.ok()) return print_fault(part.failure()), kWrongInput;
    parts.push_back(std::move(part).value());
  }
  sim::Result<analysis::SweepFile> into =
      analysis::SweepFile::open(arguments.into, parts.front().identity());
  if (!into.ok()) return print_fault(into.failure()), kWrongInput;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto fault = into.value().take_from(parts[i])) {
      print_fault({arguments.files[i] + ": " + fault->what, fault->hint});
      return kFailed;
    }
  }
  const sim::Result<analysis::SweepFile::Tables> tables = into.value().tables();
  if (!tables.ok()) return print_fault(tables.failure()), kFailed;
  return print_answer(analysis::sweep_page(into.value().identity(), tables.value(), arguments.into),
                      kDone);
}

}  // namespace scenarios
