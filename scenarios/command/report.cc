// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "analysis/csv.h"
#include "analysis/json.h"
#include "analysis/markdown.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/result_file.h"
#include "scenarios/command/text_file.h"
#include "sim/base/check.h"
#include "sim/base/diagnostic.h"

namespace scenarios {
namespace {

namespace fs = std::filesystem;

struct Kind {
  std::string_view name;
  std::string_view file;
  std::string (*write)(const sim::Outcome&);
};

const Kind& kind_of(const std::string& format) {
  static constexpr std::array<Kind, 4> kKinds{{
      {"html", "report.html", analysis::report_page},
      {"markdown", "report.md", analysis::markdown_page},
      {"csv", "report.csv", analysis::to_csv},
      {"json", "report.json", analysis::to_json},
  }};
  const auto found = std::ranges::find(kKinds, format, &Kind::name);
  CHECK(found != kKinds.end());
  return *found;
}

std::string page_path(const ReportArguments& arguments, std::string_view file) {
  if (!arguments.out.empty()) return arguments.out;
  std::error_code fault;
  const fs::path result(arguments.result);
  return (fs::is_directory(result, fault) ? result : result.parent_path()) / file;
}

}  // namespace

int report(const ReportArguments& arguments) {
  const sim::Result<sim::Outcome> outcome = read_result(arguments.result);
  if (!outcome.ok()) return print_fault(outcome.failure()), kWrongInput;
  const Kind& kind = kind_of(arguments.format);
  const std::string path = page_path(arguments, kind.file);
  if (fs::path(path).filename() == "results.pb") {
    print_fault({"the page would take the place of a result", "name another file: --out FILE"});
    return kWrongInput;
  }
  if (!write_text_file(path, kind.write(outcome.value()))) {
    print_fault({fmt::format("cannot write {}", sim::quoted(path)),
                 "name a file in a folder that can be written: --out FILE"});
    return kWrongInput;
  }
  return print_answer(fmt::format("Page: {}\n", path), kDone);
}

}  // namespace scenarios
