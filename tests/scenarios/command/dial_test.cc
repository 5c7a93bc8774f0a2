// SPDX-License-Identifier: GPL-2.0-only
// fidelity: auto: what it predicts is near what runs take, and the finest level within the budget
// is chosen.
#include "scenarios/command/dial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <string>

#include "scenarios/command/cases.h"

namespace scenarios {
namespace {

std::string scenario_file(const std::string& limits) {
  const std::string path = testing::TempDir() + "dial_test.yaml";
  std::ofstream(path) << "scenario: dialled\n"
                         "cluster: {topology: star, overrides: {ends: 96}}\n"
                         "fidelity: auto\n"
                      << limits
                      << "workload:\n"
                         "  - {collective: all_reduce, bytes: 8 MiB, algorithm: [ring, direct]}\n"
                         "  - {collective: all_to_all, bytes: 16 MiB, algorithm: direct}\n";
  return path;
}

Dialled dialled(const std::string& limits) {
  const std::string path = scenario_file(limits);
  const Loaded loaded = load_file(path, {});
  EXPECT_TRUE(loaded.scenario) << loaded.faults;
  EXPECT_EQ(loaded.scenario->fidelity, "auto");
  return dial(path, {}, *loaded.scenario);
}

double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(Dial, PredictsWithinTwoTimes) {
#ifndef NDEBUG
  GTEST_SKIP() << "a bar for release builds";
#endif
  const Dialled found = dialled("");
  ASSERT_EQ(found.costs.size(), 3U);
  for (const LevelCost& cost : found.costs) {
    const Loaded level = load_file(scenario_file(""), {{"fidelity", cost.level}});
    ASSERT_TRUE(level.scenario) << level.faults;
    double least = 1e9;  // of two: what others do on the machine only adds
    for (int repeat = 0; repeat < 2; ++repeat) {
      const double start = cpu_now();
      for (const CaseSpec& spec : level.scenario->cases) {
        sim::RunControl control;
        std::atomic<std::uint64_t> expected{0};
        EXPECT_EQ(play_case(*level.scenario, spec, control, expected).verdict, sim::Verdict::kDone);
      }
      least = std::min(least, cpu_now() - start);
    }
    EXPECT_LT(cost.seconds, 2 * least + 0.01) << cost.level;
    EXPECT_GT(cost.seconds, least / 2 - 0.01) << cost.level;
  }
}

TEST(Dial, TakesTheFinestLevelThatTheBudgetAllows) {
  const Dialled wide = dialled("");
  ASSERT_TRUE(wide.scenario);
  EXPECT_EQ(wide.scenario->fidelity, "packet");
  EXPECT_EQ(wide.lines.size(), 1U);  // nothing finer to compare with

  // Between the two, as far from each: what others do on the machine moves both.
  const double between = std::sqrt(wide.costs[0].seconds * wide.costs[1].seconds);
  const auto micros = static_cast<long>(between * 1e6);
  const Dialled narrow = dialled("limits: {cpu_time: " + std::to_string(micros) + " us}\n");
  ASSERT_TRUE(narrow.scenario) << narrow.failure;
  EXPECT_NE(narrow.scenario->fidelity, "packet");
  ASSERT_GE(narrow.lines.size(), 2U);
  EXPECT_NE(narrow.lines[1].find("% of " + narrow.scenario->fidelity + " against "),
            std::string::npos)
      << narrow.lines[1];

  const Dialled none = dialled("limits: {memory: 1 MiB}\n");
  EXPECT_FALSE(none.scenario);
  EXPECT_NE(none.failure.find("none fits"), std::string::npos) << none.failure;
}

TEST(Dial, ASmallerCaseIsOneThatItsAlgorithmCanServe) {
  CaseSpec spec;
  spec.algorithm = "ring";
  spec.job.ranks = 100;
  for (std::uint32_t i = 0; i < 100; ++i) spec.placement.endpoint_of.push_back(sim::EndpointId{i});
  const auto small = smaller(spec, 16);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->job.ranks, 16U);
  EXPECT_EQ(small->placement.ranks(), 16U);
  spec.domains = 4;
  EXPECT_FALSE(smaller(spec, 16));
}

}  // namespace
}  // namespace scenarios
