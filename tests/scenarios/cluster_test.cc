// SPDX-License-Identifier: GPL-2.0-only
// From the cluster section to parameters and topology.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/loader/declared.h"
#include "tests/scenarios/text.h"

namespace {

using scenarios::Scenario;
using scenarios_test::load;
using scenarios_test::text_of;

Scenario with_cluster(const std::string& lines) { return load(text_of({.cluster = lines})); }

TEST(Cluster, WiringReplacesThePresetAndOverridesReplaceTheWiring) {
  const Scenario full = with_cluster("  ultraserver: trn3-gen2\n");
  const Scenario doc = with_cluster("  ultraserver: trn3-gen2\n  wiring: doc\n");
  const Scenario own = with_cluster(
      "  ultraserver: trn3-gen2\n  wiring: doc\n  overrides: {sled.bandwidth: 300 GB/s}\n");
  EXPECT_EQ(full.parameters.bandwidth("sled.bandwidth").value, 512'000'000'000);
  EXPECT_EQ(doc.parameters.bandwidth("sled.bandwidth").value, 256'000'000'000);
  EXPECT_EQ(own.parameters.bandwidth("sled.bandwidth").value, 300'000'000'000);
  EXPECT_EQ(doc.parameters.bandwidth("rack.bandwidth").value,
            own.parameters.bandwidth("rack.bandwidth").value);
}

TEST(Cluster, AnOverriddenParameterIsGradedScenarioAndHasNoRange) {
  const Scenario scenario =
      with_cluster("  ultraserver: trn3-gen2\n  overrides: {rack.bandwidth: 400 GB/s}\n");
  const sim::Parameter* parameter = scenario.parameters.find("rack.bandwidth");
  ASSERT_NE(parameter, nullptr);
  EXPECT_EQ(parameter->grade, sim::Grade::kScenario);
  EXPECT_EQ(parameter->source, "this scenario");
  EXPECT_EQ(parameter->low, parameter->value);
  EXPECT_EQ(parameter->high, parameter->value);
}

TEST(Cluster, HasExactlyTheDeclaredParametersInTheirOrder) {
  for (const char* lines :
       {"  ultraserver: trn3-gen2\n", "  ultraserver: trn3-gen2\n  ultraservers: 2\n",
        "  topology: star\n"}) {
    const Scenario scenario = with_cluster(lines);
    const std::string topology = scenario.fabric.starts_with("2 x")    ? "ultracluster"
                                 : scenario.fabric.starts_with("star") ? "star"
                                                                       : "ultraserver";
    const auto declared = scenarios::declared_parameters(topology);
    EXPECT_EQ(scenario.parameters.list().size(), declared.size());
    for (const sim::Key& key : declared) {
      const sim::Parameter* parameter = scenario.parameters.find(key.name);
      ASSERT_NE(parameter, nullptr) << key.name;
      EXPECT_EQ(parameter->value.dimension, key.dimension) << key.name;
    }
  }
}

TEST(Cluster, RanksAreChipsOrLogicalCores) {
  const auto ends = [](const std::string& ranks) {
    return with_cluster("  ultraserver: trn3-gen2\n" + ranks).topology.fabric->endpoints();
  };
  EXPECT_EQ(ends(""), 144U);
  EXPECT_EQ(ends("  ranks: cores\n"), 576U);
  EXPECT_EQ(ends("  ranks: cores\n  logical_cores: 2\n"), 576U);
  EXPECT_EQ(ends("  ranks: cores\n  logical_cores: 1\n"), 1152U);
}

TEST(Cluster, IsDescribedByTitleChipsAndWiring) {
  EXPECT_EQ(with_cluster("  ultraserver: trn3-gen2\n").fabric,
            "Trn3 Gen2 UltraServer, 144 chips, wiring full");
  EXPECT_EQ(with_cluster("  ultraserver: trn3-gen2\n  ultraservers: 2\n  wiring: doc\n").fabric,
            "2 x Trn3 Gen2 UltraServer, 288 chips, wiring doc");
  EXPECT_EQ(with_cluster("  ultraserver: trn3-gen2\n  ranks: cores\n").fabric,
            "Trn3 Gen2 UltraServer, 144 chips, wiring full");
  EXPECT_EQ(with_cluster("  topology: star\n  overrides: {ends: 9}\n").fabric, "star, 9 chips");
}

}  // namespace
