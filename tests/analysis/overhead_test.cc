// SPDX-License-Identifier: GPL-2.0-only
// Pages against the texts in golden/. ULTRASIM_BLESS=1 rewrites them; the diff is reviewed.
#include "analysis/overhead.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "analysis/text_table.h"
#include "tests/analysis/sample.h"

namespace analysis {
namespace {

void expect_page(const sim::Outcome& outcome, const PageOptions& options, const std::string& name) {
  const std::string path = std::string(ULTRASIM_SOURCE_DIR) + "/tests/analysis/golden/" + name;
  const std::string page = overhead_page(outcome, options);
  if (std::getenv("ULTRASIM_BLESS") != nullptr) std::ofstream(path) << page;
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(page, golden.str());
  if (options.colour) return;
  for (std::string line; std::getline(golden, line);) EXPECT_LE(width_of(line), kColumns) << line;
}

TEST(OverheadPage, ShowsEachCollectiveWhatBindsItAndWhatIsUnsure) {
  expect_page(sample_outcome(), {false, "out/moe-overhead"}, "full.txt");
}

TEST(OverheadPage, PaintsTheFastestOnlyWhenAsked) {
  expect_page(sample_outcome(), {true, ""}, "colour.txt");
}

TEST(OverheadPage, ShowsOneCase) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(1);
  expect_page(outcome, {}, "one.txt");
}

TEST(OverheadPage, SaysWhyAutoChoseAndTheRangeOverSeeds) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(2);
  outcome.cases[0].choice = "direct up to 1 MB: documented for the Trn2 torus";
  outcome.cases[1].seed_times_ps = {11'000'000, 12'500'000, 11'200'000};
  outcome.cases[1].last_arrival_ps = 4'000'000;
  expect_page(outcome, {}, "notes.txt");
}

TEST(OverheadPage, ShowsWhoWaitsForWhatWhenACaseStalls) {
  sim::Outcome outcome = sample_outcome();
  outcome.verdict = sim::Verdict::kStalled;
  sim::CaseOutcome& one = outcome.cases[1];
  one.verdict = sim::Verdict::kStalled;
  for (int rank = 0; rank < 10; ++rank) {
    one.waiting.push_back("rank " + std::to_string(rank) +
                          " waits for 8,192 bytes of rank 7 (all_reduce, op 12)");
  }
  expect_page(outcome, {}, "stalled.txt");
}

TEST(OverheadPage, ShowsOnlyTheFirstStalledCaseAtLength) {
  sim::Outcome outcome = sample_outcome();
  outcome.verdict = sim::Verdict::kStalled;
  for (sim::CaseOutcome& one : outcome.cases) {
    one.verdict = sim::Verdict::kStalled;
    one.waiting = {"first line", "second line"};
  }
  const std::string page = overhead_page(outcome, {});
  std::size_t seconds = 0;
  for (std::size_t at = page.find("second line"); at != std::string::npos;
       at = page.find("second line", at + 1)) {
    ++seconds;
  }
  EXPECT_EQ(seconds, 1U);
}

TEST(OverheadPage, FitsTheLongestAlgorithmAndBottleneck) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases[0].algorithm = "hierarchical";
  outcome.cases[0].bottleneck = "collective launch, 58 % of the time";
  outcome.cases[1].bottleneck = "twin link, 97 % busy";
  const std::string page = overhead_page(outcome, {});
  EXPECT_NE(page.find("  launch, 58 %\n"), std::string::npos) << page;
  EXPECT_NE(page.find("  twin link, 97 % busy\n"), std::string::npos) << page;
  outcome.cases[0].bottleneck = "wire and switch latency, 34 % of the time";
  EXPECT_NE(overhead_page(outcome, {}).find("  latency, 34 %\n"), std::string::npos);
}

TEST(OverheadPage, SaysBelowARowWhatItHasNoRoomFor) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases[0].algorithm = "hierarchical";
  outcome.cases[0].bytes = 1'099'511'627'775;
  outcome.cases[0].bottleneck = "twin link, 97 % busy";
  const std::string page = overhead_page(outcome, {});
  EXPECT_NE(page.find("...\n      bound by twin link, 97 % busy\n"), std::string::npos) << page;
}

TEST(OverheadPage, ShowsWhyACaseFailed) {
  sim::Outcome outcome = sample_outcome();
  outcome.verdict = sim::Verdict::kFailed;
  sim::CaseOutcome& one = outcome.cases[7];
  one.verdict = sim::Verdict::kFailed;
  one.time_ps = 0;
  one.failure =
      "the worker process was killed by signal 9 (Killed), perhaps because the machine ran out of "
      "memory";
  expect_page(outcome, {}, "failed.txt");
}

TEST(OverheadPage, SaysWhatAnInterruptedRunIsMissing) {
  sim::Outcome outcome = sample_outcome();
  outcome.verdict = sim::Verdict::kInterrupted;
  outcome.cases.resize(2);
  outcome.cases_missing = 12;
  for (int i = 0; i < 12; ++i) outcome.missing.push_back("case/" + std::to_string(i));
  expect_page(outcome, {}, "interrupted.txt");
}

TEST(OverheadPage, ShowsACaseOfNoShareOfItsBound) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(2);
  outcome.cases[0].bound_share_ppb = 0;
  outcome.cases[1].bound_ps = 0;
  outcome.cases[1].bound.clear();
  expect_page(outcome, {}, "no_share.txt");
}

}  // namespace
}  // namespace analysis
