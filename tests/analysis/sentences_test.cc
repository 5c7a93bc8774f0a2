// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/sentences.h"

#include <gtest/gtest.h>

#include "tests/analysis/sample.h"

namespace analysis {
namespace {

using Lines = std::vector<std::string>;

TEST(Sentences, TellWhichAlgorithmWinsFromWhichSize) {
  EXPECT_EQ(winners_in_words(sample_outcome()),
            Lines{"Fastest all-reduce: over 8 chips direct up to 1 MiB and ring from 256 MiB."});
}

TEST(Sentences, GroupsWithTheSameWinnersShareAClause) {
  sim::Outcome outcome = sample_outcome();
  for (std::size_t i = 0; i < 6; ++i) {
    sim::CaseOutcome other = outcome.cases[i];
    other.group = "16 chips";
    outcome.cases.push_back(other);
    other.group = "64 chips";
    if (other.algorithm == "direct") other.time_ps = 1;
    outcome.cases.push_back(other);
  }
  EXPECT_EQ(winners_in_words(outcome),
            Lines{"Fastest all-reduce: over 8 chips and 16 chips direct up to 1 MiB and ring from "
                  "256 MiB; over 64 chips direct at every size."});
}

TEST(Sentences, OneAlgorithmIsNotComparedWithItself) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(3);
  EXPECT_TRUE(winners_in_words(outcome).empty());
}

TEST(Sentences, TellWhatBindsSmallAndLarge) {
  EXPECT_EQ(binding_in_words(sample_outcome()),
            "All-reduce over 8 chips: at 64 KiB 90 % of the time is endpoint cost; at 256 MiB 93 % "
            "of the time is transmission (bound by sled link, 97 % busy).");
}

TEST(Sentences, OneSizeIsToldOnce) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(1);
  EXPECT_EQ(binding_in_words(outcome),
            "All-reduce over 8 chips: at 64 KiB 90 % of the time is endpoint cost.");
}

TEST(Sentences, CompareAllToAllAcrossRacksWithOneInsideARack) {
  EXPECT_EQ(crossing_in_words(sample_outcome()),
            "An all-to-all of 64 MiB a rank takes 2.1 times as long over 144 chips across racks as "
            "over 72 chips inside one.");
}

TEST(Sentences, CompareAllToAllAcrossUltraServers) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.back().levels.back().name = "EFA link";
  EXPECT_EQ(crossing_in_words(outcome),
            "An all-to-all of 64 MiB a rank takes 2.1 times as long over 144 chips across "
            "UltraServers as over 72 chips inside one.");
}

TEST(Sentences, AllToAllInsideOneRackIsNotCompared) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.pop_back();
  EXPECT_EQ(crossing_in_words(outcome), "");
}

TEST(Sentences, NameTheUnpublishedInputsByRangeTimesTheTimeTheyActOn) {
  sim::Outcome outcome = sample_outcome();
  const std::string all = least_sure_in_words(outcome);
  EXPECT_TRUE(
      all.starts_with("Not published and likely to matter here, as a guess (`run --range` "
                      "measures): endpoint.per_transfer "
                      "(1.5 us; 1 us to 2.5 us)"))
      << all;
  for (sim::CaseOutcome& one : outcome.cases) {
    one.breakdown = {};
    one.breakdown.transmission_ps = one.time_ps;
  }
  EXPECT_EQ(least_sure_in_words(outcome),
            "Not published and likely to matter here, as a guess (`run --range` measures): "
            "neuronlink.efficiency (0.9; 0.8 to 0.95).");
}

TEST(Sentences, InputsOfLinksThatCarriedNothingAreNotCalledUnsure) {
  sim::Outcome outcome = sample_outcome();
  outcome.assumptions = {{"nic.latency", "3 us", "2 us", "4 us", "judged", ""},
                         {"core.latency", "50 ns", "0 ns", "200 ns", "judged", ""}};
  for (sim::CaseOutcome& one : outcome.cases) {
    one.breakdown = {};
    one.breakdown.latency_ps = one.time_ps;
  }
  EXPECT_EQ(least_sure_in_words(outcome), "");
  outcome.cases.front().levels.front().name = "EFA link";
  EXPECT_EQ(least_sure_in_words(outcome),
            "Not published and likely to matter here, as a guess (`run --range` measures): "
            "nic.latency (3 us; 2 us to 4 us).");
}

TEST(Sentences, RatesOfLinksThatBindNothingAreNotCalledUnsure) {
  sim::Outcome outcome = sample_outcome();
  outcome.assumptions = {
      {"rack.bandwidth", "512 GB/s", "320 GB/s", "640 GB/s", "analyst", ""},
      {"rack_to_rack.bandwidth", "128 GB/s", "64 GB/s", "256 GB/s", "judged", ""},
      {"neuronlink.efficiency", "0.9", "0.8", "0.95", "judged", ""},
      {"nic.bus_bandwidth", "20 GB/s", "17 GB/s", "24.25 GB/s", "analyst", ""}};
  for (sim::CaseOutcome& one : outcome.cases) {
    one.breakdown = {};
    one.breakdown.queueing_ps = one.time_ps;
    one.levels = {{"rack link", 8, 1, 100'000'000, ""},
                  {"twin link", 8, 1, 0, ""},
                  {"EFA link", 8, 1, 500'000'000, ""},
                  {"NIC bus", 8, 1, 750'000'000, ""}};
  }
  EXPECT_EQ(least_sure_in_words(outcome),
            "Not published and likely to matter here, as a guess (`run --range` measures): "
            "nic.bus_bandwidth (20 GB/s; 17 GB/s to "
            "24.25 GB/s).");
}

TEST(Sentences, InputsWithoutARangeAreNotCalledUnsure) {
  sim::Outcome outcome = sample_outcome();
  for (sim::Assumption& one : outcome.assumptions) one.low = one.high = one.value;
  EXPECT_EQ(least_sure_in_words(outcome), "");
}

TEST(Sentences, CountTheInputsByGrade) {
  EXPECT_EQ(grades_in_words(sample_outcome()), "6 inputs: 1 published, 4 judged and 1 chosen.");
}

TEST(Sentences, CasesWithoutFiguresAreCounted) {
  sim::Outcome outcome = sample_outcome();
  EXPECT_EQ(gaps_in_words(outcome), "");
  outcome.cases[0].verdict = sim::Verdict::kStalled;
  outcome.cases[1].verdict = sim::Verdict::kFailed;
  EXPECT_EQ(gaps_in_words(outcome),
            "Of 8 cases, 1 failed and 1 stalled: the figures leave them out.");
}

TEST(Sentences, MissingCasesAreNamed) {
  sim::Outcome outcome = sample_outcome();
  outcome.verdict = sim::Verdict::kInterrupted;
  outcome.cases_missing = 2;
  outcome.missing = {"a/1", "b/2"};
  EXPECT_EQ(gaps_in_words(outcome), "Interrupted: 2 of 10 cases missing: a/1 and b/2.");
}

TEST(Sentences, AnEmptyOutcomeSaysNothing) {
  const sim::Outcome outcome;
  EXPECT_TRUE(winners_in_words(outcome).empty());
  EXPECT_EQ(binding_in_words(outcome), "");
  EXPECT_EQ(crossing_in_words(outcome), "");
  EXPECT_EQ(least_sure_in_words(outcome), "");
  EXPECT_EQ(grades_in_words(outcome), "");
}

}  // namespace
}  // namespace analysis
