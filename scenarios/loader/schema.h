// SPDX-License-Identifier: GPL-2.0-only
// The JSON Schema (draft 2020-12) of scenario files, made from the declared keys, so that editors
// complete and check them. What a schema cannot say (does the group fit the cluster?) `ultrasim
// validate` says.
#pragma once

#include <string>
#include <vector>

#include "sim/base/key.h"

namespace scenarios {

[[nodiscard]] std::string json_schema();  // of scenarios about collectives
[[nodiscard]] std::string json_schema(const std::vector<sim::Key>& top);

}  // namespace scenarios
