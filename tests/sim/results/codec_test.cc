// SPDX-License-Identifier: GPL-2.0-only
#include "sim/results/codec.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace sim {
namespace {

// Every field differs from its default and from its neighbours.
CaseOutcome full_case(std::int64_t seed) {
  CaseOutcome one;
  one.name = "all_reduce/8_chips/64_KiB/direct";
  one.verdict = Verdict::kStalled;
  one.collective = "all_reduce";
  one.algorithm = "direct";
  one.group = "8 chips, sled_first";
  std::int64_t next = seed;
  for (std::int64_t* field :
       {&one.ranks, &one.bytes, &one.time_ps, &one.algorithm_bandwidth, &one.bus_bandwidth,
        &one.bound_ps, &one.bound_share_ppb, &one.transfers, &one.packets, &one.packet_hops,
        &one.packets_dropped, &one.packets_resent, &one.breakdown.launch_ps,
        &one.breakdown.endpoint_ps, &one.breakdown.latency_ps, &one.breakdown.transmission_ps,
        &one.breakdown.queueing_ps, &one.breakdown.compute_ps}) {
    *field = next++;
  }
  one.bound = "rack: 128 GB/s per chip";
  one.bottleneck = "twin link, 97 % busy";
  one.levels = {{"sled link", 1, 2, 3, "sled link of chip 0"}, {"rack link", 4, 5, 6, "µ"}};
  one.waiting = {"rank 3 waits", "rank 4 waits"};
  one.symmetry = {"1 of 7000 played"};
  one.failure = "why";
  one.fingerprint = "0123456789abcdef";
  one.choice = "ring: least";
  one.seed_times_ps = {11, 12, 13};
  one.last_arrival_ps = 14;
  one.breakdown.repair_ps = 15;
  one.breakdown.late_ps = 16;
  one.recording.ranks_recorded = 2;
  one.recording.spans = {{1, SpanKind::kSend, 0, 2, 3, 4, 5},
                         {6, SpanKind::kCopy, -1, 7, 8, 9, 10}};
  one.recording.traffic = {{1, 2, 3}, {4, 5, 6}};
  one.recording.links = {{"chip 0 -> switch 1", "sled link", 7, 8}};
  one.recording.curves = {{"sled link", 9, {1, 2, 3}}};
  return one;
}

Outcome full_outcome() {
  Outcome outcome;
  outcome.scenario = "moe-overhead";
  outcome.about = "what for";
  outcome.fabric = "Trn3 Gen2 UltraServer, 144 chips, wiring full";
  outcome.fidelity = "packet";
  outcome.verdict = Verdict::kInterrupted;
  outcome.cases = {full_case(100), full_case(9'000'000'000'000'000'000)};
  outcome.cases_missing = 2;
  outcome.missing = {"first", "second"};
  outcome.assumptions = {{"switch.latency", "200 ns", "100 ns", "300 ns", "judged", "by class"},
                         {"seed", "1", "1", "1", "chosen", ""}};
  outcome.limits = {"no refresh", "no noise"};
  outcome.echo = "scenario: moe-overhead\n";
  outcome.input_hash = "feedfacecafebeef";
  outcome.version = "0.1.0";
  outcome.seed = -7;
  return outcome;
}

bool told_as_damage(const std::string& bytes) {
  const Result<Outcome> decoded = decode_outcome(bytes);
  return !decoded.ok() && !decoded.failure().what.empty();
}

TEST(Codec, EveryFieldOfAnOutcomeSurvives) {
  const Outcome outcome = full_outcome();
  const Result<Outcome> decoded = decode_outcome(encode(outcome));
  ASSERT_TRUE(decoded.ok()) << decoded.failure().what;
  EXPECT_TRUE(decoded.value() == outcome);
}

TEST(Codec, EveryVerdictSurvives) {
  for (const Verdict verdict :
       {Verdict::kDone, Verdict::kFailed, Verdict::kStalled, Verdict::kInterrupted}) {
    CaseOutcome one;
    one.verdict = verdict;
    const Result<CaseOutcome> decoded = decode_case(encode_case(one));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded.value().verdict, verdict);
  }
}

TEST(Codec, AnEmptyOutcomeSurvives) {
  const Result<Outcome> decoded = decode_outcome(encode(Outcome{}));
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(decoded.value() == Outcome{});
}

TEST(Codec, EqualOutcomesGiveEqualBytes) {
  EXPECT_EQ(encode(full_outcome()), encode(full_outcome()));
  EXPECT_NE(encode(full_outcome()), encode(Outcome{}));
}

TEST(Codec, AFileStartsWithItsMagicAndFormat) {
  EXPECT_EQ(encode(Outcome{}).substr(0, 10), std::string("\x0dUSIM\x15\x01\0\0\0", 10));
}

TEST(Codec, EveryTruncationIsToldAsDamage) {
  const std::string bytes = encode(full_outcome());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_TRUE(told_as_damage(bytes.substr(0, size))) << "cut to " << size << " bytes";
  }
}

TEST(Codec, EveryFlippedBitIsToldAsDamage) {
  const std::string bytes = encode(full_outcome());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_TRUE(told_as_damage(flipped)) << "bit " << bit;
  }
}

TEST(Codec, RandomDamageIsToldAndNeverCrashes) {
  const std::string bytes = encode(full_outcome());
  std::mt19937 random(1);
  for (int round = 0; round < 5'000; ++round) {
    std::string damaged = bytes;
    const auto flips = 1 + random() % 20;
    for (std::uint32_t i = 0; i < flips; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (damaged == bytes) continue;
    ASSERT_TRUE(told_as_damage(damaged)) << "round " << round;
  }
}

TEST(Codec, ANewerFormatIsRefusedByItsNumber) {
  std::string bytes = encode(Outcome{});
  bytes[6] = 9;
  const Result<Outcome> decoded = decode_outcome(bytes);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.failure().what,
            "the results file was written by a newer ultrasim (format 9, this one reads up to 1)");
}

TEST(Codec, AnotherKindOfFileIsRefusedAsSuch) {
  const Result<Outcome> decoded = decode_outcome("{\"scenario\": \"not protobuf\"}");
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.failure().what, "this is not a results file of ultrasim");
}

TEST(Codec, AnEmptyFileIsRefusedAsEmpty) {
  ASSERT_FALSE(decode_outcome("").ok());
  EXPECT_EQ(decode_outcome("").failure().what, "the results file is empty");
}

TEST(Codec, DamagedCasesNeverCrash) {
  const std::string bytes = encode_case(full_case(1));
  std::mt19937 random(2);
  int told = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::string damaged = bytes.substr(0, random() % bytes.size());
    if (!damaged.empty()) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (!decode_case(damaged).ok()) ++told;
  }
  EXPECT_GT(told, 1'000);
}

TEST(Verdict, HasANameForEach) {
  EXPECT_EQ(name_of(Verdict::kDone), "done");
  EXPECT_EQ(name_of(Verdict::kFailed), "failed");
  EXPECT_EQ(name_of(Verdict::kStalled), "stalled");
  EXPECT_EQ(name_of(Verdict::kInterrupted), "interrupted");
}

}  // namespace
}  // namespace sim
