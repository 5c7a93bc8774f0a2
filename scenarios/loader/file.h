// SPDX-License-Identifier: GPL-2.0-only
// Reading a scenario file: what cannot be read, or is too large, is a Failure that says so. A large
// file costs nothing: its size is looked at first.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/result.h"

namespace scenarios {

[[nodiscard]] sim::Result<std::string> read_text_file(const std::string& path);
// `what` it is, for the message: "a graph".
[[nodiscard]] sim::Result<std::string> read_text_file(const std::string& path, const char* what,
                                                      std::int64_t most_bytes);

}  // namespace scenarios
