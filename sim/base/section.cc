// SPDX-License-Identifier: GPL-2.0-only
// Reading a Section: every entry of the file against the declared keys, every fault reported.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/key.h"

namespace sim {
namespace {

constexpr std::size_t kMostValues = 1000;         // of one list of scalars: each sweeps
constexpr std::size_t kMostSections = 1'000'000;  // of one list of maps

std::string in(const std::string& path) { return path.empty() ? "" : " in " + path; }

// Reads one map against its keys. Lives only during `read_section`.
class Reader {
 public:
  Reader(const std::vector<Key>& keys, const std::string& path, Diagnostics& diagnostics)
      : keys_(keys), path_(path), diagnostics_(diagnostics) {}

  Section read(const Value& value) {
    Section section;
    section.place = value.position;
    if (value.kind != Value::Kind::kMap) {
      report_not_a_map(value);
      return section;
    }
    check_names(value);
    for (const Key& key : keys_) {
      const Value::Entry* given = value.find(key.name);
      std::optional<Section::Entry> entry = given ? read_given(*given, key) : absent(value, key);
      if (entry) section.entries.push_back(std::move(*entry));
    }
    return section;
  }

 private:
  void report(Position position, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({position, std::move(what), std::move(expected), std::move(hint)});
  }

  void report_key(Position position, const Key& key, std::string_view fault) {
    report(position, fmt::format("key '{}'{} {}", key.name, in(path_), fault), accepts(key));
  }

  void report_not_a_map(const Value& value) {
    Key key;
    key.shape = Key::Shape::kSection;
    key.inner = keys_;
    report(value.position,
           fmt::format("{} is {}", path_.empty() ? "the file" : path_, name_of(value.kind)),
           accepts(key));
  }

  // Unknown and duplicate keys.
  void check_names(const Value& value) {
    std::map<std::string_view, int> first_line;
    for (const Value::Entry& entry : value.entries) {
      const auto [first, fresh] = first_line.try_emplace(entry.key, entry.position.line);
      if (!fresh) {
        report(entry.position, fmt::format("duplicate key {}{}", quoted(entry.key), in(path_)),
               "each key once", fmt::format("the first is in line {}", first->second));
      } else if (!is_declared(entry.key)) {
        report_unknown(entry);
      }
    }
  }

  bool is_declared(const std::string& name) const {
    for (const Key& key : keys_) {
      if (key.name == name) return true;
    }
    return false;
  }

