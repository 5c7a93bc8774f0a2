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

// Line and column of a byte.
[[nodiscard]] sim::Position place_of(std::string_view text, std::size_t offset);

// True when all of it is UTF-8 without control characters. Reports the first fault.
[[nodiscard]] bool check_characters(std::string_view text, sim::Diagnostics& diagnostics);

// True when the text may be parsed as YAML. Reports the first fault.
[[nodiscard]] bool check_text(std::string_view text, sim::Diagnostics& diagnostics);

}  // namespace scenarios
