// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/comparison.h"

#include <gtest/gtest.h>

#include "analysis/json.h"
#include "tests/analysis/sample.h"

namespace analysis {
namespace {

// The sample with a name for each case of its own, as runs have them.
sim::Outcome named_outcome() {
  sim::Outcome outcome = sample_outcome();
  for (std::size_t i = 0; i < outcome.cases.size(); ++i) {
    outcome.cases[i].name += "/" + std::to_string(i);
  }
  return outcome;
}

const CaseDrift& first(const Comparison& comparison) { return comparison.cases.at(0); }

TEST(Comparison, AnOutcomeEqualsItself) {
  const sim::Outcome outcome = named_outcome();
  const Comparison comparison = compare(outcome, outcome);
  EXPECT_TRUE(comparison.inputs.empty());
  ASSERT_EQ(comparison.cases.size(), outcome.cases.size());
  for (const CaseDrift& one : comparison.cases) EXPECT_EQ(one.drift, Drift::kEqual);
  EXPECT_EQ(mean_change(comparison), 0);
  EXPECT_EQ(most_moved(comparison), nullptr);
}

Drift drift_after(std::int64_t before_ps, std::int64_t after_ps) {
  sim::Outcome before = named_outcome();
  before.cases.resize(1);
  before.cases[0].time_ps = before_ps;
  sim::Outcome after = before;
  after.cases[0].time_ps = after_ps;
  return first(compare(before, after)).drift;
}

TEST(Comparison, ClassesGoBySize) {
  EXPECT_EQ(drift_after(1'000'000, 1'000'000), Drift::kEqual);
  EXPECT_EQ(drift_after(1'000'000, 1'000'099), Drift::kTiny);
  EXPECT_EQ(drift_after(1'000'000, 1'000'101), Drift::kSmall);
  EXPECT_EQ(drift_after(1'000'000, 980'001), Drift::kSmall);
  EXPECT_EQ(drift_after(1'000'000, 1'020'000), Drift::kLarge);
}

TEST(Comparison, TheSameTimeByOtherOpsIsSaid) {
  const sim::Outcome before = named_outcome();
  sim::Outcome after = before;
  after.cases[0].fingerprint = "another";
  EXPECT_EQ(first(compare(before, after)).drift, Drift::kOps);
}

TEST(Comparison, VerdictsAndCasesThatComeOrGo) {
  const sim::Outcome before = named_outcome();
  sim::Outcome after = before;
  after.cases[0].verdict = sim::Verdict::kStalled;
  after.cases[1].name = "new";
  after.cases[1].bytes += 1;
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.cases[0].drift, Drift::kBroken);
  EXPECT_EQ(comparison.cases[1].drift, Drift::kRemoved);
  EXPECT_EQ(comparison.cases.back().drift, Drift::kAdded);
  EXPECT_EQ(first(compare(after, before)).drift, Drift::kMended);
}

TEST(Comparison, AnotherAlgorithmIsHeldAgainstTheOneBefore) {
  sim::Outcome before = named_outcome();
  before.cases.resize(2);
  sim::Outcome after = before;
  for (sim::CaseOutcome& one : after.cases) {
    one.algorithm = "ring";
    one.name += "/ring";
    one.time_ps *= 2;
  }
  for (const CaseDrift& one : compare(before, after).cases) EXPECT_NEAR(one.change, 1, 1e-9);
  for (sim::CaseOutcome& one : after.cases) one.group = "16 chips";  // then by place
  for (const CaseDrift& one : compare(before, after).cases) EXPECT_NEAR(one.change, 1, 1e-9);
}

TEST(Comparison, TheMeanIsGeometric) {
  sim::Outcome before = named_outcome();
  before.cases.resize(2);
  sim::Outcome after = before;
  after.cases[0].time_ps = before.cases[0].time_ps * 2;
  after.cases[1].time_ps = before.cases[1].time_ps / 2;
  EXPECT_NEAR(mean_change(compare(before, after)), 0, 1e-9);
  EXPECT_EQ(most_moved(compare(before, after))->name, before.cases[0].name);
}

TEST(Comparison, InputsAreNamedByTheirPath) {
  sim::Outcome before = named_outcome();
  before.echo = "scenario: a\ncluster:\n  wiring: full\nworkload:\n  - collective: all_reduce\n";
  sim::Outcome after = before;
  after.echo = "scenario: b\ncluster:\n  wiring: doc\nworkload:\n  - collective: all_gather\n";
  after.assumptions[0].value = "256 GB/s";
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.inputs.size(), 3U);
  EXPECT_EQ(comparison.inputs[0].name, "cluster.wiring");
  EXPECT_EQ(comparison.inputs[0].before, "full");
  EXPECT_EQ(comparison.inputs[0].after, "doc");
  EXPECT_EQ(comparison.inputs[1].name, "workload.0.collective");
  EXPECT_EQ(comparison.inputs[2].name, "sled.bandwidth");
}

TEST(Comparison, KeysOfAnEchoFollowListsAndDepth) {
  const auto keys = keys_of_echo(
      "a: 1\nb:\n  - c: 2\n    d:\n      e: 3\n  - c: 4\n    d:\n      e: 5\nf:\n  g: 6\n");
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"a", "1"}, {"b.0.c", "2"}, {"b.0.d.e", "3"}, {"b.1.c", "4"}, {"b.1.d.e", "5"}, {"f.g", "6"}};
  EXPECT_EQ(keys, wanted);
}

TEST(Comparison, ThePageShowsWhatMovedMostFirst) {
  const sim::Outcome before = named_outcome();
  sim::Outcome after = before;
  after.cases[0].time_ps = after.cases[0].time_ps * 11 / 10;
  after.cases[1].time_ps = after.cases[1].time_ps * 3 / 2;
  const std::string page = comparison_page(compare(before, after));
  EXPECT_LT(page.find("+50.0 %"), page.find("+10.0 %")) << page;
  EXPECT_NE(page.find("2 large"), std::string::npos) << page;
  EXPECT_NE(page.find("The inputs are the same."), std::string::npos) << page;
  EXPECT_NE(to_json(compare(before, after)).find("\"class\": \"large\""), std::string::npos);
}

TEST(Comparison, FiguresOfChangeHaveASign) {
  EXPECT_EQ(change_figure(0.123), "+12.3 %");
  EXPECT_EQ(change_figure(-0.5), "-50.0 %");
  EXPECT_EQ(change_figure(-0.0001), "0.0 %");
}

}  // namespace
}  // namespace analysis
