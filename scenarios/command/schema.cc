// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/schema.h"

#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"

namespace scenarios {

int schema() {
  std::string text = json_schema();
  if (!text.ends_with('\n')) text += '\n';
  return print_answer(text, kDone);
}

}  // namespace scenarios