  void report_unknown(const Value::Entry& entry) {
    std::string near;
    if (diagnostics_.count() < Diagnostics::kMostShown) {  // else nobody sees it
      std::vector<std::string> names;
      for (const Key& key : keys_) names.push_back(key.name);
      near = nearest(entry.key, names);
    }
    Key section;
    section.shape = Key::Shape::kSection;
    section.inner = keys_;
    report(entry.position, fmt::format("unknown key {}{}", quoted(entry.key), in(path_)),
           accepts(section), near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }

  // A declared key that the file does not give.
  std::optional<Section::Entry> absent(const Value& section, const Key& key) {
    if (key.required) {
      report(section.position, fmt::format("missing key '{}'{}", key.name, in(path_)),
             accepts(key));
      return std::nullopt;
    }
    if (!key.fallback) return std::nullopt;
    Value value;
    value.position = section.position;
    value.text = *key.fallback;
    value.kind = Value::Kind::kScalar;
    if (*key.fallback == "{}") value.kind = Value::Kind::kMap;
    if (*key.fallback == "[]") value.kind = Value::Kind::kList;
    if (value.kind == Value::Kind::kList) return Section::Entry{key.name, value.position};
    const std::size_t faults = diagnostics_.count();
    std::optional<Section::Entry> entry = read_value(value, key);
    CHECK(entry && diagnostics_.count() == faults);  // a declared default is always accepted
    return entry;
  }

  std::optional<Section::Entry> read_given(const Value::Entry& given, const Key& key) {
    std::optional<Section::Entry> entry = read_value(given.value, key);
    if (entry) entry->given = true;
    return entry;
  }

  std::optional<Section::Entry> read_value(const Value& value, const Key& key) {
    switch (key.shape) {
      case Key::Shape::kScalar:
        return read_list({&value}, value, key);
      case Key::Shape::kScalars:
        return read_scalars(value, key);
      case Key::Shape::kSizeRange:
        return value.kind == Value::Kind::kMap ? read_range(value, key) : read_scalars(value, key);
      case Key::Shape::kSection:
        return read_inner(value, key);
      case Key::Shape::kSections:
        return read_sections(value, key);
      case Key::Shape::kOpenMap:
        return read_open(value, key);
    }
    return std::nullopt;
  }

  std::optional<Section::Entry> read_scalars(const Value& value, const Key& key) {
    if (value.kind == Value::Kind::kMap) {
      report_key(value.position, key, "is a map");
      return std::nullopt;
    }
    if (value.kind != Value::Kind::kList) return read_list({&value}, value, key);
    if (!check_length(value, key)) return std::nullopt;
    std::vector<const Value*> items;
    for (const Value& item : value.items) items.push_back(&item);
    return read_list(items, value, key);
  }

  bool check_length(const Value& list, const Key& key) {
    if (list.items.empty()) {
      report_key(list.position, key, "is an empty list");
      return false;
    }
    const std::size_t most = key.shape == Key::Shape::kSections ? kMostSections : kMostValues;
    if (list.items.size() <= most) return true;
    report(list.position,
           fmt::format("key '{}'{} lists {} values", key.name, in(path_), list.items.size()),
           fmt::format("at most {} values", most));
    return false;
  }

  std::optional<Section::Entry> read_list(const std::vector<const Value*>& items,
                                          const Value& whole, const Key& key) {
    Section::Entry entry{key.name, whole.position};
    for (const Value* item : items) {
      std::optional<Quantity> scalar = read_scalar(*item, key, path_, diagnostics_);
      if (!scalar) continue;
      entry.scalars.push_back(std::move(*scalar));
      entry.places.push_back(item->position);
    }
    if (entry.scalars.size() != items.size()) return std::nullopt;
    return entry;
  }

  std::string inner_path(const Key& key) const {
    return path_.empty() ? key.name : path_ + "." + key.name;
  }

  // {from: 64 KiB, to: 256 MiB, times: 4}: from, 4 from, 16 from, ... up to and including `to`.
  std::optional<Section::Entry> read_range(const Value& value, const Key& key) {
    Key from = key;
    from.name = "from";
    from.shape = Key::Shape::kScalar;
    from.required = true;
    from.fallback.reset();
    from.least = std::max<std::int64_t>(key.least, 1);  // a geometric range cannot leave zero
    Key to = from;
    to.name = "to";
    Key times;
    times.name = "times";
    times.dimension = Dimension::kCount;
    times.required = true;
    times.least = 2;
    const std::size_t faults = diagnostics_.count();
    const Section range = read_section(value, {from, to, times}, inner_path(key), diagnostics_);
    if (diagnostics_.count() != faults) return std::nullopt;
    return spread(range, value.position, key);
  }

  std::optional<Section::Entry> spread(const Section& range, Position place, const Key& key) {
    const std::int64_t first = range.find("from")->scalars[0].amount;
    const std::int64_t last = range.find("to")->scalars[0].amount;
    const std::int64_t factor = range.count("times");
    if (last < first) {
      report(range.position("to"), fmt::format("'to' is less than 'from' in {}", inner_path(key)),
             "at least " + to_text(first, key.dimension));
      return std::nullopt;
    }
    Section::Entry entry{key.name, place};
    for (std::int64_t amount = first;; amount *= factor) {
      entry.scalars.push_back({key.dimension, amount, to_text(amount, key.dimension)});
      entry.places.push_back(place);
      if (amount > last / factor) return entry;
    }
  }

  std::optional<Section::Entry> read_inner(const Value& value, const Key& key) {
    if (value.kind != Value::Kind::kMap) {
      report_key(value.position, key, fmt::format("is {}", name_of(value.kind)));
      return std::nullopt;
    }
    Section::Entry entry{key.name, value.position};
    entry.sections.push_back(read_section(value, key.inner, inner_path(key), diagnostics_));
    return entry;
  }

  std::optional<Section::Entry> read_sections(const Value& value, const Key& key) {
    if (value.kind != Value::Kind::kList) {
      report_key(value.position, key, fmt::format("is {}", name_of(value.kind)));
      return std::nullopt;
    }
    if (!check_length(value, key)) return std::nullopt;
    Section::Entry entry{key.name, value.position};
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const std::string path = fmt::format("{}[{}]", inner_path(key), i);
      entry.sections.push_back(read_section(value.items[i], key.inner, path, diagnostics_));
    }
    return entry;
  }

  std::optional<Section::Entry> read_open(const Value& value, const Key& key) {
    if (value.kind != Value::Kind::kMap) {
      report_key(value.position, key, fmt::format("is {}", name_of(value.kind)));
      return std::nullopt;
    }
    Section::Entry entry{key.name, value.position};
    entry.open = value;
    return entry;
  }

  const std::vector<Key>& keys_;
  const std::string& path_;
  Diagnostics& diagnostics_;
};

}  // namespace

Section read_section(const Value& value, const std::vector<Key>& keys, const std::string& path,
                     Diagnostics& diagnostics) {
  return Reader(keys, path, diagnostics).read(value);
}

const Section::Entry* Section::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

Bytes Section::bytes(std::string_view key) const {
  return Bytes(single(key, Dimension::kBytes).amount);
}

Bandwidth Section::bandwidth(std::string_view key) const {
  return Bandwidth(single(key, Dimension::kBandwidth).amount);
}

Time Section::time(std::string_view key) const {
  return Time(single(key, Dimension::kTime).amount);
}

std::int64_t Section::count(std::string_view key) const {
  return single(key, Dimension::kCount).amount;
}

std::int64_t Section::ratio(std::string_view key) const {
  return single(key, Dimension::kRatio).amount;
}

bool Section::flag(std::string_view key) const { return single(key, Dimension::kFlag).amount != 0; }

const std::string& Section::text(std::string_view key) const {
  return single(key, Dimension::kText).text;
}

const Section& Section::section(std::string_view key) const {
  const Entry* entry = find(key);
  CHECK(entry != nullptr && entry->sections.size() == 1);
  return entry->sections[0];
}

Position Section::position(std::string_view key) const {
  const Entry* entry = find(key);
  return entry == nullptr ? place : entry->position;
}

const Quantity& Section::single(std::string_view key, Dimension dimension) const {
  const Entry* entry = find(key);
  CHECK(entry != nullptr && entry->scalars.size() == 1);
  CHECK(entry->scalars[0].dimension == dimension);
  return entry->scalars[0];
}

}  // namespace sim
