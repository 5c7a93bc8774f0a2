// SPDX-License-Identifier: GPL-2.0-only
// The sources of the house as text, for the rules to look at. `code` is `text` with comments,
// literals and preprocessor lines blanked out, letter for letter, so that places in one are places
// in the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidy {

struct Source {
  std::string path;  // from the root: "sim/base/key.cc"
  std::string text;
  std::string code;

  Source(std::string path_from_root, std::string content);

  [[nodiscard]] std::string folder() const;  // "sim/base"
  [[nodiscard]] std::string name() const;    // "key.cc"
  [[nodiscard]] bool ends_with(std::string_view ending) const { return path.ends_with(ending); }
  [[nodiscard]] bool within(std::string_view folder) const;
  [[nodiscard]] bool is_header() const { return ends_with(".h"); }
  [[nodiscard]] bool is_cpp() const { return ends_with(".h") || ends_with(".cc"); }
  [[nodiscard]] bool is_cmake() const { return ends_with("CMakeLists.txt") || ends_with(".cmake"); }
  [[nodiscard]] std::string at(std::size_t line) const;  // "sim/base/key.cc:12"
};

using Sources = std::vector<Source>;
using Faults = std::vector<std::string>;  // "file:line: what is wrong"

struct Include {
  std::string path;
  bool angled = false;
  std::size_t line = 0;
};

// All files below the folders of the house, sorted by path.
[[nodiscard]] Sources read_house(const std::string& root);

[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);
[[nodiscard]] std::vector<Include> includes_of(const Source& source);
[[nodiscard]] std::size_t line_at(std::string_view text, std::size_t offset);  // counted from 1
// True when `word` stands in `line` with no letter, digit or underscore beside it.
[[nodiscard]] bool has_word(std::string_view line, std::string_view word);
// The text without comments, literals and preprocessor lines; newlines stay.
[[nodiscard]] std::string blanked(std::string_view text);

}  // namespace tidy
