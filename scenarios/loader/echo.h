// SPDX-License-Identifier: GPL-2.0-only
// A section as YAML: every key that it holds with its value, defaults included, in the order of the
// declaration. Loading the text gives the same scenario (law, held by tests/scenarios).
#pragma once

#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/value.h"

namespace scenarios {

// A value on one line that YAML reads as the same value: `[64 KiB, 1 MiB]`, `{chips: 8}`.
[[nodiscard]] std::string on_one_line(const sim::Value& value);

[[nodiscard]] std::string echo(const sim::Section& section, const std::vector<sim::Key>& keys);

}  // namespace scenarios
