// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <set>

#include "tests/topologies/hand_parameters.h"

namespace {

using topologies_test::Changes;
using topologies_test::try_make;

std::string fault(const char* topology, const Changes& changes) {
  const auto made = try_make(topology, changes);
  return made.ok() ? "" : made.failure().what;
}

TEST(Parameters, OutOfRangeAreNamedAndNotBuilt) {
  EXPECT_EQ(fault("ultraserver", {}), "");
  EXPECT_EQ(fault("ultraserver", {{"planes", "3"}}), "3 planes do not divide 4 positions");
  EXPECT_EQ(fault("ultraserver", {{"planes", "0"}}), "planes is 0");
  EXPECT_EQ(fault("ultraserver", {{"planes", "8"}}), "8 planes do not divide 4 positions");
  EXPECT_EQ(fault("ultraserver", {{"racks", "3"}}), "racks is 3");
  EXPECT_EQ(fault("ultraserver", {{"structure", "ring"}}), "structure cannot be 'ring'");
  EXPECT_EQ(fault("ultraserver", {{"relay", "both"}}), "relay cannot be 'both'");
  EXPECT_EQ(fault("ultraserver", {{"sled.bandwidth", "0 B/s"}}), "sled.bandwidth is 0 B/s");
  EXPECT_EQ(fault("ultraserver", {{"switch.latency", "2 s"}}), "switch.latency is 2 s");
  EXPECT_EQ(fault("ultraserver", {{"neuronlink.efficiency", "0"}}), "neuronlink.efficiency is 0");
  EXPECT_EQ(
      fault("ultraserver", {{"positions", "1"}, {"planes", "1"}, {"sleds", "1"}, {"racks", "1"}}),
      "the fabric would have 1 endpoints");
  EXPECT_EQ(fault("star", {{"ends", "1"}}), "ends is 1");
  EXPECT_EQ(fault("star", {{"ends", "100001"}}), "ends is 100001");
}

TEST(Parameters, ThatDoNotFitTogetherAreNamed) {
  EXPECT_EQ(
      fault("star", {{"link.flow", "drop"}, {"link.buffer", "4 KiB"}, {"link.header", "1 B"}}),
      "link.buffer does not hold one packet");
  EXPECT_EQ(fault("star", {{"link.flow", "unbounded"}, {"link.buffer", "1 B"}}), "");
  EXPECT_EQ(fault("ultraserver", {{"neuronlink.buffer", "2 KiB"}}),
            "neuronlink.buffer does not hold one packet");
  EXPECT_EQ(fault("ultracluster", {{"neuronlink.buffer", "8 KiB"}}),
            "neuronlink.buffer does not hold one network packet");
  EXPECT_EQ(fault("ultracluster", {{"ethernet.buffer", "8760 B"}}),
            "ethernet.buffer does not hold one network packet");
  EXPECT_EQ(fault("ultracluster", {{"ultraservers", "10000"}, {"endpoints_per_chip", "8"}}),
            "the fabric would have 11520000 endpoints");
}

TEST(Parameters, MissingOrOfAnotherKindAreFaultsToo) {
  EXPECT_FALSE(topologies::topologies().find("star")->make(sim::Parameters()).ok());
  sim::Parameters wrong = topologies_test::parameters_of("star");
  const sim::Quantity text{sim::Dimension::kText, 0, "many"};
  wrong.set({"ends", text, text, text, sim::Grade::kChosen, "test"});
  const auto made = topologies::topologies().find("star")->make(wrong);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.failure().what, "ends is not a count");
}

TEST(Catalog, DeclaresEveryParameterOnceWithHelpAndWithoutDefault) {
  EXPECT_EQ(topologies::topologies().names(),
            (std::vector<std::string>{"full_mesh", "full_mesh_cluster", "own", "pcie", "pcie_cluster",
                                      "star", "switched", "switched_cluster", "torus",
                                      "torus_cluster", "ultracluster", "ultraserver"}));
  for (const auto& entry : topologies::topologies().entries()) {
    std::set<std::string> names;
    for (const sim::Key& key : entry.keys) {
      EXPECT_TRUE(names.insert(key.name).second) << key.name;
      EXPECT_FALSE(key.help.empty()) << key.name;
      EXPECT_FALSE(key.fallback.has_value()) << key.name;
      EXPECT_TRUE(key.dimension != sim::Dimension::kText || !key.choices.empty()) << key.name;
    }
  }
}

}  // namespace
