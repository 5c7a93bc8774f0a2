// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/text_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace scenarios {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0;
}

// Length of the UTF-8 sequence at `at`; 0 when there is none (overlong forms, surrogates and code
// points above U+10FFFF are none: RFC 3629, section 4).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const std::uint8_t first = byte_at(text, at);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t least = 0x80;
  std::uint8_t most = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (first == 0xE0) least = 0xA0;
  if (first == 0xED) most = 0x9F;
  if (first == 0xF0) least = 0x90;
  if (first == 0xF4) most = 0x8F;
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint8_t next = byte_at(text, at + i);
    if (next < least || next > most) return 0;
    least = 0x80;
    most = 0xBF;
  }
  return length;
}

std::optional<std::size_t> first_bad_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

// U+0080 to U+009F are the bytes 0xC2 0x80 to 0xC2 0x9F.
bool is_control(std::string_view text, std::size_t at) {
  const std::uint8_t byte = byte_at(text, at);
  const std::uint8_t next = byte_at(text, at + 1);
  const bool ascii = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
  return ascii || (byte == 0xC2 && next >= 0x80 && next <= 0x9F);
}

// Where a line is indented with a tab; blank lines and comments do not matter.
std::optional<std::size_t> first_tab_indent(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::size_t word = text.find_first_not_of(" \t", start);
    const std::size_t tab = text.find('\t', start);
    if (word < end && tab < word && text[word] != '#') return tab;
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace

sim::Position place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return {static_cast<int>(lines) + 1, static_cast<int>(offset - line_start) + 1};
}

std::size_t first_control(std::string_view utf8) {
  std::size_t at = 0;
  while (at < utf8.size() && !is_control(utf8, at)) ++at;
  return at < utf8.size() ? at : std::string_view::npos;
}

bool check_characters(std::string_view text, sim::Diagnostics& diagnostics) {
  if (const auto at = first_bad_utf8(text)) {
    diagnostics.add({place_of(text, *at),
                     fmt::format("byte 0x{:02x} is not UTF-8", byte_at(text, *at)),
                     "text encoded as UTF-8", "save the file as UTF-8"});
    return false;
  }
  if (const std::size_t at = first_control(text); at != std::string_view::npos) {
    const std::uint8_t code = byte_at(text, at) == 0xC2 ? byte_at(text, at + 1) : byte_at(text, at);
    diagnostics.add({place_of(text, at),
                     fmt::format("control character 0x{:02x} in the text", code), "printable text",
                     ""});
    return false;
  }
  return true;
}

bool check_text(std::string_view text, sim::Diagnostics& diagnostics) {
  if (!check_characters(text, diagnostics)) return false;
  if (const auto at = first_tab_indent(text)) {
    diagnostics.add({place_of(text, *at), "tab in the indentation", "spaces",
                     "YAML indents with spaces only: replace each tab by two spaces"});
    return false;
  }
  return true;
}

}  // namespace scenarios
