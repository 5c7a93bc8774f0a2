// SPDX-License-Identifier: GPL-2.0-only
// YAML text -> a tree of sim::Value with the place of every key and value. All scalars stay text;
// keys may repeat (the reader of sections reports that). Anchors, aliases, tags, merge keys and
// further documents are refused, as are trees that are too deep or too big. Whatever the bytes, the
// answer is a tree or Diagnostics: nothing throws. yaml.cc is the only file that knows yaml-cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/diagnostic.h"
#include "sim/base/value.h"

namespace scenarios {

inline constexpr std::size_t kMostDepth = 32;
inline constexpr std::size_t kMostNodes = 100'000;

// The text as the parser and the messages see it: no byte-order mark, lines end with \n alone.
[[nodiscard]] std::string clean_text(std::string_view text);

// `text` has been cleaned and is the text that `diagnostics` was made with. Empty after a fault.
[[nodiscard]] std::optional<sim::Value> parse_yaml(const std::string& text,
                                                   sim::Diagnostics& diagnostics);

}  // namespace scenarios
