// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/schema.h"

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/workload/scenario.h"

namespace scenarios {

int schema(const SchemaArguments& arguments) {
  std::string text = arguments.models ? json_schema(workload::model_keys()) : json_schema();
  if (!text.ends_with('\n')) text += '\n';
  return print_answer(text, kDone);
}

}  // namespace scenarios
