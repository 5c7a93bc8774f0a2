// SPDX-License-Identifier: GPL-2.0-only
// A section as YAML: every key that it holds with its value, defaults included, in the order of the
// declaration. Loading the text gives the same scenario (law, held by tests/scenarios).
#pragma once

#include <string>
#include <vector>

#include "sim/base/key.h"

namespace scenarios {

[[nodiscard]] std::string echo(const sim::Section& section, const std::vector<sim::Key>& keys);

}  // namespace scenarios
