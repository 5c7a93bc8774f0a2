// SPDX-License-Identifier: GPL-2.0-only
// Collectives over two levels against hand sums per level, and what loss does to them.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/agreement/preset.h"

namespace {

using agreement::kMicrosecond;
using agreement::moving;
using agreement::play;
using agreement::Setting;
using agreement::with;

// Two UltraServers of one sled each: 2 x 4 chips, so that each level is one switch or one NIC.
Setting two_sleds() {
  return {.cluster = "  ultraserver: trn3-gen2\n  ultraservers: 2\n",
          .overrides = {"sleds: 1", "racks: 1", "ethernet.nics_per_tor: 4"},
          .group = "{chips: 8}",
          .bytes = "16 MiB",
          .algorithm = "hierarchical",
          .hierarchy = "{inner_ranks: 4, slices: 1}"};
}

constexpr double kBytes = 16 << 20;
constexpr double kPerSled = 512e3 * 0.90;  // bytes per microsecond over a sled link
constexpr double kPerNic = 20e3;           // over a NIC bus
constexpr double kReduce = 4e6;            // endpoint.reduce_rate
constexpr double kSledHop = 1.5 + 2 * 0.2 + 2 * 0.01 + 0.15;  // as the preset says, us
constexpr double kEfaHop = 15.1;                              // see published_test.cc
// A full packet is stored and forwarded five times after the first bus: twice at 25 GB/s, twice on
// a ninth of four NICs, once on the other bus.
constexpr double kEfaStored = 2 * 8.860 / 25 + 2 * 8.860 / (4 * 25.0 / 9) + 8.760 / 20;

double microseconds(const sim::CaseOutcome& outcome) {
  return static_cast<double>(moving(outcome)) / kMicrosecond;
}

// Inside: 3 of 4 parts go out and in, the last one in is merged. Across: a ring of two, two steps
// of half a part, one merged. Inside again.
TEST(Efa, HierarchicalAllReduceIsTheSumOfItsLevels) {
  Setting setting = two_sleds();
  setting.collective = "all_reduce";
  const double part = kBytes / 4;
  const double inside = kSledHop + 3 * part / kPerSled;
  const double across = 2 * (kEfaHop + kEfaStored + part / 2 / kPerNic);
  const double merging = part / kReduce + part / 2 / kReduce;
  const double sum = 2 * inside + across + merging;
  const double found = microseconds(play(setting));
  EXPECT_GE(found, 0.995 * sum);
  EXPECT_LE(found, 1.03 * sum);
}

// Inside: everything for a place of any group goes to that place, 3/4 of the bytes; across: half of
// the bytes to the other UltraServer.
TEST(Efa, HierarchicalAllToAllIsTheSumOfItsLevels) {
  const double inside = kSledHop + 3 * kBytes / 4 / kPerSled;
  const double across = kEfaHop + kEfaStored + kBytes / 2 / kPerNic;
  const double sum = inside + across;
  const double found = microseconds(play(two_sleds()));
  EXPECT_GE(found, 0.995 * sum);
  EXPECT_LE(found, 1.03 * sum);
}

// While one slice is between the UltraServers, the next is inside.
TEST(Efa, SlicesOverlapTheLevels) {
  Setting setting = two_sleds();
  setting.collective = "all_reduce";
  const double whole = microseconds(play(setting));
  setting.hierarchy = "{inner_ranks: 4, slices: 4}";
  const double sliced = microseconds(play(setting));
  const double across = kBytes / 4 / kPerNic;
  EXPECT_LT(sliced, whole);
  EXPECT_GT(sliced, across);
}

// Half of the bytes of each chip cross its NIC, whatever the algorithm.
TEST(Efa, AllToAllOverBothUltraserversIsBoundByTheNicBus) {
  Setting setting = two_sleds();
  setting.algorithm = "direct";
  setting.hierarchy = "";
  const double across = kBytes / 2 / kPerNic;
  const double found = microseconds(play(setting));
  EXPECT_GE(found, across);
  EXPECT_LE(found, 1.03 * (across + kEfaHop + kEfaStored));
}

TEST(Efa, LossesAreRepeatedUntilEveryByteIsThere) {
  const Setting clean = two_sleds();
  const Setting lossy = with(clean, "efa.loss: 0.001");
  const sim::CaseOutcome without = play(clean);
  const sim::CaseOutcome outcome = play(lossy);
  EXPECT_EQ(outcome.verdict, sim::Verdict::kDone) << outcome.failure;
  EXPECT_EQ(without.packets_dropped, 0);
  EXPECT_EQ(without.packets_resent, 0);
  EXPECT_GT(outcome.packets_dropped, 0);
  EXPECT_GT(outcome.packets_resent, 0);
  EXPECT_EQ(outcome.transfers, without.transfers);
  EXPECT_GT(outcome.time_ps, without.time_ps);
}

TEST(Efa, ADeadNetworkStallsAndNamesTheRanksThatWait) {
  const scenarios::Scenario scenario =
      played::load(agreement::text_of(with(two_sleds(), "efa.loss: 1")));
  ASSERT_EQ(scenario.cases.size(), 1U);
  const sim::CaseOutcome outcome = played::play(scenario, scenario.cases.front());
  EXPECT_EQ(outcome.verdict, sim::Verdict::kStalled);
  EXPECT_NE(outcome.failure, "");
  ASSERT_FALSE(outcome.waiting.empty());
  EXPECT_NE(outcome.waiting.front().find("rank "), std::string::npos) << outcome.waiting.front();
}

// A write between two UltraServers whose ToR of plane 0 dies at the start: after the time that
// setting paths anew takes, all goes over the other, at half of the NIC's rate.
TEST(Efa, ADeadTorLeavesHalfOfTheRateOnceItIsKnown) {
  Setting setting = two_sleds();
  setting.hierarchy = "";
  setting.algorithm = "direct";
  constexpr std::int64_t kWritten = 128 << 20;
  const auto write = [&](const std::string& reroute, bool dead) {
    std::string text = agreement::text_of(with(setting, "efa.reroute_time: " + reroute));
    if (dead) text += "impairments:\n  - {kind: down, on: \"ToR 0, plane 0\", from: 0 us}\n";
    return agreement::write(played::load(text), 0, 4, kWritten);
  };
  constexpr double kHalf = 12.5e3 * 8'760 / 8'860;  // B/us
  const sim::CaseOutcome healthy = write("100 us", false);
  const sim::CaseOutcome known = write("100 us", true);
  const sim::CaseOutcome unknown = write("1 s", true);
  EXPECT_EQ(known.verdict, sim::Verdict::kDone) << known.failure;
  EXPECT_EQ(unknown.verdict, sim::Verdict::kDone) << unknown.failure;
  EXPECT_NEAR(microseconds(healthy), kWritten / kPerNic, 0.01 * kWritten / kPerNic);
  EXPECT_GE(microseconds(known), kWritten / kHalf);
  EXPECT_LE(microseconds(known), 1.05 * kWritten / kHalf + 250 + 100);
  // Congestion control steers away all by itself, but tries the dead paths again and again.
  EXPECT_GT(unknown.packets_dropped, known.packets_dropped);
  EXPECT_GE(microseconds(unknown), 0.99 * microseconds(known));
}

// Up to efa.stripe_above a write stays with one of the four NICs of a chip, above it has all.
TEST(Efa, LongWritesAreStripedOverAllRailsAndShortOnesAreNot) {
  Setting setting{.cluster = "  server: p5\n  servers: 2\n", .group = "{chips: 16}"};
  const auto write = [&](const std::string& above, std::int64_t bytes) {
    return microseconds(agreement::write(
        played::load(agreement::text_of(with(setting, "efa.stripe_above: " + above))), 0, 8,
        bytes));
  };
  // 4 x 12.5 GB/s against one of them.
  const double one = write("16 MiB", 16 << 20) - write("16 MiB", 1);
  const double all = write("128 KiB", 16 << 20) - write("128 KiB", 1);
  EXPECT_NEAR(one / all, 4.0, 0.2);
  EXPECT_EQ(write("128 KiB", 128 << 10), write("16 MiB", 128 << 10));
  EXPECT_LT(write("128 KiB", (128 << 10) + 1), write("16 MiB", (128 << 10) + 1));
}

}  // namespace
