// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace sim {
namespace {

constexpr std::size_t kColumns = 100;      // of the terminal, for source lines
constexpr std::size_t kMostMessage = 400;  // characters of one message part
constexpr std::size_t kMostQuoted = 60;    // characters of user text in a message
constexpr std::size_t kMostWord = 200;     // bytes; longer words are never compared
constexpr std::string_view kIndent = "  ";
constexpr std::string_view kCut = "...";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Length in bytes of the UTF-8 sequence at the start of `text`, 0 when there is no valid one.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                    ? 1
                             : lead >= 0xC2 && lead <= 0xDF ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x20 || first == 0x7F) return true;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

// The next character as it is shown: a tab is one space, control characters and stray bytes are
// '?'.
std::string_view take_character(std::string_view& rest) {
  const std::size_t length = sequence_length(rest);
  std::string_view character = rest.substr(0, std::max<std::size_t>(length, 1));
  rest.remove_prefix(character.size());
  if (length == 0) return "?";
  if (character == "\t") return " ";
  return is_control(character) ? "?" : character;
}

std::vector<std::string_view> characters(std::string_view text, std::size_t most) {
  std::vector<std::string_view> result;
  while (!text.empty() && result.size() < most) result.push_back(take_character(text));
  return result;
}

std::string joined(const std::vector<std::string_view>& parts, std::size_t from, std::size_t to) {
  std::string result;
  for (std::size_t i = from; i < to; ++i) result += parts[i];
  return result;
}

std::string printable(std::string_view text, std::size_t most) {
  const auto shown = characters(text, most + 1);
  if (shown.size() <= most) return joined(shown, 0, shown.size());
  return joined(shown, 0, most - kCut.size()) + std::string(kCut);
}

// Characters before byte column `column` (counted from 1).
std::size_t characters_before(std::string_view line, int column) {
  const auto bytes = static_cast<std::size_t>(std::max(column - 1, 0));
  return characters(line.substr(0, std::min(bytes, line.size())), line.size()).size();
}

// The source line with a caret under character `caret`, cut to fit the terminal.
std::string excerpt(std::string_view line, std::size_t caret) {
  const std::size_t width = kColumns - kIndent.size();
  const auto shown = characters(line, line.size());
  caret = std::min(caret, shown.size());
  std::size_t from = 0;
  std::size_t to = shown.size();
  std::string before;
  std::string after;
  if (shown.size() >= width) {
    const std::size_t room = width - 2 * kCut.size();
    const std::size_t last_start = shown.size() - std::min(shown.size(), room);
    from = caret > room / 2 ? std::min(caret - room / 2, last_start) : 0;
    to = std::min(from + room, shown.size());
    before = from > 0 ? kCut : "";
    after = to < shown.size() ? kCut : "";
  }
  const std::size_t pad = before.size() + caret - from;
  return fmt::format("{0}{1}{2}{3}\n{0}{4}^\n", kIndent, before, joined(shown, from, to), after,
                     std::string(pad, ' '));
}

std::string place(const std::string& file, Position position, std::string_view line) {
  if (position.line <= 0) return file;
  if (position.column <= 0) return fmt::format("{}:{}", file, position.line);
  // A column beyond the end of the line stays what it is.
  const auto beyond = static_cast<std::size_t>(position.column) > line.size() + 1;
  const std::size_t column = beyond ? static_cast<std::size_t>(position.column)
                                    : characters_before(line, position.column) + 1;
  return fmt::format("{}:{}:{}", file, position.line, column);
}

// Rows of the edit-distance table: this one and the two before it.
struct Rows {
  std::vector<std::size_t> before_last, last, current;
};

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  Rows rows;
  rows.last.resize(b.size() + 1);
  rows.before_last = rows.last;
  rows.current = rows.last;
  for (std::size_t j = 0; j <= b.size(); ++j) rows.last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    rows.current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      std::size_t best =
          std::min({rows.last[j] + 1, rows.current[j - 1] + 1, rows.last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, rows.before_last[j - 2] + 1);
      }
      rows.current[j] = best;
    }
    std::swap(rows.before_last, rows.last);
    std::swap(rows.last, rows.current);
  }
  return rows.last[b.size()];
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

Diagnostics::Diagnostics(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {}

void Diagnostics::add(Diagnostic diagnostic) {
  ++count_;
  if (list_.size() < kMostShown) list_.push_back(std::move(diagnostic));
}

std::string Diagnostics::render() const {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : list_) sorted.push_back(&diagnostic);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::pair(a->position.line, a->position.column) <
           std::pair(b->position.line, b->position.column);
  });
  std::string text;
  for (const Diagnostic* one : sorted) {
    const std::string_view line = source_line(one->position.line);
    text += fmt::format("{}: error: {}\n", place(file_, one->position, line),
                        printable(one->what, kMostMessage));
    if (!line.empty()) text += excerpt(line, characters_before(line, one->position.column));
    if (!one->expected.empty()) {
      text += fmt::format("  expected: {}\n", printable(one->expected, kMostMessage));
    }
    if (!one->hint.empty()) text += fmt::format("  hint: {}\n", printable(one->hint, kMostMessage));
  }
  if (count_ > list_.size()) text += fmt::format("... and {} more\n", count_ - list_.size());
  return text + fmt::format("{} {}\n", count_, count_ == 1 ? "error" : "errors");
}

std::string_view Diagnostics::source_line(int line) const {
  std::string_view rest = text_;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  for (int i = 1; i < line; ++i) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  if (line <= 0) return {};
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kMostWord) return "";
  const std::string wanted = lower(word);
  std::string best;
  std::size_t best_distance = kMostWord;
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t shorter = std::min(wanted.size(), candidate.size());
    const std::size_t bound = longer / 3;  // a third of the letters may differ
    if (longer > kMostWord || longer - shorter > bound) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance > bound || distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string quoted(std::string_view text) {
  return fmt::format("'{}'", printable(text, kMostQuoted));
}

}  // namespace sim
