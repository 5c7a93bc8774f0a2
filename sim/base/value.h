// SPDX-License-Identifier: GPL-2.0-only
// A parsed input tree with the place of every node, free of the parser that made it. Scalars stay
// text: quantity.h turns them into numbers when a declared key says what they are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/base/diagnostic.h"

namespace sim {

struct Value {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  Position position;
  std::string text;            // kScalar
  std::vector<Value> items;    // kList
  std::vector<Entry> entries;  // kMap, in file order; keys may repeat (the reader reports it)

  [[nodiscard]] const Entry* find(std::string_view key) const;
};

struct Value::Entry {
  std::string key;
  Position position;
  Value value;
};

inline const Value::Entry* Value::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

[[nodiscard]] std::string_view name_of(Value::Kind kind);  // "a map", "a list", "text", "nothing"

}  // namespace sim
