// SPDX-License-Identifier: GPL-2.0-only
// The sections `impairments` and `neighbours`: what they mean for a run, and that each run under
// them ends or stops with a verdict that names who waits for what.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/oracles/play.h"

namespace {

std::string on_sled(const std::string& rest) {
  return "scenario: t\ncluster:\n  ultraserver: trn3-gen2\nworkload:\n"
         "  - {collective: all_reduce, group: {chips: 8}, bytes: 4 MiB, algorithm: ring}\n" +
         rest;
}

std::string over_efa(const std::string& rest) {
  return "scenario: t\ncluster:\n  ultraserver: trn3-gen2\n  ultraservers: 2\n  overrides:\n"
         "    racks: 1\n    sleds: 1\n    ethernet.nics_per_tor: 4\nworkload:\n"
         "  - {collective: all_to_all, group: {chips: 8}, bytes: 2 MiB, algorithm: direct}\n" +
         rest;
}

sim::CaseOutcome run(const std::string& text) {
  const scenarios::Scenario scenario = played::load(text);
  EXPECT_EQ(scenario.cases.size(), 1U);
  if (scenario.cases.empty()) return {};
  return played::play(scenario, scenario.cases.front());
}

std::string all_of(const sim::CaseOutcome& outcome) {
  std::string text = outcome.failure;
  for (const std::string& line : outcome.waiting) text += "\n" + line;
  return text;
}

TEST(Impairments, LossOverEfaIsRepairedAndTheTimeOfItIsShown) {
  const sim::CaseOutcome healthy = run(over_efa(""));
  const sim::CaseOutcome lossy =
      run(over_efa("impairments:\n  - {kind: loss, on: EFA link, rate: 0.02}\n"));
  EXPECT_EQ(lossy.verdict, sim::Verdict::kDone);
  EXPECT_GT(lossy.time_ps, healthy.time_ps);
  EXPECT_GT(lossy.packets_resent, 0);
  EXPECT_EQ(healthy.breakdown.repair_ps, 0);
  EXPECT_GT(lossy.breakdown.repair_ps, 100'000'000);  // a timer is 250 us
}

TEST(Impairments, LossOfEverythingStopsWithTheRankTheCollectiveAndTheMessage) {
  const sim::CaseOutcome outcome =
      run(over_efa("impairments:\n  - {kind: loss, on: EFA link, rate: 1}\n"));
  EXPECT_EQ(outcome.verdict, sim::Verdict::kStalled);
  const std::string text = all_of(outcome);
  EXPECT_NE(text.find("rank 0: op "), std::string::npos) << text;
  EXPECT_NE(text.find("all_to_all of 256 KiB to rank 4"), std::string::npos) << text;
}

TEST(Impairments, BitErrorsOnALosslessLinkCostReplays) {
  const sim::CaseOutcome healthy = run(on_sled(""));
  const sim::CaseOutcome noisy =
      run(on_sled("impairments:\n  - {kind: bit_errors, on: sled link, one_bit_in: 1000000}\n"));
  EXPECT_EQ(noisy.verdict, sim::Verdict::kDone);
  EXPECT_GT(noisy.time_ps, healthy.time_ps);
  EXPECT_LT(noisy.time_ps, 2 * healthy.time_ps);
}

TEST(Impairments, ALinkDownForAWhileHoldsARingForThatLong) {
  const sim::CaseOutcome healthy = run(on_sled(""));
  const sim::CaseOutcome down =
      run(on_sled("impairments:\n  - {kind: down, on: sled link, from: 15 us, to: 215 us}\n"));
  EXPECT_EQ(down.verdict, sim::Verdict::kDone);
  EXPECT_NEAR(static_cast<double>(down.time_ps - healthy.time_ps), 200e6, 10e6);
}

TEST(Impairments, ALinkDownForGoodStopsAtItsPlace) {
  const sim::CaseOutcome outcome =
      run(on_sled("impairments:\n  - {kind: down, on: sled link, from: 15 us}\n"));
  EXPECT_EQ(outcome.verdict, sim::Verdict::kStalled);
  const std::string text = all_of(outcome);
  EXPECT_NE(text.find("carries nothing any more: sled link"), std::string::npos) << text;
  EXPECT_NE(text.find("all_reduce"), std::string::npos) << text;
  EXPECT_NE(text.find("rank "), std::string::npos) << text;
}

TEST(Neighbours, AJobOnTheSameLinksSlowsTheCaseAndOneElsewhereDoesNot) {
  const std::string job = "neighbours:\n  - {collective: all_reduce, group: {chips: 8, first: ";
  const std::string rest = "}, bytes: 4 MiB, algorithm: direct}\n";
  const sim::CaseOutcome alone = run(on_sled(""));
  const sim::CaseOutcome beside = run(on_sled(job + "40" + rest));
  const sim::CaseOutcome together = run(on_sled(job + "0" + rest));
  EXPECT_EQ(beside.verdict, sim::Verdict::kDone);
  EXPECT_EQ(beside.time_ps, alone.time_ps);
  EXPECT_EQ(together.verdict, sim::Verdict::kDone);
  EXPECT_GT(together.time_ps, alone.time_ps);
}

TEST(Neighbours, BackgroundLoadSlowsTheCaseTheMoreThereIs) {
  std::int64_t before = run(on_sled("")).time_ps;
  for (const char* load : {"0.2", "0.6"}) {
    const sim::CaseOutcome outcome =
        run(on_sled("neighbours:\n  - {on: sled link, load: " + std::string(load) + "}\n"));
    EXPECT_EQ(outcome.verdict, sim::Verdict::kDone);
    EXPECT_GT(outcome.time_ps, before) << load;
    before = outcome.time_ps;
  }
}

TEST(Neighbours, ACaseThatCannotGoOnStopsThoughItsNeighboursDo) {
  const sim::CaseOutcome outcome =
      run(on_sled("impairments:\n  - {kind: down, on: sled link, from: 15 us}\n"
                  "neighbours:\n  - {on: twin link, load: 0.01}\n"));
  EXPECT_EQ(outcome.verdict, sim::Verdict::kStalled);
  EXPECT_FALSE(outcome.waiting.empty());
}

TEST(Impairments, SaysWhatIsWrongWithThem) {
  const auto faults = [](const std::string& text) {
    return scenarios::load_text(text, "t.yaml", {}).faults;
  };
  EXPECT_NE(faults(on_sled("impairments:\n  - {kind: loss, on: sled lnk, rate: 0.1}\n"))
                .find("did you mean 'sled link'"),
            std::string::npos);
  EXPECT_NE(faults(on_sled("impairments:\n  - {kind: loss, on: sled link}\n")).find("needs 'rate'"),
            std::string::npos);
  EXPECT_NE(
      faults(on_sled("fidelity: flow\nimpairments:\n  - {kind: loss, on: sled link, rate: 0}\n"))
          .find("only packets know"),
      std::string::npos);
}

// `--change` of a what-if is an override: every kind of fault and neighbour is one, and costs time.
void expect_each_costs_time(const std::string& text,
                            const std::vector<scenarios::Override>& changes) {
  const std::int64_t usual = run(text).time_ps;
  for (const scenarios::Override& change : changes) {
    const scenarios::Loaded loaded = scenarios::load_text(text, "t.yaml", {change});
    ASSERT_EQ(loaded.faults, "") << change.value;
    const sim::CaseOutcome outcome = played::play(*loaded.scenario, loaded.scenario->cases.front());
    EXPECT_EQ(outcome.verdict, sim::Verdict::kDone) << change.value << ": " << outcome.failure;
    EXPECT_GT(outcome.time_ps, usual) << change.value;
  }
}

TEST(WhatIf, EveryKindOfFaultInsideAnUltraserverIsAChange) {
  const std::string chip = "chip(rack 0, sled 1, position 2)";
  const std::string link = "part: link, name: \"" + chip + "\", to: \"sled switch*\"";
  expect_each_costs_time(
      "scenario: t\ncluster:\n  ultraserver: trn3-gen2\nworkload:\n"
      "  - {collective: all_to_all, group: {chips: 8}, bytes: 8 MiB, algorithm: direct}\n",
      {{"faults", "[{kind: dead, " + link + "}]"},
       {"faults", "[{kind: slow, share: 10 %, " + link + "}]"},
       {"faults", "[{kind: dead, part: switch, name: \"rack switch(rack 0, plane 1)\"}]"},
       {"faults",
        "[{kind: slow, share: 5 %, part: switch, name: \"rack switch(rack 0, plane 1)\"}]"},
       {"faults", "[{kind: dead, part: plane, name: rack 1}]"},
       {"faults", "[{kind: slow, share: 5 %, part: plane, name: rack 1}]"},
       {"faults", "[{kind: slow, share: 5 %, part: chip, name: \"" + chip + "\"}]"},
       {"impairments", "[{kind: loss, on: sled link, rate: 0.2}]"},
       {"impairments", "[{kind: bit_errors, on: sled link, one_bit_in: 100000}]"},
       {"impairments", "[{kind: down, on: sled link, from: 10 us, to: 200 us}]"},
       {"neighbours",
        "[{collective: all_to_all, group: {chips: 8}, bytes: 8 MiB, algorithm: direct}]"},
       {"neighbours", "[{load: 0.8, on: sled link}]"}});
}

TEST(WhatIf, EveryKindOfFaultBetweenUltraserversIsAChange) {
  expect_each_costs_time(
      over_efa(""),
      {{"faults", "[{kind: dead, part: plane, name: network 1}]"},
       {"faults", "[{kind: slow, share: 10 %, part: plane, name: network 1}]"},
       {"faults", "[{kind: slow, share: 10 %, part: nic, name: \"nic(ultraserver 0*2)\"}]"},
       {"impairments", "[{kind: loss, on: EFA link, rate: 0.01}]"},
       {"impairments", "[{kind: corruption, on: EFA link, rate: 0.01}]"},
       {"impairments", "[{kind: late, on: EFA link, rate: 0.5, delay: 50 us}]"},
       {"cluster.overrides.efa.not_ready", "0.05"}});
}

}  // namespace
