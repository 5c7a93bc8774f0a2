// SPDX-License-Identifier: GPL-2.0-only
// Plain text for a terminal: tables whose decimals line up, and paragraphs, both within kColumns.
// Texts are ASCII as far as widths are concerned: a byte that continues a UTF-8 letter takes no
// room.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

inline constexpr std::size_t kColumns = 100;

[[nodiscard]] std::size_t width_of(std::string_view text);

// `text` broken at spaces; the first line starts with `first`, the others with `indent`. Ends with
// a newline.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view first,
                                  std::string_view indent);

enum class Align { kLeft, kDecimal };

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column. The last column is cut with "..." where the line would be too long.
  void add_row(std::vector<std::string> cells);

  // The title line, then one line per row; no newlines, no spaces at the ends.
  [[nodiscard]] std::vector<std::string> lines(std::string_view indent) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace analysis
