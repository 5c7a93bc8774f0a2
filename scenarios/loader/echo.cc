// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/echo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace scenarios {
namespace {

using sim::Key;
using sim::Section;
using sim::Value;
using Shape = sim::Key::Shape;

// Text that YAML reads as itself without quotes, whatever stands around it.
bool is_plain(std::string_view text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%- ";
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.empty() || text.find_first_not_of(kSafe) != std::string_view::npos) return false;
  if (text == "null" || text == "Null" || text == "NULL") return false;
  return is_word(text.front()) && (is_word(text.back()) || text.back() == '%');
}

std::string scalar(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string scalars(const Section::Entry& entry) {
  if (entry.scalars.size() == 1) return scalar(entry.scalars[0].text);
  std::string list;
  for (const sim::Quantity& one : entry.scalars) {
    list += (list.empty() ? "" : ", ") + scalar(one.text);
  }
  return "[" + list + "]";
}

// One line per key of the map.
std::string open_map(const Value& map, const std::string& indent) {
  std::string lines;
  for (const Value::Entry& entry : map.entries) {
    lines += fmt::format("{}{}: {}\n", indent, scalar(entry.key), on_one_line(entry.value));
  }
  return lines;
}

std::string lines_of(const Section& section, const std::vector<Key>& keys,
                     const std::string& indent) {
  std::string lines;
  const std::string deeper = indent + "  ";
  for (const Key& key : keys) {
    const Section::Entry* entry = section.find(key.name);
    if (entry == nullptr) continue;
    if (key.shape == Shape::kOpenMap) {
      if (entry->open.entries.empty()) continue;
      lines += fmt::format("{}{}:\n", indent, key.name) + open_map(entry->open, deeper);
    } else if (key.shape == Shape::kSection) {
      const std::string inner = lines_of(entry->sections[0], key.inner, deeper);
      lines += fmt::format("{}{}:{}\n", indent, key.name, inner.empty() ? " {}" : "") + inner;
    } else if (key.shape == Shape::kSections) {
      lines += fmt::format("{}{}:\n", indent, key.name);
      for (const Section& item : entry->sections) {
        std::string inner = lines_of(item, key.inner, deeper + "  ");
        inner.replace(deeper.size(), 2, "- ");
        lines += inner;
      }
    } else {
      lines += fmt::format("{}{}: {}\n", indent, key.name, scalars(*entry));
    }
  }
  return lines;
}

}  // namespace

std::string on_one_line(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return scalar(value.text);
  if (value.kind == Value::Kind::kNull) return "null";
  std::string inner;
  for (const Value& item : value.items) inner += (inner.empty() ? "" : ", ") + on_one_line(item);
  for (const Value::Entry& entry : value.entries) {
    inner += inner.empty() ? "" : ", ";
    inner += scalar(entry.key) + ": " + on_one_line(entry.value);
  }
  return value.kind == Value::Kind::kList ? "[" + inner + "]" : "{" + inner + "}";
}

std::string echo(const Section& section, const std::vector<Key>& keys) {
  return lines_of(section, keys, "");
}

}  // namespace scenarios
