// SPDX-License-Identifier: GPL-2.0-only
// A faster link on the critical path makes a case faster, one that is not on it changes nothing,
// and different fabrics give different times: faults that simulators of this kind have had.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/agreement/preset.h"

namespace {

using agreement::moving;
using agreement::play;
using agreement::Setting;
using agreement::with;

const std::string kPreset = "  ultraserver: trn3-gen2\n";

Setting on(const std::string& wiring, Setting setting) {
  setting.cluster += "  wiring: " + wiring + "\n";
  return setting;
}

const Setting kInASled = {.collective = "all_reduce", .group = "{chips: 4}", .bytes = "64 MiB"};
const Setting kInAPlane = {.group = "{chips: 18, span: plane_first}", .bytes = "16 MiB"};
const Setting kTwins = {.group = "{chips: 2, span: twin_first}", .bytes = "64 MiB"};

TEST(Sense, DoublingTheLinkThatBindsNearlyHalvesALargeTransfer) {
  struct Trial {
    Setting setting;
    std::string doubled;
  };
  const std::vector<Trial> trials = {{kInASled, "sled.bandwidth: 1024 GB/s"},
                                     {kInAPlane, "rack.bandwidth: 1024 GB/s"},
                                     {kTwins, "rack_to_rack.bandwidth: 256 GB/s"}};
  for (const Trial& trial : trials) {
    const sim::CaseOutcome before = play(trial.setting);
    const sim::CaseOutcome after = play(with(trial.setting, trial.doubled));
    EXPECT_LT(after.time_ps, before.time_ps * 7 / 10) << trial.doubled;
    EXPECT_GE(after.time_ps, before.time_ps / 2) << trial.doubled;
    EXPECT_EQ(after.bound_ps, (before.bound_ps + 1) / 2) << trial.doubled;
  }
}

TEST(Sense, DoublingALinkThatNobodyUsesChangesNothing) {
  for (const std::string unused : {"rack.bandwidth: 1024 GB/s", "rack_to_rack.bandwidth: 1 TB/s"}) {
    EXPECT_EQ(play(with(kInASled, unused)).fingerprint, play(kInASled).fingerprint) << unused;
  }
  EXPECT_EQ(play(with(kTwins, "sled.bandwidth: 1 TB/s")).fingerprint, play(kTwins).fingerprint);
}

TEST(Sense, DocIsSlowerThanFullWhereSledOrRackLinksBind) {
  const Setting in_a_rack = {.group = "{chips: 72}", .bytes = "16 MiB"};
  for (const Setting& setting : {kInASled, kInAPlane, in_a_rack}) {
    const sim::CaseOutcome full = play(on("full", setting));
    const sim::CaseOutcome doc = play(on("doc", setting));
    EXPECT_GT(doc.time_ps, full.time_ps * 13 / 10) << full.collective << " " << full.ranks;
    EXPECT_GT(doc.bound_ps, full.bound_ps);
  }
}

TEST(Sense, DocEqualsFullWhereTheTwinLinkBinds) {
  EXPECT_EQ(play(on("doc", kTwins)).fingerprint, play(on("full", kTwins)).fingerprint);
  const Setting all = {.group = "{chips: 144}", .bytes = "1 MiB"};
  EXPECT_EQ(play(on("doc", all)).bound_ps, play(on("full", all)).bound_ps);
}

TEST(Sense, DifferentFabricsGiveDifferentTimes) {
  const Setting work = {.group = "{chips: 36}", .bytes = "4 MiB"};
  std::set<std::string> fingerprints;
  std::vector<Setting> settings = {on("full", work), on("doc", work), on("headline", work)};
  for (const char* override : {"planes: 1", "planes: 2", "positions: 8"}) {
    settings.push_back(with(on("full", work), override));
  }
  settings.push_back(work);
  settings.back().cluster = "  topology: star\n";
  for (const Setting& setting : settings) fingerprints.insert(play(setting).fingerprint);
  EXPECT_EQ(fingerprints.size(), settings.size());
}

// Two chips in one rack of another plane, and two racks: each end cost and each latency counts.
TEST(Sense, EveryLatencyAndEndCostOnThePathCounts) {
  const Setting work = {.group = "{chips: 144}", .bytes = "144 KiB"};
  const std::int64_t before = play(work).time_ps;
  for (const char* override :
       {"sled.wire_latency: 1 us", "rack.wire_latency: 1 us", "rack_to_rack.wire_latency: 1 us",
        "switch.latency: 1 us", "chip.forwarding_latency: 2 us", "collective.launch: 9 us",
        "endpoint.per_transfer: 3 us", "endpoint.issue_gap: 1 us",
        "endpoint.memory_latency: 1 us"}) {
    EXPECT_GT(play(with(work, override)).time_ps, before) << override;
  }
}

TEST(Sense, EveryRankCountIsServedByEveryAlgorithmThatTakesIt) {
  for (const int chips : {2, 3, 5, 6, 7, 12, 20}) {
    for (const char* collective : {"all_reduce", "all_to_all", "all_gather", "reduce_scatter"}) {
      for (const char* algorithm : {"direct", "ring", "recursive"}) {
        const bool all_reduce = std::string(collective) == "all_reduce";
        if (std::string(algorithm) == "recursive" && chips != 2 && !all_reduce) continue;
        const sim::CaseOutcome outcome = play({.collective = collective,
                                               .group = fmt::format("{{chips: {}}}", chips),
                                               .bytes = "100003 B",
                                               .algorithm = algorithm});
        EXPECT_EQ(outcome.ranks, chips);
        EXPECT_GT(moving(outcome), 0);
        EXPECT_LE(outcome.bound_ps, outcome.time_ps);
      }
    }
  }
}

TEST(Sense, TheSameRunTwiceIsTheSame) {
  const Setting lossy = with(
      {.cluster = kPreset + "  ultraservers: 2\n", .group = "{chips: 288}", .bytes = "288 KiB"},
      "efa.loss: 0.001");
  for (const Setting& setting : {Setting{.group = "{chips: 72}", .bytes = "4 MiB"}, lossy}) {
    const sim::CaseOutcome first = play(setting);
    EXPECT_EQ(first, play(setting));
    EXPECT_EQ(first.fingerprint.size(), 16U);
  }
}

}  // namespace
