// SPDX-License-Identifier: GPL-2.0-only
// The JSON Schema is JSON and follows the declared keys. JSON is read as the YAML that it also is.
#include "scenarios/loader/schema.h"

#include <gtest/gtest.h>

#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collectives.h"
#include "scenarios/loader/declared.h"
#include "scenarios/loader/keys.h"
#include "scenarios/loader/yaml.h"

namespace {

using sim::Value;
using Path = std::vector<std::string>;

// Strict JSON (RFC 8259), white space apart from blanks and new lines left out.
class Json {
 public:
  explicit Json(std::string_view text) : rest_(text) {}
  bool is_valid() { return value() && (blank(), rest_.empty()); }

 private:
  void blank() {
    while (rest_.starts_with(' ') || rest_.starts_with('\n')) rest_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    blank();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool value() {
    if (take("{")) return members('}', true);
    if (take("[")) return members(']', false);
    return take("true") || take("false") || take("null") || text() || number();
  }
  bool members(char end, bool named) {
    const std::string_view close(&end, 1);
    if (take(close)) return true;
    do {
      if (named && !(text() && take(":"))) return false;
      if (!value()) return false;
    } while (take(","));
    return take(close);
  }
  bool text() {
    if (!take("\"")) return false;
    while (!rest_.empty() && rest_[0] != '"') {
      const auto byte = static_cast<unsigned char>(rest_[0]);
      const bool escape = byte == '\\';
      if (byte < 0x20 ||
          (escape && (rest_.size() < 2 ||
                      std::string_view("\"\\/bfnrtu").find(rest_[1]) == std::string_view::npos))) {
        return false;
      }
      rest_.remove_prefix(escape ? 2 : 1);
    }
    return take("\"");
  }
  bool number() {
    std::size_t length = rest_.starts_with('-') ? 1 : 0;
    const std::size_t sign = length;
    while (length < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[length]))) {
      ++length;
    }
    rest_.remove_prefix(length);
    return length > sign;
  }

  std::string_view rest_;
};

Value schema() {
  const std::string text = scenarios::json_schema();
  sim::Diagnostics diagnostics("schema.json", text);
  std::optional<Value> tree = scenarios::parse_yaml(text, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.render();
  return tree ? std::move(*tree) : Value{};
}

const Value& at(const Value& value, const std::string& name) {
  static const Value kNothing;
  const Value::Entry* entry = value.find(name);
  EXPECT_NE(entry, nullptr) << name;
  return entry == nullptr ? kNothing : entry->value;
}

const Value& at(const Value& value, const Path& names) {
  const Value* inner = &value;
  for (const std::string& name : names) inner = &at(*inner, name);
  return *inner;
}

std::vector<std::string> texts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.items) texts.push_back(item.text);
  return texts;
}

void expect_keys(const std::vector<sim::Key>& keys, const Value& object) {
  EXPECT_EQ(at(object, "additionalProperties").text, "false");
  const Value& properties = at(object, "properties");
  EXPECT_EQ(properties.entries.size(), keys.size());
  std::vector<std::string> required;
  for (const sim::Key& key : keys) {
    SCOPED_TRACE(key.name);
    const Value& property = at(properties, key.name);
    EXPECT_EQ(at(property, "description").text, key.help);
    if (key.required) required.push_back(key.name);
    const bool list = key.shape == sim::Key::Shape::kSections;
    if (key.inner.empty()) continue;
    const bool file = key.name == "fabric";  // or the name of a graph file
    const Value& object_of = file ? at(property, "anyOf").items.at(1) : property;
    expect_keys(key.inner, list ? at(property, "items") : object_of);
  }
  const Value::Entry* listed = object.find("required");
  EXPECT_EQ(listed == nullptr ? Path{} : texts(listed->value), required);
}

const Path kItem = {"properties", "workload", "items", "properties"};
const Path kOverrides = {"properties", "cluster", "properties", "overrides", "properties"};

TEST(Schema, IsJson) {
  EXPECT_TRUE(Json(scenarios::json_schema()).is_valid());
  EXPECT_FALSE(Json("{\"a\": 1,}").is_valid());
  EXPECT_FALSE(Json("{a: 1}").is_valid());
  EXPECT_FALSE(Json("\"\\.\"").is_valid());
}

TEST(Schema, HasEveryKeyAtEveryLevelWithItsHelp) { expect_keys(scenarios::keys(), schema()); }

TEST(Schema, ListsChoicesAndDefaults) {
  const Value tree = schema();
  const Value& item = at(tree, kItem);
  std::vector<std::string> algorithms = collectives::algorithms().names();
  algorithms.insert(algorithms.end(), {"auto", "all"});
  const Value& one = at(at(item, "algorithm"), "anyOf").items.at(0);  // or a file, or a list
  EXPECT_EQ(texts(at(at(one, "anyOf").items.at(0), "enum")), algorithms);
  EXPECT_EQ(at(item, Path{"group", "properties", "span", "default"}).text, "sled_first");
  EXPECT_EQ(at(tree, Path{"properties", "seed", "default"}).text, "1");
  EXPECT_EQ(texts(at(tree, Path{"properties", "cluster", "properties", "ranks", "enum"})),
            (std::vector<std::string>{"chips", "cores"}));
  EXPECT_EQ(at(tree, Path{"properties", "cluster", "oneOf"}).items.size(), 2U);
}

TEST(Schema, KnowsEveryParameterThatMayBeOverridden) {
  const Value tree = schema();
  const Value& overrides = at(tree, kOverrides);
  std::size_t expected = 0;
  for (const std::string& name : scenarios::all_parameter_names()) {
    EXPECT_EQ(overrides.find(name) != nullptr, !scenarios::set_by_loader(name)) << name;
    expected += scenarios::set_by_loader(name) ? 0 : 1;
  }
  EXPECT_EQ(overrides.entries.size(), expected);
}

void expect_pattern_agrees(const Value& scalar, sim::Dimension dimension,
                           const std::vector<std::string>& samples) {
  const std::regex pattern(at(scalar, "pattern").text);
  for (const std::string& text : samples) {
    EXPECT_EQ(std::regex_search(text, pattern), sim::parse_quantity(text, dimension).ok()) << text;
  }
}

TEST(Schema, PatternsAgreeWithTheParserOnUnits) {
  const Value tree = schema();
  expect_pattern_agrees(
      at(at(tree, kItem), Path{"bytes", "anyOf"}).items.at(0), sim::Dimension::kBytes,
      {"64 KiB", "64KB", "64 kB", "1.5 MiB", "64", "7 TiB", "08 B", "64 KIB", "64 Mb", "1 B"});
  expect_pattern_agrees(at(tree, Path{"properties", "limits", "properties", "simulated_time"}),
                        sim::Dimension::kTime, {"15 us", "1 s", "1.5 ms", "10", "3 h", "2 ps"});
  expect_pattern_agrees(
      at(at(tree, kOverrides), "sled.bandwidth"), sim::Dimension::kBandwidth,
      {"128 GB/s", "200 Gb/s", "200 Gbps", "128 GB", "unlimited", "1 KB/s", "1 KiB/s"});
}

}  // namespace
