// SPDX-License-Identifier: GPL-2.0-only
// The JSON Schema (draft 2020-12) of scenario files, made from the declared keys, so that editors
// complete and check them. What a schema cannot say (does the group fit the cluster?) `ultrasim
// validate` says.
#pragma once

#include <string>

namespace scenarios {

[[nodiscard]] std::string json_schema();

}  // namespace scenarios
