// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/text_table.h"

#include <algorithm>
#include <utility>

#include "sim/base/check.h"

namespace analysis {
namespace {

constexpr std::string_view kGap = "  ";

bool continues_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// Sign and digits before the decimal point; a text without digits counts whole.
std::size_t before_decimals(std::string_view cell) {
  const std::size_t start = cell.starts_with('+') || cell.starts_with('-') ? 1 : 0;
  const std::size_t end = cell.find_first_not_of("0123456789", start);
  return end == std::string_view::npos || end == start ? cell.size() : end;
}

std::string spaces(std::size_t count) { return std::string(count, ' '); }

// Cells padded so that their decimal points are below each other.
void align_decimals(std::vector<std::string*> cells) {
  std::size_t left = 0;
  std::size_t right = 0;
  for (const std::string* cell : cells) {
    left = std::max(left, before_decimals(*cell));
    right = std::max(right, cell->size() - before_decimals(*cell));
  }
  for (std::string* cell : cells) {
    const std::size_t before = before_decimals(*cell);
    const std::size_t after = cell->size() - before;
    *cell = spaces(left - before) + *cell + spaces(right - after);
  }
}

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string fill = spaces(width - width_of(cell));
  return align == Align::kLeft ? cell + fill : fill + cell;
}

std::string cut(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  if (width_of(line) > kColumns) {
    while (width_of(line) > kColumns - 3) line.pop_back();
    while (!line.empty() && continues_letter(line.back())) line.pop_back();
    line += "...";
  }
  return line;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues_letter));
}

std::string wrapped(std::string_view text, std::string_view first, std::string_view indent) {
  std::string result;
  std::string line(first);
  bool fresh = true;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    if (!fresh && width_of(line) + 1 + width_of(word) > kColumns) {
      result += line + "\n";
      line = indent;
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
  }
  return result + line + "\n";
}

void TextTable::add_row(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::string> TextTable::lines(std::string_view indent) const {
  std::vector<std::vector<std::string>> rows = rows_;
  std::vector<std::string> lines(rows.size() + 1, std::string(indent));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    std::vector<std::string*> cells;
    for (std::vector<std::string>& row : rows) cells.push_back(&row[c]);
    if (column.align == Align::kDecimal) align_decimals(cells);
    std::size_t width = width_of(column.title);
    for (const std::string* cell : cells) width = std::max(width, width_of(*cell));
    const std::string_view gap = c == 0 ? "" : kGap;
    lines[0].append(gap).append(padded(column.title, width, column.align));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      lines[r + 1].append(gap).append(padded(rows[r][c], width, column.align));
    }
  }
  for (std::string& line : lines) line = cut(std::move(line));
  return lines;
}

}  // namespace analysis
