// SPDX-License-Identifier: GPL-2.0-only
// One function per subcommand, each in its own file. Returns the exit code.
#pragma once

#include "scenarios/command/arguments.h"

namespace scenarios {

[[nodiscard]] int run(const RunArguments& arguments);
[[nodiscard]] int validate(const ValidateArguments& arguments);
[[nodiscard]] int agree(const AgreeArguments& arguments);
[[nodiscard]] int tune(const TuneArguments& arguments);
[[nodiscard]] int list();
[[nodiscard]] int describe(const DescribeArguments& arguments);
[[nodiscard]] int schema();

}  // namespace scenarios
