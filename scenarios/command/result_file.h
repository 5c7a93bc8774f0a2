// SPDX-License-Identifier: GPL-2.0-only
// The result that a run left: a folder with results.pb in it, or such a file.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/results/outcome.h"

namespace scenarios {

[[nodiscard]] sim::Result<sim::Outcome> read_result(const std::string& path);

}  // namespace scenarios
