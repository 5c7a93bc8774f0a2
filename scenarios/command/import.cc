// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/loader/file.h"
#include "scenarios/workload/imports.h"

namespace scenarios {

int import_layout(const ImportArguments& arguments) {
  const sim::Result<std::string> text = read_text_file(arguments.file);
  if (!text.ok()) return print_fault(text.failure()), kWrongInput;
  const auto read = arguments.from == "torchtitan" ? workload::import_torchtitan
                    : arguments.from == "megatron" ? workload::import_megatron
                                                   : workload::import_vllm;
  const sim::Result<workload::Imported> imported = read(text.value());
  if (!imported.ok()) {
    print_fault(
        {fmt::format("{}: {}", arguments.file, imported.failure().what), imported.failure().hint});
    return kWrongInput;
  }
  return print_answer(workload::import_page(imported.value()), kDone);
}

}  // namespace scenarios
