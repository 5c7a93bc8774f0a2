// SPDX-License-Identifier: GPL-2.0-only
// The JSON Schema follows the declared keys.
#include "scenarios/loader/schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "collectives/collectives.h"
#include "scenarios/loader/declared.h"
#include "scenarios/loader/keys.h"

namespace {

using nlohmann::json;

json schema() { return json::parse(scenarios::json_schema()); }

// The schema of the map that holds the keys of `key`.
const json& inner_of(const sim::Key& key, const json& property) {
  return key.shape == sim::Key::Shape::kSections ? property.at("items") : property;
}

void expect_keys(const std::vector<sim::Key>& keys, const json& object) {
  EXPECT_EQ(object.at("additionalProperties"), false);
  EXPECT_EQ(object.at("properties").size(), keys.size());
  std::vector<std::string> required;
  for (const sim::Key& key : keys) {
    SCOPED_TRACE(key.name);
    ASSERT_TRUE(object.at("properties").contains(key.name));
    const json& property = object.at("properties").at(key.name);
    EXPECT_EQ(property.at("description"), key.help);
    if (key.required) required.push_back(key.name);
    if (!key.inner.empty()) expect_keys(key.inner, inner_of(key, property));
  }
  EXPECT_EQ(object.value("required", std::vector<std::string>{}), required);
}

TEST(Schema, HasEveryKeyAtEveryLevelWithItsHelp) { expect_keys(scenarios::keys(), schema()); }

TEST(Schema, ListsChoicesAndDefaults) {
  const json item = schema()["properties"]["workload"]["items"]["properties"];
  EXPECT_EQ(item["algorithm"]["anyOf"][0]["enum"], collectives::algorithms().names());
  EXPECT_EQ(item["group"]["properties"]["span"]["default"], "sled_first");
  EXPECT_EQ(schema()["properties"]["seed"]["default"], 1);
  EXPECT_EQ(schema()["properties"]["cluster"]["properties"]["ranks"]["enum"],
            (std::vector<std::string>{"chips", "cores"}));
}

TEST(Schema, KnowsEveryParameterThatMayBeOverridden) {
  const json overrides = schema()["properties"]["cluster"]["properties"]["overrides"]["properties"];
  std::size_t expected = 0;
  for (const std::string& name : scenarios::all_parameter_names()) {
    EXPECT_EQ(overrides.contains(name), !scenarios::set_by_loader(name)) << name;
    expected += scenarios::set_by_loader(name) ? 0 : 1;
  }
  EXPECT_EQ(overrides.size(), expected);
}

TEST(Schema, PatternsAgreeWithTheParserOnUnits) {
  const json properties = schema()["properties"];
  const auto matches = [](const json& scalar, const std::string& text) {
    return std::regex_search(text, std::regex(scalar.at("pattern").get<std::string>()));
  };
  const json bytes = properties["workload"]["items"]["properties"]["bytes"]["anyOf"][0];
  const json time = properties["limits"]["properties"]["simulated_time"];
  const json rate =
      properties["cluster"]["properties"]["overrides"]["properties"]["sled.bandwidth"];
  for (const char* text : {"64 KiB", "64KB", "64 kB", "1.5 MiB", "64", "-1 B", "7 TiB", "08 B",
                           "64 KIB", "64 Mb", "1 B"}) {
    EXPECT_EQ(matches(bytes, text),
              sim::parse_quantity(text, sim::Dimension::kBytes).ok() && text[0] != '-')
        << text;
  }
  for (const char* text : {"15 us", "1 s", "1.5 ms", "10", "3 h", "2 ps"}) {
    EXPECT_EQ(matches(time, text), sim::parse_quantity(text, sim::Dimension::kTime).ok()) << text;
  }
  for (const char* text :
       {"128 GB/s", "200 Gb/s", "200 Gbps", "128 GB", "unlimited", "1 KB/s", "1 KiB/s"}) {
    EXPECT_EQ(matches(rate, text), sim::parse_quantity(text, sim::Dimension::kBandwidth).ok())
        << text;
  }
}

}  // namespace
