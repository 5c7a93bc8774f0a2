// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/variation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/analysis/sample.h"

namespace analysis {
namespace {

// The sample with all times in tenths of themselves.
Variation scaled(const std::string& name, std::int64_t tenths, const std::string& value = "") {
  Variation variation{name, {{name, value}}, sample_outcome(), ""};
  for (sim::CaseOutcome& one : variation.outcome.cases) one.time_ps = one.time_ps / 10 * tenths;
  return variation;
}

TEST(WhatIf, SortsByGainAndPutsWhatCouldNotRunLast) {
  Variation broken{"broken", {}, {}, "no such thing\nat all"};
  const std::string page = what_if_page(
      sample_outcome(), {broken, scaled("slower", 15), scaled("faster", 5), scaled("same", 10)});
  EXPECT_LT(page.find("faster "), page.find("same ")) << page;
  EXPECT_LT(page.find("same "), page.find("slower ")) << page;
  EXPECT_LT(page.find("slower "), page.find("broken ")) << page;
  EXPECT_NE(page.find("-50.0 %"), std::string::npos) << page;
  EXPECT_NE(page.find("nothing moves"), std::string::npos) << page;
  EXPECT_NE(page.find("could not run"), std::string::npos) << page;
  EXPECT_NE(page.find("no such thing\n"), std::string::npos) << page;
}

TEST(WhatIf, SaysWhenAnotherThingBinds) {
  Variation variation = scaled("wide", 5);
  for (sim::CaseOutcome& one : variation.outcome.cases) one.bottleneck = "twin link, 99 % busy";
  const std::string page = what_if_page(sample_outcome(), {variation});
  EXPECT_NE(page.find("now twin link, 99 % busy"), std::string::npos) << page;
}

TEST(WhatIf, CsvHasEveryCaseOfEveryChange) {
  const std::string csv = what_if_csv(sample_outcome(), {scaled("a", 5), scaled("b", 20)});
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 * 8);
  EXPECT_NE(csv.find("\"a\",\"all_reduce/8 chips, sled_first/direct\",7930000,3965000,-0.5,large,"),
            std::string::npos)
      << csv;
}

TEST(Swings, AreWidestFirst) {
  const std::vector<Swing> swings =
      swings_of(sample_outcome(), {scaled("narrow", 9, "1 us"), scaled("narrow", 11, "2 us"),
                                   scaled("wide", 5, "3 us"), scaled("wide", 20, "4 us")});
  ASSERT_EQ(swings.size(), 2U);
  EXPECT_EQ(swings[0].name, "wide");
  EXPECT_NEAR(swings[0].at_low, -0.5, 1e-6);
  EXPECT_NEAR(swings[0].at_high, 1.0, 1e-6);
  EXPECT_EQ(swings[1].low, "1 us");
  const std::string text = tornado_text(swings);
  EXPECT_LT(text.find("wide"), text.find("narrow")) << text;
  EXPECT_NE(text.find("======|============"), std::string::npos) << text;
}

TEST(Swings, WhatDoesNothingIsCountedNotDrawn) {
  const std::string text =
      tornado_text(swings_of(sample_outcome(), {scaled("idle", 10), scaled("idle", 10)}));
  EXPECT_EQ(text, "  1 other input changes nothing here\n");
}

TEST(Intervals, SpanAllRuns) {
  const std::vector<Interval> intervals =
      intervals_of(sample_outcome(), {scaled("a", 5), scaled("b", 20), scaled("c", 12)});
  ASSERT_EQ(intervals.size(), 8U);
  EXPECT_EQ(intervals[0].typical_ps, 7'930'000);
  EXPECT_EQ(intervals[0].least_ps, 3'965'000);
  EXPECT_EQ(intervals[0].most_ps, 15'860'000);
  EXPECT_NE(intervals_text(intervals).find("+100.0 %"), std::string::npos);
}

}  // namespace
}  // namespace analysis
