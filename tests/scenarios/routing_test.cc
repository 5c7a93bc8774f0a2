// SPDX-License-Identifier: GPL-2.0-only
// What `routing` becomes: traffic of the seed, names, matrices in the scenario and in files,
// hashes.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/scenarios/text.h"

namespace {

using scenarios::Scenario;
using scenarios_test::case_names;
using scenarios_test::faults_of;
using scenarios_test::load;

std::string text_of(const std::string& routing, const std::string& more = "algorithm: direct",
                    const std::string& top = "") {
  return scenarios_test::text_of(
      {.group = "    group: {chips: 8}\n",
       .rest = "    routing: {" + routing + "}\n    " + more + "\n" + top,
       .collective = "all_to_all_v"});
}

const std::string kNumbers = ", experts: 64, top_k: 8, token_bytes: 1 KiB";

TEST(RoutingItem, NamesSayWhatIsRoutedAndHow) {
  const Scenario scenario = load(text_of(
      "model: power_law, exponent: 1.2, tokens: [8, 64]" + kNumbers, "algorithm: [direct, bruck]"));
  EXPECT_EQ(case_names(scenario),
            (std::vector<std::string>{"all_to_all_v/8_chips_power_law_1.2/8_tokens/direct",
                                      "all_to_all_v/8_chips_power_law_1.2/8_tokens/bruck",
                                      "all_to_all_v/8_chips_power_law_1.2/64_tokens/direct",
                                      "all_to_all_v/8_chips_power_law_1.2/64_tokens/bruck"}));
  EXPECT_EQ(scenario.cases[0].job.bytes, sim::Bytes(8 * 8 * 1024));
  EXPECT_EQ(scenario.cases[2].job.bytes, sim::Bytes(64 * 8 * 1024));
}

TEST(RoutingItem, TheSeedSettlesTheTraffic) {
  const auto pairs = [](const std::string& model, const std::string& seed) {
    const Scenario scenario =
        load(text_of("model: " + model + ", tokens: 16" + kNumbers), {{"seed", seed}});
    return scenario.cases.at(0).job.traffic->pairs;
  };
  EXPECT_EQ(pairs("uniform", "1"), pairs("uniform", "1"));
  EXPECT_NE(pairs("uniform", "1"), pairs("uniform", "2"));
  EXPECT_EQ(pairs("balanced", "1"), pairs("balanced", "2"));
}

TEST(RoutingItem, AServerIsAnInnerGroup) {
  const Scenario scenario =
      load(text_of("model: uniform, tokens: 16, dedup: server" + kNumbers,
                   "algorithm: hierarchical\n    hierarchy: {inner_ranks: 4}"));
  const sim::Traffic& traffic = *scenario.cases.at(0).job.traffic;
  EXPECT_EQ(traffic.server, 4U);
  EXPECT_TRUE(sim::is_sound(traffic));
  EXPECT_EQ(scenario.cases[0].job.options.outer_algorithm, "direct");
}

TEST(RoutingItem, EqualPartsNeedNoRouting) {
  const Scenario scenario = load(scenarios_test::text_of(
      {.rest = "    bytes: 1 MiB\n    algorithm: [direct, auto]\n", .collective = "all_to_all_v"}));
  EXPECT_EQ(scenario.cases.size(), 2U);
  EXPECT_EQ(scenario.cases[0].job.traffic, nullptr);
  EXPECT_EQ(scenario.cases[1].algorithm, "direct");
}

TEST(RoutingItem, TheEchoLoadsToTheSameTraffic) {
  const Scenario scenario = load(
      text_of("model: node_limited, groups: 8, top_groups: 4, tokens: 16, dedup: server" + kNumbers,
              "algorithm: hierarchical\n    hierarchy: {inner_ranks: 4}"));
  const Scenario again = load(scenario.echo);
  EXPECT_EQ(again.echo, scenario.echo);
  EXPECT_EQ(again.cases.at(0).job.traffic->pairs, scenario.cases.at(0).job.traffic->pairs);
  EXPECT_EQ(again.cases.at(0).job.traffic->bundles, scenario.cases.at(0).job.traffic->bundles);
}

// A folder that is removed again, with a scenario and the matrix beside it.
class MatrixFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  scenarios::Loaded loaded(const std::string& csv) {
    std::ofstream(folder_ / "rows.csv") << csv;
    std::string text = text_of("model: matrix, matrix_file: rows.csv");
    text.replace(text.find("chips: 8"), 8, "chips: 3");
    std::ofstream(folder_ / "scenario.yaml") << text;
    return scenarios::load_file((folder_ / "scenario.yaml").string(), {});
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(MatrixFile, IsReadBesideTheScenario) {
  const auto read = loaded("# from, to\n0, 64 KiB, 7\n\n1,2,3\r\n4 MB,0,0\n");
  ASSERT_TRUE(read.scenario) << read.faults;
  EXPECT_EQ(read.scenario->cases.at(0).job.traffic->pairs,
            (std::vector<std::int64_t>{0, 65'536, 7, 1, 2, 3, 4'000'000, 0, 0}));
  const auto other = loaded("0,1,7\n1,2,3\n4,0,0\n");
  EXPECT_NE(other.scenario->input_hash, read.scenario->input_hash);
}

TEST_F(MatrixFile, FaultsNameTheLine) {
  const auto says = [&](const std::string& csv, const std::string& what) {
    const std::string faults = loaded(csv).faults;
    EXPECT_NE(faults.find("rows.csv: " + what), std::string::npos) << faults;
  };
  says("0,1,2\n3,4\n", "line 2 has 2 sizes, and the first has 3");
  says("0,1,2\n3,x,4\n5,6,7\n", "line 2: 'x' is not a size");
  says("0,1,2\n3,-4,4\n5,6,7\n", "line 2: '-4' is not a size");
  says("0,1,2\n3,4,5\n", "it has 2 lines of 3 sizes");
  says("", "it has 0 lines of 0 sizes");
  const std::string faults = loaded("0,1\n2,3\n").faults;
  EXPECT_NE(faults.find("a matrix of 4 sizes for 3 ranks"), std::string::npos) << faults;
}

}  // namespace
