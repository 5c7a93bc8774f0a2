// SPDX-License-Identifier: GPL-2.0-only
// Declared keys. One declaration per key (name, shape, what it accepts, help, default) drives
// parsing, range checks, messages, `ultrasim describe`, the JSON Schema and the echo in results.
// `read_section` turns a Value into a Section against a list of keys; every fault is reported, an
// unknown or duplicate key is a fault, and every declared key is present afterwards (given or
// default) unless it is optional without default. Sections keep the order of the keys.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/quantity.h"
#include "sim/base/value.h"

namespace sim {

struct Key {
  enum class Shape {
    kScalar,     // one quantity
    kScalars,    // one quantity or a list of them (a list sweeps)
    kSection,    // a map of inner keys
    kSections,   // a list of maps of inner keys
    kOpenMap,    // a map whose keys are declared elsewhere; values are kept as they stand
    kSizeRange,  // kScalars, or {from, to, times}: a geometric range of quantities
  };

  std::string name;
  Shape shape = Shape::kScalar;
  Dimension dimension = Dimension::kText;
  std::string help = {};
  bool required = false;
  // The default as the user would write it; "{}" and "[]" for an empty map and list.
  std::optional<std::string> fallback = {};
  // A number whose `least` is left open has to be at least 0.
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> choices = {};  // for kText: empty means any text
  std::vector<std::string> endings = {};  // and any text that ends so: names of files
  std::vector<Key> inner = {};
};

class Section {
 public:
  struct Entry {
    std::string key;
    Position position;
    bool given = false;  // false: the default
    std::vector<Quantity> scalars = {};
    std::vector<Position> places = {};   // of each scalar
    std::vector<Section> sections = {};  // kSection: one; kSections: any number
    Value open = {};                     // kOpenMap
  };

  // Null when the key is optional, has no default and was not given.
  [[nodiscard]] const Entry* find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

  // The single scalar of a key that must be present; CHECKs its dimension.
  [[nodiscard]] Bytes bytes(std::string_view key) const;
  [[nodiscard]] Bandwidth bandwidth(std::string_view key) const;
  [[nodiscard]] Time time(std::string_view key) const;
  [[nodiscard]] std::int64_t count(std::string_view key) const;
  [[nodiscard]] std::int64_t ratio(std::string_view key) const;  // parts per billion
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] const std::string& text(std::string_view key) const;
  [[nodiscard]] const Section& section(std::string_view key) const;
  [[nodiscard]] Position position(std::string_view key) const;  // of its value, or of the section

  std::vector<Entry> entries;
  Position place;

 private:
  [[nodiscard]] const Quantity& single(std::string_view key, Dimension dimension) const;
};

// `path` names the section in messages ("cluster", "workload[2]"); "" is the top level.
[[nodiscard]] Section read_section(const Value& value, const std::vector<Key>& keys,
                                   const std::string& path, Diagnostics& diagnostics);

// One scalar against one key: range, choices and unit. Empty after a fault was reported.
[[nodiscard]] std::optional<Quantity> read_scalar(const Value& value, const Key& key,
                                                  const std::string& path,
                                                  Diagnostics& diagnostics);

// "a bandwidth such as 128 GB/s or 200 Gb/s, at least 1 B/s": what `key` accepts, for people.
[[nodiscard]] std::string accepts(const Key& key);

}  // namespace sim
