// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "scenarios/loader/declared.h"
#include "scenarios/loader/yaml.h"

namespace scenarios {
namespace {

using sim::Diagnostic;
using sim::Diagnostics;
using sim::Key;
using sim::Position;
using sim::Value;

// Override i stands at this line plus i: no file that is read has so many.
constexpr int kFirstLine = 1'000'000'000;
static_assert(kFirstLine > kMostFileBytes);
constexpr std::size_t kMostShown = 60;  // bytes of a value that a message repeats whole
constexpr std::string_view kParameters = "cluster.overrides.";

Position place_of(std::size_t number) { return {kFirstLine + static_cast<int>(number), 1}; }

void move_to(Position place, Value& value) {
  value.position = place;
  for (Value& item : value.items) move_to(place, item);
  for (Value::Entry& entry : value.entries) {
    entry.position = place;
    move_to(place, entry.value);
  }
}

std::optional<std::size_t> item_number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  const bool plain = text.size() == 1 || !text.starts_with('0');
  return whole && plain ? std::optional(number) : std::nullopt;
}

// Puts one override into the tree.
class Setter {
 public:
  Setter(Position place, const std::vector<Key>& declared, Diagnostics& diagnostics)
      : place_(place), declared_(declared), diagnostics_(diagnostics) {}

  // Walks down the path, making maps where there is nothing yet.
  void set(Value& root, std::string_view path, Value value) {
    Value* node = &root;
    const std::vector<Key>* inner = &declared_;
    for (std::size_t depth = 0; node != nullptr && depth < kMostDepth; ++depth) {
      const bool open = inner == nullptr;
      const std::string_view step = open ? path : path.substr(0, path.find('.'));
      node = node->kind == Value::Kind::kList ? item(*node, step) : entry(*node, step);
      if (node == nullptr) return;
      if (step.size() == path.size()) {
        *node = std::move(value);
        return;
      }
      path.remove_prefix(step.size() + 1);
      inner = below(inner, step);
    }
    report("the path has too many steps", "a key of a scenario");
  }

  void report(std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place_, std::move(what), std::move(expected), std::move(hint)});
  }

 private:
  // Keys below `step`; null when they are an open map's. Items of a list share their list's keys.
  static const std::vector<Key>* below(const std::vector<Key>* inner, std::string_view step) {
    static const std::vector<Key> kNone;
    if (item_number(step)) return inner;
    const Key* key = find_key(*inner, step);
    if (key == nullptr) return &kNone;
    return key->shape == Key::Shape::kOpenMap ? nullptr : &key->inner;
  }

  Value* item(Value& list, std::string_view step) {
    const std::optional<std::size_t> number = item_number(step);
    if (number && *number < list.items.size()) return &list.items[*number];
    report(fmt::format("the list has no item {}", sim::quoted(step)),
           list.items.empty() ? "an item that is in the file"
                              : fmt::format("a number from 0 to {}", list.items.size() - 1));
    return nullptr;
  }

  Value* entry(Value& map, std::string_view step) {
    if (step.empty()) {
      report("the path has an empty step", "keys joined by dots: cluster.wiring");
      return nullptr;
    }
    if (map.kind == Value::Kind::kScalar) {
      report(fmt::format("there is no key {} below text", sim::quoted(step)), "a key of a map");
      return nullptr;
    }
    if (map.kind == Value::Kind::kNull) {
      map.kind = Value::Kind::kMap;
      map.position = place_;
    }
    for (Value::Entry& present : map.entries) {
      if (present.key == step) return &present.value;
    }
    map.entries.push_back({std::string(step), place_, {}});
    map.entries.back().value.position = place_;
    return &map.entries.back().value;
  }

  Position place_;
  const std::vector<Key>& declared_;
  Diagnostics& diagnostics_;
};

std::optional<Value> read_value(const Override& override, Setter& setter) {
  const std::string text = clean_text(override.value);
  Diagnostics faults("", text);
  std::optional<Value> value;
  if (static_cast<std::int64_t>(text.size()) <= kMostFileBytes) {
    value = parse_yaml(text, faults);
  } else {
    setter.report("the value is too long", "a shorter value");
  }
  for (const Diagnostic& fault : faults.list())
    setter.report(fault.what, fault.expected, fault.hint);
  return value;
}

// The whole path, or nothing after a fault was reported.
std::optional<std::string> full_path(const std::string& path, const std::vector<Key>& declared,
                                     Setter& setter) {
  if (find_key(declared, path.substr(0, path.find('.'))) != nullptr) return path;
  std::vector<std::string> names = all_parameter_names();
  if (std::ranges::find(names, path) != names.end()) return std::string(kParameters) + path;
  for (const Key& key : declared) names.push_back(key.name);
  const std::string near = sim::nearest(path, names);
  setter.report(fmt::format("unknown key {}", sim::quoted(path)),
                "the path of a key such as cluster.wiring, or a parameter's name",
                near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  return std::nullopt;
}

std::string without_count(std::string rendered) {
  const std::size_t end = rendered.rfind('\n', rendered.size() - 2);
  return rendered.substr(0, end == std::string::npos ? 0 : end + 1);
}

std::string name_of(const Override& override) {
  const bool longish = override.value.size() > kMostShown;
  return fmt::format("--set {}={}", override.path,
                     longish ? sim::quoted(override.value) : override.value);
}

}  // namespace

void apply_overrides(const std::vector<Override>& overrides, const std::vector<Key>& declared,
                     Value& tree, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    Setter setter(place_of(i), declared, diagnostics);
    const std::optional<std::string> path = full_path(overrides[i].path, declared, setter);
    std::optional<Value> value = read_value(overrides[i], setter);
    if (!path || !value) continue;
    if (!seen.insert(*path).second) {
      setter.report(fmt::format("{} is set twice", sim::quoted(*path)), "each path once");
      continue;
    }
    const auto part = seen.lower_bound(*path + ".");
    if (part != seen.end() && part->starts_with(*path + ".")) {
      setter.report(fmt::format("{} would undo {}, which is set before it", sim::quoted(*path),
                                sim::quoted(*part)),
                    "the whole first, then its parts");
      continue;
    }
    move_to(place_of(i), *value);
    setter.set(tree, *path, std::move(*value));
  }
}

std::string render_faults(const Diagnostics& diagnostics, const std::string& shown_name,
                          const std::string& text, const std::vector<Override>& overrides) {
  Diagnostics of_file(shown_name, text);
  std::vector<Diagnostics> of_override;
  for (const Override& override : overrides) of_override.emplace_back(name_of(override), "");
  for (Diagnostic fault : diagnostics.list()) {
    if (fault.position.line < kFirstLine) {
      of_file.add(std::move(fault));
      continue;
    }
    const auto number = static_cast<std::size_t>(fault.position.line - kFirstLine);
    fault.position = {};
    of_override[number].add(std::move(fault));
  }
  std::string shown = without_count(of_file.render());
  for (const Diagnostics& faults : of_override) shown += without_count(faults.render());
  const std::size_t hidden = diagnostics.count() - diagnostics.list().size();
  if (hidden > 0) shown += fmt::format("... and {} more\n", hidden);
  return shown +
         fmt::format("{} {}\n", diagnostics.count(), diagnostics.count() == 1 ? "error" : "errors");
}

}  // namespace scenarios
