// SPDX-License-Identifier: GPL-2.0-only
// Known changes are seeded; exactly these must be found.
#include "analysis/regression.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tests/analysis/sample.h"

namespace analysis {
namespace {

constexpr double kTolerance = 0.25;

NightResult result(const std::string& name) { return {name, sample_outcome(), 10.0, 0.05}; }

NightResults night() { return {result("one"), result("two"), result("three")}; }

void scale_times(NightResult& one, std::int64_t times) {
  for (sim::CaseOutcome& at : one.outcome.cases) at.time_ps *= times;
}

std::vector<std::string> findings(const Regression& regression) {
  std::vector<std::string> names;
  for (const ScaleReport& one : regression.scales) {
    if (is_finding(one)) names.push_back(one.name + " " + std::string(name_of(one.cause)));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Regression, EqualNightsHaveNoFinding) {
  const Regression regression = regression_of(night(), night(), kTolerance);
  EXPECT_FALSE(regression.failed());
  for (const ScaleReport& one : regression.scales) EXPECT_EQ(one.cause, Cause::kNone);
}

TEST(Regression, AnotherAnswerOnTheSameInputsIsTheModel) {
  NightResults after = night();
  scale_times(after[1], 2);
  after[1].outcome.version = "0.2.0";
  const Regression regression = regression_of(night(), after, kTolerance);
  EXPECT_EQ(findings(regression), Names{"two model"});
  EXPECT_NEAR(regression.scales[1].change, 1, 1e-9);
}

TEST(Regression, AnotherInputIsToldAndIsNoFinding) {
  NightResults after = night();
  scale_times(after[2], 2);
  after[2].outcome.assumptions[0].value = "256 GB/s";
  const Regression regression = regression_of(night(), after, kTolerance);
  EXPECT_FALSE(regression.failed());
  EXPECT_EQ(regression.scales[2].cause, Cause::kInput);
  EXPECT_NE(regression_markdown(regression).find("sled.bandwidth"), std::string::npos);
}

TEST(Regression, ASlowerBuildIsTheSpeedWhateverTheMachine) {
  NightResults after = night();
  after[0].cpu_seconds = 20;
  after[1].cpu_seconds = 20;  // but so is the machine
  after[1].calibration_seconds = 0.1;
  after[2].cpu_seconds = 11;  // within the tolerance
  EXPECT_EQ(findings(regression_of(night(), after, kTolerance)), Names{"one speed"});
}

TEST(Regression, ABrokenCaseCountsWithAnyInput) {
  NightResults after = night();
  after[0].outcome.assumptions[0].value = "256 GB/s";
  after[0].outcome.cases[3].verdict = sim::Verdict::kStalled;
  EXPECT_EQ(findings(regression_of(night(), after, kTolerance)), Names{"one input"});
}

TEST(Regression, ScenariosComeAndGo) {
  NightResults after = night();
  after[2].name = "four";
  const Regression regression = regression_of(night(), after, kTolerance);
  EXPECT_EQ(findings(regression), Names{"three gone"});
  EXPECT_EQ(regression.scales[2].cause, Cause::kNew);
}

NightResults scaling(double exponent) {
  NightResults results;
  for (const int scale : {1, 2, 4, 8}) {
    NightResult one = result("ring.ultraservers=" + std::to_string(scale));
    one.outcome.cases.resize(1);
    one.outcome.cases[0].time_ps = std::llround(1e9 * std::pow(scale, exponent));
    results.push_back(one);
  }
  return results;
}

TEST(Regression, FitsHowTheTimeGrows) {
  const Regression regression = regression_of(scaling(1), scaling(1.2), kTolerance);
  ASSERT_EQ(regression.exponents.size(), 1U);
  EXPECT_EQ(regression.exponents[0].scenario, "ring");
  EXPECT_NEAR(regression.exponents[0].before, 1.0, 1e-6);
  EXPECT_NEAR(regression.exponents[0].after, 1.2, 1e-6);
  EXPECT_NE(regression_markdown(regression).find("| 1.200 | 1.000 | moved |"), std::string::npos);
}

TEST(Regression, JunitNamesSuiteScenarioAndScale) {
  NightResults after = night();
  scale_times(after[1], 2);
  Regression regression = regression_of(night(), after, kTolerance);
  regression.suite = "nightly";
  const std::string xml = regression_junit(regression);
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("name=\"nightly.two\"><failure message=\"model: large"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("name=\"nightly.one\"/>"), std::string::npos) << xml;
}

TEST(History, GoesOnWithAnUnfinishedNightAndKeepsBaselines) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("ultrasim_history_" + std::to_string(getpid()));
  std::filesystem::remove(path);
  History history = History::open(path).value();
  const Night tonight{"nightly", "1.0", "abc"};
  const std::int64_t first = history.begin(tonight).value();
  EXPECT_FALSE(history.keep(first, result("one")));
  EXPECT_TRUE(history.keep(first, result("one"))) << "a result is there once";
  EXPECT_EQ(history.begin(tonight).value(), first);
  EXPECT_FALSE(history.bless("nightly", "too early").ok());
  EXPECT_FALSE(history.finish(first));
  const std::int64_t second = history.begin(tonight).value();
  EXPECT_NE(second, first);
  EXPECT_EQ(history.finished_before("nightly", second).value(), first);
  EXPECT_TRUE(history.baseline("nightly").value().empty());
  EXPECT_EQ(history.bless("nightly", "first").value(), first);
  const NightResults baseline = history.baseline("nightly").value();
  ASSERT_EQ(baseline.size(), 1U);
  EXPECT_TRUE(baseline[0].outcome == sample_outcome());
  EXPECT_EQ(baseline[0].cpu_seconds, 10.0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace analysis
