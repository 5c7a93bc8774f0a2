// SPDX-License-Identifier: GPL-2.0-only
// The four yardstick scenarios: their times are known on paper, and lie at or above the fluid bound
// and within one packet's serialisation per hop and step of it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/oracles/alpha_beta.h"
#include "tests/oracles/play.h"

namespace {

constexpr std::int64_t kPacket = 81'920;  // 4 KiB at 50 GB/s, ps

sim::CaseOutcome play_file(const std::string& name) {
  const std::string path = ULTRASIM_SOURCE_DIR "/scenarios/library/" + name + ".yaml";
  const scenarios::Loaded loaded = scenarios::load_file(path, {});
  EXPECT_TRUE(loaded.scenario) << loaded.faults;
  if (!loaded.scenario) return {};
  EXPECT_EQ(loaded.scenario->cases.size(), 1U);
  return played::play(*loaded.scenario, loaded.scenario->cases.front());
}

void expect_all_to_all(std::int64_t ends, std::int64_t exact, double fluid_us) {
  const sim::CaseOutcome outcome = play_file("bench-all-to-all-" + std::to_string(ends) + "-star");
  EXPECT_EQ(outcome.time_ps, exact);
  EXPECT_EQ(exact, oracle::direct_all_to_all({}, ends, ends * 65'536));
  const std::int64_t fluid = (ends - 1) * 65'536 * 20 + 2 * 500'000;
  EXPECT_NEAR(static_cast<double>(fluid) / 1e6, fluid_us, 0.001);
  EXPECT_GE(outcome.time_ps, fluid);
  EXPECT_LE(outcome.time_ps, fluid + 2 * kPacket);
  EXPECT_EQ(outcome.packet_hops, 2 * outcome.packets);
  EXPECT_EQ(outcome.packets, ends * (ends - 1) * 16);
}

void expect_ring(std::int64_t ends, std::int64_t exact, double fluid_us) {
  const sim::CaseOutcome outcome = play_file("bench-ring-" + std::to_string(ends) + "-star");
  EXPECT_EQ(outcome.time_ps, exact);
  EXPECT_EQ(exact, oracle::ring_all_reduce({}, ends, 16 << 20));
  const std::int64_t steps = 2 * (ends - 1);
  const double fluid =
      static_cast<double>(steps) * (16'777'216.0 / static_cast<double>(ends) * 20 + 2 * 500'000.0);
  EXPECT_NEAR(fluid / 1e6, fluid_us, 0.005);
  EXPECT_GE(static_cast<double>(outcome.time_ps), fluid);
  EXPECT_LE(static_cast<double>(outcome.time_ps), fluid + static_cast<double>(2 * steps * kPacket));
}

TEST(BenchFiles, AllToAllOver64Takes83657280Picoseconds) {
  expect_all_to_all(64, 83'657'280, 83.575);
}

TEST(BenchFiles, AllToAllOver144Takes188514880Picoseconds) {
  expect_all_to_all(144, 188'514'880, 188.433);
}

// 126 steps of 256 KiB: 5.24288 us of bytes, 1 us of wires, one packet through the switch.
TEST(BenchFiles, RingOver64Takes796924800Picoseconds) { expect_ring(64, 796'924'800, 786.60); }

// 16 MiB in 144 parts: 80 of 116,508 B and 64 of 116,509 B. A part depends on no other, as it goes
// round twice by itself; so a part of 116,509 B decides: 28 packets and one of 1,821 B, in each of
// 286 steps 2,330.18 ns of bytes, 1 us of wires, 81.92 ns of one packet through the switch.
TEST(BenchFiles, RingOver144Takes975860600Picoseconds) {
  const std::int64_t step = 116'509 * 20 + 1'000'000 + kPacket;
  EXPECT_EQ(286 * step, 975'860'600);
  EXPECT_EQ(80 * 116'508 + 64 * 116'509, 16 << 20);
  expect_ring(144, 975'860'600, 952.43);
}

}  // namespace
