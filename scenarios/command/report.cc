// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/report_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/result_file.h"
#include "scenarios/command/text_file.h"
#include "sim/base/diagnostic.h"

namespace scenarios {
namespace {

namespace fs = std::filesystem;

std::string page_path(const ReportArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  std::error_code fault;
  const fs::path result(arguments.result);
  return (fs::is_directory(result, fault) ? result : result.parent_path()) / "report.html";
}

}  // namespace

int report(const ReportArguments& arguments) {
  const sim::Result<sim::Outcome> outcome = read_result(arguments.result);
  if (!outcome.ok()) return print_fault(outcome.failure()), kWrongInput;
  const std::string path = page_path(arguments);
  if (!write_text_file(path, analysis::report_page(outcome.value()))) {
    print_fault({fmt::format("cannot write {}", sim::quoted(path)),
                 "name a file in a folder that can be written: --out FILE"});
    return kWrongInput;
  }
  return print_answer(fmt::format("Page: {}\n", path), kDone);
}

}  // namespace scenarios
