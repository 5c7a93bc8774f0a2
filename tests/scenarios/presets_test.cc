// SPDX-License-Identifier: GPL-2.0-only
// Hardware presets: the shipped ones are complete, and what is wrong with others is told.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scenarios/loader/declared.h"
#include "scenarios/loader/embedded.h"
#include "scenarios/loader/presets.h"
#include "scenarios/loader/yaml.h"

namespace {

using scenarios::EmbeddedFile;
using scenarios::Preset;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string file_named(const std::string& name) {
  for (const EmbeddedFile& file : scenarios::hardware_files()) {
    if (file.name == name) return std::string(file.text);
  }
  ADD_FAILURE() << name;
  return "";
}

std::string faults_of(const std::string& text) {
  sim::Diagnostics diagnostics("preset.yaml", text);
  const bool parsed = scenarios::parse_preset(text, diagnostics).has_value();
  EXPECT_EQ(parsed, diagnostics.empty());
  return diagnostics.empty() ? "" : diagnostics.render();
}

TEST(Presets, ShippedOnesGiveEveryDeclaredParameterAndNoOther) {
  ASSERT_GE(scenarios::hardware_files().size(), 2U);
  for (const EmbeddedFile& file : scenarios::hardware_files()) {
    EXPECT_EQ(faults_of(scenarios::clean_text(file.text)), "") << file.name;
  }
}

TEST(Presets, HaveTheNamesOfTheirFiles) {
  std::set<std::string> names;
  for (const Preset& preset : scenarios::presets()) names.insert(preset.name + ".yaml");
  std::set<std::string> files;
  for (const EmbeddedFile& file : scenarios::hardware_files()) files.emplace(file.name);
  EXPECT_EQ(names, files);
}

TEST(Presets, GiveASourceAndARangeAroundEachValue) {
  for (const Preset& preset : scenarios::presets()) {
    for (const sim::Parameter& parameter : preset.parameters) {
      EXPECT_FALSE(parameter.source.empty()) << preset.name << " " << parameter.name;
      EXPECT_LE(parameter.low.amount, parameter.value.amount) << parameter.name;
      EXPECT_LE(parameter.value.amount, parameter.high.amount) << parameter.name;
    }
  }
}

TEST(Presets, EveryWiringGivesAllParametersOfBothTopologies) {
  for (const Preset& preset : scenarios::presets()) {
    for (const std::string& topology : {preset.topology, preset.widest_topology()}) {
      const auto keys = scenarios::declared_parameters(topology);
      EXPECT_GT(preset.under(nullptr, keys).list().size(), 10U);
      for (const scenarios::Wiring& wiring : preset.wirings) {
        EXPECT_EQ(preset.under(&wiring, keys).list().size(),
                  preset.under(nullptr, keys).list().size())
            << wiring.name;
      }
    }
  }
}

TEST(Presets, FaultyOnesAreRefused) {
  const std::string star = file_named("star.yaml");
  const auto fault = [&](const std::string& from, const std::string& to, const std::string& what) {
    const std::string faults = faults_of(replaced(star, from, to));
    EXPECT_NE(faults.find(what), std::string::npos) << faults;
  };
  fault("  ends:", "  endz:", "parameters.endz is not a parameter to be given here");
  fault("  ends:", "  endz:", "parameter 'ends' is missing");
  fault("{value: 64,", "{value: 64, high: 32,", "parameters.ends is outside its range");
  fault("{value: 64,", "{value: many,", "'many' is not a number");
  fault("{value: 64,", "{", "missing key 'value' in parameters.ends");
  fault("grade: chosen", "grade: guessed", "unknown value 'guessed' for 'grade'");
  fault("  link.latency:", "  ends:", "parameters.ends is given twice");
  fault("topology: star", "topology: stair", "unknown value 'stair' for 'topology'");
  fault("title: star\n", "title: star\ndefault_wiring: a\n",
        "default_wiring must name one of the wirings");
  fault("preset: star", "preset: A Star", "a preset's name is a-z, 0-9 and -");
}

}  // namespace
