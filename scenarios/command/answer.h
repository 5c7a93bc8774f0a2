// SPDX-License-Identifier: GPL-2.0-only
// stdout holds the answer and nothing else; faults and progress go to stderr.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"

namespace scenarios {

// Returns `exit_code`; kFailed when stdout takes no more (a reader that went away is no fault).
[[nodiscard]] int print_answer(std::string_view text, int exit_code);

void print_fault(const sim::Failure& failure);
void print_error(std::string_view text);  // as it stands

}  // namespace scenarios
