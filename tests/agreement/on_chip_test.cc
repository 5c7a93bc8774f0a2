// SPDX-License-Identifier: GPL-2.0-only
// The on-chip stage in whole collectives: closed forms in all fidelities, and what it alone
// decides.
#include <gtest/gtest.h>

#include <string>

#include "tests/agreement/preset.h"

namespace {

using agreement::kMicrosecond;
using agreement::moving;
using agreement::Setting;
using agreement::with;

double microseconds(const Setting& setting, const char* fidelity) {
  return static_cast<double>(
             moving(played::play_one(agreement::text_of(setting), {{"fidelity", fidelity}}))) /
         kMicrosecond;
}

// The four cores of a chip: each sends three quarters of the bytes through its own stage.
Setting cores_of_a_chip() {
  return {.cluster = "  ultraserver: trn3-gen2\n  ranks: cores\n",
          .group = "{chips: 1}",
          .bytes = "256 MiB"};
}

TEST(OnChip, CoresOfAChipAreBoundByTheirShareOfMemoryInAllFidelities) {
  constexpr double kPerCore = 4.9e6 / 2 / 4;  // B/us
  const double bound = 0.75 * (256 << 20) / kPerCore;
  constexpr double kEnds = 1.5 + 2 * 0.2 + 2 * 0.05;  // descriptor, memory twice, core to core
  for (const char* fidelity : {"packet", "flow", "analytic"}) {
    const double found = microseconds(cores_of_a_chip(), fidelity);
    EXPECT_GE(found, bound + kEnds) << fidelity;
    EXPECT_LE(found, 1.001 * bound + kEnds + 0.2) << fidelity;
  }
}

// Without a bound by memory the engines decide: 1,056 GB/s a core less a descriptor a packet.
TEST(OnChip, PacketsOfADescriptorDecideWhatEnginesReach) {
  const Setting engines = with(cores_of_a_chip(), "hbm.bandwidth: unlimited");
  for (const char* fidelity : {"packet", "flow", "analytic"}) {
    const double large = microseconds(engines, fidelity);
    const double small = microseconds(with(engines, "dma.packet: 4 KiB"), fidelity);
    const double efficiency = (4'096 / 33.0) / (4'096 / 33.0 + 8) /  // ns
                              ((65'536 / 33.0) / (65'536 / 33.0 + 8));
    EXPECT_NEAR(large / small, efficiency, 0.003) << fidelity;
    EXPECT_NEAR(large, 2.0 + 0.75 * (256 << 20) / (1.056e6 * 0.99599), 0.5) << fidelity;
  }
}

// A tenth of the memory, 245 GB/s each way: less than the ports of a chip carry.
TEST(OnChip, WholeChipsShareOneStageAmongAllTheirPorts) {
  Setting stage{.overrides = {"chip.stage: memory", "hbm.share: 0.1"},
                .group = "{chips: 4}",
                .bytes = "64 MiB"};
  const double bound = 0.75 * (64 << 20) / (4.9e6 * 0.1 / 2);
  for (const char* fidelity : {"packet", "flow", "analytic"}) {
    const double found = microseconds(stage, fidelity);
    EXPECT_GE(found, bound) << fidelity;
    EXPECT_LE(found, 1.02 * bound + 3) << fidelity;
    stage.overrides.back() = "hbm.share: 0.05";
    EXPECT_NEAR(microseconds(stage, fidelity) / found, 2.0, 0.05) << fidelity;
    stage.overrides.back() = "hbm.share: 0.1";
  }
  // Where it cannot bind, drawing it changes next to nothing.
  Setting wide{.group = "{chips: 8}", .bytes = "16 MiB"};
  const double ports = microseconds(wide, "packet");
  wide.overrides = {"chip.stage: memory"};
  EXPECT_NEAR(microseconds(wide, "packet"), ports, 0.01 * ports);
}

// A semaphore of 4 B behind each transfer: one packet more on the same way, next to no time. Flow
// leaves it out.
TEST(OnChip, SemaphoresCostPacketsAndNextToNoTime) {
  for (const char* bytes : {"64 KiB", "16 MiB"}) {
    Setting plain{.group = "{chips: 16}", .bytes = bytes};
    const sim::CaseOutcome without = agreement::play(plain);
    plain.overrides = {"dma.semaphore: 4 B"};
    const sim::CaseOutcome found = agreement::play(plain);
    EXPECT_EQ(found.packets, without.packets + 16 * 15);
    EXPECT_NEAR(static_cast<double>(moving(found)), static_cast<double>(moving(without)),
                0.01 * static_cast<double>(moving(without)))
        << bytes;
  }
}

}  // namespace
