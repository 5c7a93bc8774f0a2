// SPDX-License-Identifier: GPL-2.0-only
// Algorithms that a scenario leaves open, and the options of those it names.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scenarios/text.h"

namespace {

using scenarios_test::case_names;
using scenarios_test::faults_of;
using scenarios_test::load;
using scenarios_test::text_of;
using Names = std::vector<std::string>;

std::string with(const std::string& rest) {
  return text_of({.rest = "    bytes: [1 KiB, 1 GiB]\n" + rest});
}

TEST(Choice, AutoTakesTheFirstRuleOfTheSelectionThatFits) {
  const auto scenario =
      load(with("    algorithm: auto\n"
                "selection:\n"
                "  - {collective: all_reduce, algorithm: bruck, up_to: 1 MiB}\n"
                "  - {collective: all_reduce, algorithm: ring}\n"));
  EXPECT_EQ(case_names(scenario), (Names{"all_reduce/8_chips/1_KiB/bruck_by_auto",
                                         "all_reduce/8_chips/1_GiB/ring_by_auto"}));
  EXPECT_EQ(scenario.cases[0].algorithm, "bruck");
  EXPECT_EQ(scenario.cases[0].choice, "bruck up to 1048576 bytes: the scenario's selection");
}

TEST(Choice, AutoGoesByThePublishedTableOfThePreset) {
  const auto scenario = load(text_of({.cluster = "  server: trn2\n",
                                      .group = "",
                                      .rest = "    bytes: [1 KiB, 8 MiB, 1 GiB]\n"
                                              "    algorithm: auto\n"}));
  EXPECT_EQ(case_names(scenario), (Names{"all_reduce/16_chips/1_KiB/direct_by_auto",
                                         "all_reduce/16_chips/8_MiB/recursive_by_auto",
                                         "all_reduce/16_chips/1_GiB/kangaring_by_auto"}));
}

TEST(Choice, AutoComputesWhereNoTableIsPublished) {
  const auto scenario = load(with("    algorithm: auto\n"));
  ASSERT_EQ(scenario.cases.size(), 2U);
  EXPECT_NE(scenario.cases[0].choice.find("no table is published for this fabric"),
            std::string::npos);
}

TEST(Choice, AutoThatNoRuleFitsIsAFault) {
  const std::string faults = faults_of(
      with("    algorithm: auto\nselection:\n  - {collective: all_gather, algorithm: ring}\n"));
  EXPECT_NE(faults.find("has no algorithm for all_reduce"), std::string::npos) << faults;
}

TEST(Choice, FaultsOfTheSelectionAreToldOnce) {
  const std::string faults =
      faults_of(with("    algorithm: auto\nselection:\n  - {collective: all_reduce}\n"));
  EXPECT_NE(faults.find("'algorithm'"), std::string::npos) << faults;
  EXPECT_EQ(faults.find("has no algorithm for"), std::string::npos) << faults;
}

TEST(Choice, AllIsEveryAlgorithmThatCanServe) {
  const auto scenario =
      load(text_of({.rest = "    bytes: 1 MiB\n    algorithm: all\n", .collective = "all_to_all"}));
  EXPECT_EQ(case_names(scenario),
            (Names{"all_to_all/8_chips/1_MiB/direct", "all_to_all/8_chips/1_MiB/ring",
                   "all_to_all/8_chips/1_MiB/recursive", "all_to_all/8_chips/1_MiB/bruck",
                   "all_to_all/8_chips/1_MiB/pairwise", "all_to_all/8_chips/1_MiB/hierarchical"}));
}

TEST(Choice, TorusAndWindowAreOptionsOfTheirAlgorithms) {
  const auto torus = load(text_of({.rest = "    bytes: 1 MiB\n    algorithm: torus\n"
                                           "    torus: {dimensions: 4x2}\n"}));
  EXPECT_EQ(case_names(torus), (Names{"all_reduce/8_chips/1_MiB/torus_4x2_bidirectional_ring"}));
  const auto window = load(text_of({.rest = "    bytes: 1 MiB\n    algorithm: [direct, ring]\n"
                                            "    window: 2\n",
                                    .collective = "all_to_all"}));
  EXPECT_EQ(case_names(window),
            (Names{"all_to_all/8_chips/1_MiB/direct_window_2", "all_to_all/8_chips/1_MiB/ring"}));
}

TEST(Group, StrideTakesChipsThatLieApart) {
  const auto scenario = load(text_of({.group = "    group: {chips: 3, stride: 4}\n"}));
  ASSERT_EQ(case_names(scenario), (Names{"all_reduce/3_chips_stride_4/1_MiB/ring"}));
  EXPECT_EQ(scenario.cases[0].group, "3 chips, sled_first, stride 4");
  const auto& ends = scenario.cases[0].placement.endpoint_of;
  EXPECT_EQ(index(ends[1]), 4 * index(ends[0]) + 4);
  EXPECT_EQ(index(ends[2]), 8U);
  const std::string faults = faults_of(text_of({.group = "    group: {chips: 37, stride: 4}\n"}));
  EXPECT_NE(faults.find("a group of 37 chips is larger than every chip in 4 of the cluster"),
            std::string::npos)
      << faults;
}

TEST(Choice, OptionsThatNobodyReadsAreFaults) {
  const std::string torus = faults_of(with("    algorithm: ring\n    torus: {dimensions: 4x2}\n"));
  EXPECT_NE(torus.find("'torus' is only for algorithm: torus in workload[0]"), std::string::npos)
      << torus;
  const std::string window = faults_of(with("    algorithm: ring\n    window: 2\n"));
  EXPECT_NE(window.find("'window' is only for algorithm: direct or pairwise in workload[0]"),
            std::string::npos)
      << window;
}

TEST(Choice, DimensionsThatAreNoneAreFaults) {
  for (const char* text : {"4x", "x4", "4*2", "0x8", "four"}) {
    const std::string faults = faults_of(
        with("    algorithm: torus\n    torus: {dimensions: " + std::string(text) + "}\n"));
    EXPECT_NE(faults.find("are no dimensions"), std::string::npos) << faults;
  }
  const std::string wrong = faults_of(with("    algorithm: torus\n    torus: {dimensions: 3x3}\n"));
  EXPECT_NE(wrong.find("its dimensions 3 x 3 are not 1 to 3 sizes whose product is 8"),
            std::string::npos)
      << wrong;
}

}  // namespace
