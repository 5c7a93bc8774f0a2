// SPDX-License-Identifier: GPL-2.0-only
// `--set path=value`.
#include <gtest/gtest.h>

#include <string>

#include "tests/scenarios/text.h"

namespace {

using scenarios::Scenario;
using scenarios_test::case_names;
using scenarios_test::faults_of;
using scenarios_test::load;
using scenarios_test::text_of;
using Names = std::vector<std::string>;

const std::string kText = text_of({});

TEST(Overrides, ReplaceAddAndReachIntoLists) {
  EXPECT_EQ(load(kText, {{"seed", "7"}}).seed, 7U);
  EXPECT_EQ(load(kText, {{"limits.packet_hops", "5"}}).limits.packet_hops, 5U);
  EXPECT_EQ(case_names(load(kText, {{"workload.0.algorithm", "[direct, recursive]"}})),
            (Names{"all_reduce/8_chips/1_MiB/direct", "all_reduce/8_chips/1_MiB/recursive"}));
  EXPECT_EQ(case_names(load(kText, {{"workload.0.group.chips", "4"}})),
            (Names{"all_reduce/4_chips/1_MiB/ring"}));
  EXPECT_EQ(case_names(load(kText, {{"workload.0.bytes", "{from: 1 KiB, to: 4 KiB, times: 4}"}})),
            (Names{"all_reduce/8_chips/1_KiB/ring", "all_reduce/8_chips/4_KiB/ring"}));
  EXPECT_EQ(load(kText, {{"cluster.ultraservers", "2"}, {"about", "two of them"}}).about,
            "two of them");
}

TEST(Overrides, NameParametersInFullOrAlone) {
  for (const char* path : {"cluster.overrides.sled.bandwidth", "sled.bandwidth"}) {
    const Scenario scenario = load(kText, {{path, "300 GB/s"}});
    EXPECT_EQ(scenario.parameters.bandwidth("sled.bandwidth").value, 300'000'000'000);
    EXPECT_EQ(scenario.parameters.find("sled.bandwidth")->grade, sim::Grade::kScenario);
    EXPECT_NE(scenario.echo.find("sled.bandwidth: 300 GB/s"), std::string::npos);
  }
}

TEST(Overrides, ReplaceWhatTheFileOverrides) {
  const std::string text =
      text_of({.cluster = "  ultraserver: trn3-gen2\n  overrides: {sled.bandwidth: 300 GB/s}\n"});
  const Scenario scenario = load(text, {{"sled.bandwidth", "200 GB/s"}});
  EXPECT_EQ(scenario.parameters.bandwidth("sled.bandwidth").value, 200'000'000'000);
}

TEST(Overrides, CanFillAnEmptyMap) {
  const std::string text = text_of({.cluster = "  ultraserver: trn3-gen2\n  overrides:\n"});
  EXPECT_EQ(load(text, {{"planes", "2"}}).parameters.count("planes"), 2);
}

TEST(Overrides, FaultsAreShownUnderTheirOwnNames) {
  EXPECT_EQ(faults_of(kText, {{"workload.0.algorithm", "rign"}}),
            "--set workload.0.algorithm=rign: error: unknown value 'rign' for 'algorithm' in "
            "workload[0]\n"
            "  expected: one of direct, one_shot, ring, bidirectional_ring, recursive, "
            "recursive_doubling, bruck, pat, swing, kangaring, double_tree, pairwise, "
            "hierarchical, torus, binomial, chain and 4 more, or a file *.xml or *.goal, or a "
            "list of them\n"
            "  hint: did you mean 'ring'?\n1 error\n");
  EXPECT_EQ(faults_of(kText, {{"sled.bandwidth", "300"}}),
            "--set sled.bandwidth=300: error: '300' needs a unit\n"
            "  expected: a bandwidth such as 128 GB/s or 200 Gb/s\n1 error\n");
  EXPECT_EQ(faults_of(kText, {{"fidelty", "packet"}}),
            "--set fidelty=packet: error: unknown key 'fidelty'\n"
            "  expected: the path of a key such as cluster.wiring, or a parameter's name\n"
            "  hint: did you mean 'fidelity'?\n1 error\n");
  EXPECT_EQ(faults_of(kText, {{"cluster.wirring", "doc"}}),
            "--set cluster.wirring=doc: error: unknown key 'wirring' in cluster\n"
            "  expected: a map with the keys ultraserver, server, topology, wiring, ultraservers, "
            "servers, ranks, logical_cores, fabric, overrides\n"
            "  hint: did you mean 'wiring'?\n1 error\n");
}

TEST(Overrides, FaultsOfFileAndOverridesAreCountedTogether) {
  const std::string faults = faults_of(kText + "seeed: 1\n", {{"seed", "-1"}, {"ends", "4"}});
  EXPECT_NE(faults.find("test.yaml:9:1: error: unknown key 'seeed'"), std::string::npos) << faults;
  EXPECT_NE(faults.find("--set seed=-1: error:"), std::string::npos) << faults;
  EXPECT_NE(faults.find("--set ends=4: error: unknown key 'ends' in cluster.overrides"),
            std::string::npos)
      << faults;
  EXPECT_TRUE(faults.ends_with("\n3 errors\n")) << faults;
}

TEST(Overrides, PathsThatLeadNowhereAreFaults) {
  const auto fault = [](const char* path, const char* value = "1") {
    const std::string faults = faults_of(kText, {{path, value}});
    const std::string head = std::string("--set ") + path + "=" + value + ": error: ";
    EXPECT_TRUE(faults.starts_with(head)) << faults;
    EXPECT_TRUE(faults.ends_with("\n1 error\n")) << faults;
    return faults.substr(head.size(), faults.find('\n') - head.size());
  };
  EXPECT_EQ(fault("workload.1.bytes"), "the list has no item '1'");
  EXPECT_EQ(fault("workload.00.bytes"), "the list has no item '00'");
  EXPECT_EQ(fault("workload.x"), "the list has no item 'x'");
  EXPECT_EQ(fault("seed.x.y", "2"), "key 'seed' is a map");
  EXPECT_EQ(fault("cluster."), "the path has an empty step");
  EXPECT_EQ(fault(""), "unknown key ''");
  EXPECT_EQ(fault("cluster.ultraserver.x"), "there is no key 'x' below text");
  EXPECT_EQ(fault("seed", "[1, 2]"), "key 'seed' is a list");
  EXPECT_EQ(fault("seed", ""), "key 'seed' has no value");
  EXPECT_EQ(fault("seed", "[1"), "a key must be text");
}

TEST(Overrides, TheSamePathTwiceIsAFault) {
  EXPECT_EQ(faults_of(kText, {{"sled.bandwidth", "1 GB/s"},
                              {"cluster.overrides.sled.bandwidth", "2 GB/s"}}),
            "--set cluster.overrides.sled.bandwidth=2 GB/s: error: "
            "'cluster.overrides.sled.bandwidth' is set twice\n"
            "  expected: each path once\n1 error\n");
}

TEST(Overrides, LongPathsAreCutOff) {
  std::string path = "cluster";
  for (int i = 0; i < 100'000; ++i) path += ".x";
  EXPECT_NE(faults_of(kText, {{path, "1"}}).find("the path has too many steps"), std::string::npos);
}

}  // namespace
