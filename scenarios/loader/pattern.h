// SPDX-License-Identifier: GPL-2.0-only
// Names with `*` for any text.
#pragma once

#include <string_view>

namespace scenarios {

[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

}  // namespace scenarios
