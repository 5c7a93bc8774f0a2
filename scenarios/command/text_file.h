// SPDX-License-Identifier: GPL-2.0-only
// One file written whole or not at all: beside its place first, then renamed. A link is followed; a
// device or a pipe gets the text as it is, and stays what it is.
#pragma once

#include <string>
#include <string_view>

namespace scenarios {

// False when it cannot be written; then nothing is left behind.
[[nodiscard]] bool write_text_file(const std::string& path, std::string_view text);

}  // namespace scenarios
