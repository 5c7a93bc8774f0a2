// SPDX-License-Identifier: GPL-2.0-only
// What can be told about a text before it is parsed as YAML: bytes that are not UTF-8, control
// characters, and tabs where spaces are meant. Each fault is reported with its place.
#pragma once

#include <cstddef>
#include <string_view>

#include "sim/base/diagnostic.h"

namespace scenarios {

// Where the first control character is (a terminal would obey it), counting those of Latin-1;
// npos: nowhere. New lines and tabs are none.
[[nodiscard]] std::size_t first_control(std::string_view utf8);

// True when the text may be parsed. Reports the first fault of each kind.
[[nodiscard]] bool check_text(std::string_view text, sim::Diagnostics& diagnostics);

}  // namespace scenarios
