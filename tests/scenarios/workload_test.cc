// SPDX-License-Identifier: GPL-2.0-only
// From workload items to cases.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scenarios/text.h"

namespace {

using scenarios::Scenario;
using scenarios_test::case_names;
using scenarios_test::faults_of;
using scenarios_test::load;
using scenarios_test::text_of;
using Names = std::vector<std::string>;

TEST(Workload, ExpandsGroupsThenSizesThenAlgorithms) {
  const std::string text = text_of({.group = "    group: {chips: [4, 8]}\n",
                                    .rest = "    bytes: [1 KiB, 2 KiB]\n"
                                            "    algorithm: [ring, direct]\n"});
  EXPECT_EQ(case_names(load(text)),
            (Names{"all_reduce/4_chips/1_KiB/ring", "all_reduce/4_chips/1_KiB/direct",
                   "all_reduce/4_chips/2_KiB/ring", "all_reduce/4_chips/2_KiB/direct",
                   "all_reduce/8_chips/1_KiB/ring", "all_reduce/8_chips/1_KiB/direct",
                   "all_reduce/8_chips/2_KiB/ring", "all_reduce/8_chips/2_KiB/direct"}));
}

TEST(Workload, GroupsAreAllChipsUnlessSaidOtherwise) {
  const Scenario scenario = load(text_of({.group = ""}));
  ASSERT_EQ(scenario.cases.size(), 1U);
  EXPECT_EQ(scenario.cases[0].chips, 144);
  EXPECT_EQ(scenario.cases[0].job.ranks, 144U);
  EXPECT_EQ(scenario.cases[0].group, "144 chips, sled_first");
  EXPECT_EQ(scenario.cases[0].placement.ranks(), 144U);
}

TEST(Workload, BytesPerPeerCountTheRankItselfAsAPeer) {
  const Scenario scenario = load(text_of(
      {.rest = "    bytes_per_peer: 64 KiB\n    algorithm: direct\n", .collective = "all_to_all"}));
  ASSERT_EQ(scenario.cases.size(), 1U);
  EXPECT_EQ(scenario.cases[0].job.bytes, sim::kibibytes(8 * 64));
  EXPECT_EQ(scenario.cases[0].name, "all_to_all/8_chips/64_KiB_per_peer/direct");
}

TEST(Workload, HierarchyDefaultsToTheOutermostLevelOrTakesWhatIsGiven) {
  const auto options = [](const std::string& more) {
    const Scenario scenario = load(
        text_of({.group = "", .rest = "    bytes: 1 MiB\n    algorithm: hierarchical\n" + more}));
    return scenario.cases.empty() ? collectives::Options{} : scenario.cases[0].job.options;
  };
  EXPECT_EQ(options("").inner, 72U);
  EXPECT_EQ(options("").slices, collectives::Options{}.slices);
  EXPECT_EQ(options("    hierarchy: {slices: 5}\n").inner, 72U);
  EXPECT_EQ(options("    hierarchy: {slices: 5}\n").slices, 5U);
  EXPECT_EQ(options("    hierarchy: {inner_ranks: 4}\n").inner, 4U);
  EXPECT_EQ(options("    hierarchy: {inner_algorithm: ring}\n").inner_algorithm, "ring");
}

TEST(Workload, HierarchiesThatDifferAreDifferentCases) {
  const std::string item =
      "  - {collective: all_reduce, bytes: 1 MiB, algorithm: hierarchical, hierarchy: {slices: ";
  const Scenario scenario = load("scenario: test\ncluster: {ultraserver: trn3-gen2}\nworkload:\n" +
                                 item + "1}}\n" + item + "2}}\n");
  EXPECT_EQ(case_names(scenario),
            (Names{"all_reduce/144_chips/1_MiB/hierarchical_72_direct_ring_1",
                   "all_reduce/144_chips/1_MiB/hierarchical_72_direct_ring_2"}));
}

TEST(Workload, OrdersAreDifferentCases) {
  const std::string item = "  - {collective: all_reduce, bytes: 1 MiB, algorithm: ring, group: ";
  const Scenario scenario = load("scenario: test\ncluster: {ultraserver: trn3-gen2}\nworkload:\n" +
                                 item + "{chips: 8}}\n" + item + "{chips: 8, span: twin_first}}\n");
  EXPECT_EQ(case_names(scenario),
            (Names{"all_reduce/8_chips/1_MiB/ring", "all_reduce/8_chips_twin_first/1_MiB/ring"}));
  EXPECT_NE(scenario.cases[0].placement.endpoint_of, scenario.cases[1].placement.endpoint_of);
}

TEST(Workload, ARefusalIsToldOncePerGroupNotPerSize) {
  const std::string faults =
      faults_of(text_of({.group = "    group: {chips: [12, 20]}\n",
                         .rest = "    bytes: [1 KiB, 2 KiB, 3 KiB]\n    algorithm: recursive\n",
                         .collective = "all_gather"}));
  EXPECT_TRUE(faults.ends_with("\n2 errors\n")) << faults;
}

TEST(Workload, FaultsOfClusterAndWorkloadAreShownTogether) {
  const std::string faults = faults_of(text_of({.cluster = "  ultraserver: trn3-gen4\n",
                                                .group = "    group: {chips: none}\n",
                                                .rest = "    algorithm: ring\n"}));
  EXPECT_NE(faults.find("unknown value 'trn3-gen4'"), std::string::npos) << faults;
  EXPECT_NE(faults.find("'none' is not a number of chips"), std::string::npos) << faults;
  EXPECT_NE(faults.find("workload[0] has no 'bytes'"), std::string::npos) << faults;
  EXPECT_TRUE(faults.ends_with("\n3 errors\n")) << faults;
}

std::string sizes(int count) {
  std::string list = "    bytes: [1 B";
  for (int i = 2; i <= count; ++i) list += ", " + std::to_string(i) + " B";
  return list + "]\n";
}

TEST(Workload, TooManyCasesAreRefused) {
  const std::string faults =
      faults_of(text_of({.group = "    group: {chips: [4, 8]}\n",
                         .rest = sizes(1000) + "    algorithm: [direct, ring, recursive]\n"}));
  EXPECT_NE(faults.find("error: too many cases"), std::string::npos) << faults;
  EXPECT_TRUE(faults.ends_with("\n1 error\n")) << faults;
}

TEST(Workload, TooManyRanksOverAllCasesAreRefused) {
  const std::string faults =
      faults_of(text_of({.cluster = "  topology: star\n  overrides: {ends: 50000}\n",
                         .group = "",
                         .rest = sizes(500) + "    algorithm: recursive\n"}));
  EXPECT_NE(faults.find("error: too many ranks over all cases"), std::string::npos) << faults;
}

}  // namespace
