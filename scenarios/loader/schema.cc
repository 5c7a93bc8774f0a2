// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/schema.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "scenarios/loader/declared.h"
#include "scenarios/loader/keys.h"
#include "sim/engine/costs.h"
#include "sim/engine/engines.h"
#include "topologies/topologies.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Key;
using Shape = sim::Key::Shape;

std::string text(std::string_view plain) {
  std::string quoted = "\"";
  for (const char c : plain) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<std::uint8_t>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<std::uint8_t>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// An object or list under construction: members joined by commas.
class Members {
 public:
  void add(std::string_view name, const std::string& value) { push(text(name) + ": " + value); }
  void push(const std::string& value) { joined_ += (joined_.empty() ? "" : ", ") + value; }
  [[nodiscard]] std::string object() const { return "{" + joined_ + "}"; }
  [[nodiscard]] std::string list() const { return "[" + joined_ + "]"; }
  [[nodiscard]] const std::string& joined() const { return joined_; }

 private:
  std::string joined_;
};

std::string texts(const std::vector<std::string>& values) {
  Members list;
  for (const std::string& value : values) list.push(text(value));
  return list.list();
}

constexpr std::string_view kNumber = "^(0|[1-9][0-9]*)(\\.[0-9]+)? *";

std::string pattern(Dimension dimension) {
  const std::string number(kNumber);
  switch (dimension) {
    case Dimension::kBytes:
      return number + "([kMGT]?B|[KMGT]iB)$";
    case Dimension::kBandwidth:
      return number + "([kMGT]?[Bb]/s|[KMGT]iB/s|[MGT]bps)$|^unlimited$";
    case Dimension::kTime:
      return number + "([pnum]?s)$";
    case Dimension::kRatio:
      return "^[0-9][0-9.eE+-]* *%?$";
    default:
      return "";
  }
}

// One of the names, or a file by its ending.
void add_choices(const Key& key, Members& schema) {
  if (key.endings.empty()) return schema.add("enum", texts(key.choices));
  Members names;
  names.add("enum", texts(key.choices));
  Members either;
  either.push(names.object());
  for (const std::string& ending : key.endings) {
    Members file;
    file.add("pattern", text("[.]" + ending.substr(1) + "$"));
    either.push(file.object());
  }
  schema.add("anyOf", either.list());
}

// What one scalar accepts, without its description.
std::string scalar(const Key& key) {
  Members schema;
  switch (key.dimension) {
    case Dimension::kCount:
      schema.add("type", text("integer"));
      if (key.least != std::numeric_limits<std::int64_t>::min()) {
        schema.add("minimum", std::to_string(key.least));
      }
      if (key.most != std::numeric_limits<std::int64_t>::max()) {
        schema.add("maximum", std::to_string(key.most));
      }
      break;
    case Dimension::kFlag:
      schema.add("type", text("boolean"));
      break;
    case Dimension::kRatio:
      schema.add("type", texts({"number", "string"}));
      schema.add("pattern", text(pattern(key.dimension)));
      break;
    case Dimension::kText:
      schema.add("type", text("string"));
      if (!key.choices.empty()) add_choices(key, schema);
      break;
    default:
      schema.add("type", text("string"));
      schema.add("pattern", text(pattern(key.dimension)));
      schema.add("examples",
                 texts({std::string(sim::example_of(key.dimension)
                                        .substr(0, sim::example_of(key.dimension).find(" or ")))}));
  }
  return schema.object();
}

std::string list_of(const std::string& item) {
  Members schema;
  schema.add("type", text("array"));
  schema.add("minItems", "1");
  schema.add("items", item);
  return schema.object();
}

std::string any_of(const std::vector<std::string>& choices) {
  Members list;
  for (const std::string& choice : choices) list.push(choice);
  Members schema;
  schema.add("anyOf", list.list());
  return schema.object();
}

std::string closed_object(const Members& properties, const std::vector<std::string>& required) {
  Members schema;
  schema.add("type", text("object"));
  schema.add("additionalProperties", "false");
  if (!required.empty()) schema.add("required", texts(required));
  schema.add("properties", properties.object());
  return schema.object();
}

std::string range(const Key& key) {
  Key times;
  times.dimension = Dimension::kCount;
  times.least = 2;
  Members properties;
  properties.add("from", scalar(key));
  properties.add("to", scalar(key));
  properties.add("times", scalar(times));
  return closed_object(properties, {"from", "to", "times"});
}

// group.chips is a text that holds a count or the word all.
std::string chip_counts() {
  Key count;
  count.dimension = Dimension::kCount;
  count.least = 1;
  const std::string one = any_of({scalar(count), "{\"const\": \"all\"}"});
  return any_of({one, list_of(one)});
}

std::string overrides() {
  std::vector<Key> all;
  const auto add = [&](const std::vector<Key>& more) {
    for (const Key& key : more) {
      if (!set_by_loader(key.name) && find_key(all, key.name) == nullptr) all.push_back(key);
    }
  };
  for (const auto& entry : topologies::topologies().entries()) add(entry.keys);
  add(topologies::fabric_keys());
  add(sim::end_cost_keys());
  for (const auto& entry : sim::engines().entries()) add(entry.keys);
  Members properties;
  for (const Key& key : all) {
    Members described;
    described.add("description", text(key.help));
    std::string own = scalar(key);
    properties.add(key.name, "{" + described.joined() + ", " + own.substr(1));
  }
  return closed_object(properties, {});
}

std::string one_of(std::string_view one, std::string_view other);
std::string section(const std::vector<Key>& keys, const std::string& one_of = "");

// cluster.fabric may name a file (graph_file.h).
std::string graph_file() {
  Members schema;
  schema.add("type", text("string"));
  schema.add("pattern", text("\\.(dot|gv|graphml)$"));
  return schema.object();
}

std::string value_of(const Key& key) {
  if (key.name == "chips") return chip_counts();
  if (key.name == "fabric") return any_of({graph_file(), section(key.inner)});
  switch (key.shape) {
    case Shape::kScalar:
      return scalar(key);
    case Shape::kScalars:
      return any_of({scalar(key), list_of(scalar(key))});
    case Shape::kSizeRange:
      return any_of({scalar(key), list_of(scalar(key)), range(key)});
    case Shape::kSection:
      return section(key.inner, key.name == "cluster" ? one_of("ultraserver", "topology") : "");
    case Shape::kSections:
      return list_of(
          section(key.inner, key.name == "workload" ? one_of("bytes", "bytes_per_peer") : ""));
    case Shape::kOpenMap:
      return key.name == "overrides" ? overrides() : "{\"type\": \"object\"}";
  }
  return "{}";
}

// Pairs of keys of which exactly one is given.
std::string one_of(std::string_view one, std::string_view other) {
  const auto requires_key = [](std::string_view key) {
    Members schema;
    schema.add("required", texts({std::string(key)}));
    return schema.object();
  };
  Members list;
  list.push(requires_key(one));
  list.push(requires_key(other));
  return list.list();
}

std::string property(const Key& key) {
  Members extra;
  extra.add("description", text(key.help));
  if (key.fallback && key.fallback != "{}") {
    const bool number = key.dimension == Dimension::kCount;
    extra.add("default", number ? *key.fallback : text(*key.fallback));
  }
  if (key.name == "scenario") {
    extra.add("pattern", text(fmt::format("^[a-z0-9-]{{1,{}}}$", kMostNameLength)));
  }
  return "{" + extra.joined() + ", " + value_of(key).substr(1);
}

std::string section(const std::vector<Key>& keys, const std::string& one_of) {
  Members properties;
  std::vector<std::string> required;
  for (const Key& key : keys) {
    properties.add(key.name, property(key));
    if (key.required) required.push_back(key.name);
  }
  std::string object = closed_object(properties, required);
  if (!one_of.empty()) object.insert(object.size() - 1, ", \"oneOf\": " + one_of);
  return object;
}

}  // namespace

std::string json_schema() { return json_schema(keys()); }

std::string json_schema(const std::vector<Key>& top) {
  Members head;
  head.add("$schema", text("https://json-schema.org/draft/2020-12/schema"));
  head.add("title", text("ultrasim scenario"));
  return "{" + head.joined() + ", " + section(top).substr(1) + "\n";
}

}  // namespace scenarios
