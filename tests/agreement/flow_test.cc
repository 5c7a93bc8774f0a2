// SPDX-License-Identifier: GPL-2.0-only
// Fluid flows against closed forms and against packets. Where nothing contends they agree to the
// picosecond, but for headers (a share of the rate here, whole packets there) and roundings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/agreement/preset.h"
#include "tests/oracles/star.h"

namespace {

using oracle::Star;

const played::Overrides kFlow = {{"fidelity", "flow"}};

std::vector<Star> stars_without_headers() {
  std::vector<Star> stars;
  for (auto [name, star] : oracle::stars()) {
    star.header = 0;
    stars.push_back(star);
  }
  return stars;
}

std::int64_t time_of(const Star& star, std::int64_t ranks, const std::string& collective,
                     const std::string& algorithm, std::int64_t bytes) {
  return played::play_one(oracle::text_of(star, ranks, {{collective, algorithm, ranks, {bytes}}}),
                          kFlow)
      .time_ps;
}

// The closed forms round each of the up to 48 packets of a step up, the fluid once.
void expect_step_roundings(std::int64_t found, std::int64_t exact, std::int64_t steps) {
  EXPECT_GE(found, exact - 48 * steps);
  EXPECT_LE(found, exact + steps);
}

TEST(FlowAgreement, RingsTakeTheirClosedForm) {
  for (const Star& star : stars_without_headers()) {
    for (const std::int64_t n : {2, 5, 16}) {
      const std::int64_t bytes = n * 48'000;  // whole packets of either star
      expect_step_roundings(time_of(star, n, "all_reduce", "ring", bytes),
                            oracle::ring_all_reduce(star, n, bytes), 4 * n);
      expect_step_roundings(time_of(star, n, "all_gather", "ring", bytes),
                            oracle::ring_all_gather(star, n, bytes), 2 * n);
    }
  }
}

TEST(FlowAgreement, RecursiveTakesItsClosedForm) {
  for (const Star& star : stars_without_headers()) {
    for (const std::int64_t n : {2, 8, 16}) {
      const std::int64_t bytes = n * 48'000;
      expect_step_roundings(time_of(star, n, "all_reduce", "recursive", bytes),
                            oracle::recursive_all_reduce(star, n, bytes), 4 * n);
    }
  }
}

// On the plain star all times are whole picoseconds: no rounding anywhere.
TEST(FlowAgreement, PlainStarIsExactToThePicosecond) {
  const Star plain;
  EXPECT_EQ(time_of(plain, 16, "all_reduce", "ring", 16 << 20),
            oracle::ring_all_reduce(plain, 16, 16 << 20));
  EXPECT_EQ(time_of(plain, 16, "all_to_all", "direct", 16 << 20),
            oracle::direct_all_to_all(plain, 16, 16 << 20));
  EXPECT_EQ(time_of(plain, 16, "all_reduce", "recursive", 16 << 20),
            oracle::recursive_all_reduce(plain, 16, 16 << 20));
}

TEST(FlowAgreement, IncastDrainsTheSinkWithoutAPause) {
  for (const Star& star : stars_without_headers()) {
    for (const std::int64_t n : {3, 12}) {
      const scenarios::Scenario scenario =
          played::load(oracle::text_of(star, n, {{"all_to_all", "direct", n, {1'024}}}), kFlow);
      std::vector<sim::EndpointId> ends;
      for (std::int64_t i = 0; i < n; ++i)
        ends.push_back(sim::EndpointId{static_cast<std::uint32_t>(i)});
      const std::int64_t found = played::play_writes(scenario, ends, sim::Bytes(1'000'000)).time_ps;
      // The packets of n - 1 senders meet at the sink; fluid ones too.
      const std::int64_t exact = oracle::incast(star, n, 1'000'000);
      EXPECT_NEAR(static_cast<double>(found), static_cast<double>(exact),
                  2e-4 * static_cast<double>(exact))
          << n;
    }
  }
}

// One write between any two places of the UltraServers: packets and fluid agree within the rounding
// of the last packet, which over EFA takes one of two ToR ports, at half of the NIC's rate.
TEST(FlowAgreement, SingleWritesAgreeWithPackets) {
  for (const char* cluster :
       {"  ultraserver: trn3-gen2\n", "  ultraserver: trn3-gen2\n  wiring: doc\n",
        "  ultraserver: trn3-gen2\n  ultraservers: 2\n"}) {
    agreement::Setting setting;
    setting.cluster = cluster;
    const scenarios::Scenario packets = played::load(agreement::text_of(setting));
    const scenarios::Scenario fluid = played::load(agreement::text_of(setting), kFlow);
    const std::uint32_t last = packets.topology.fabric->endpoints() - 1;
    for (const std::uint32_t to : {1U, 5U, 40U, last}) {
      for (const std::int64_t bytes : {8'760 * 4'096, 1 << 12, 1 << 20}) {
        const std::int64_t exact = agreement::write(packets, 0, to, bytes).time_ps;
        const std::int64_t found = agreement::write(fluid, 0, to, bytes).time_ps;
        EXPECT_NEAR(static_cast<double>(found) / static_cast<double>(exact), 1,
                    to == last ? 1e-2 : 5e-4)
            << cluster << "0 -> " << to << ", " << bytes << " B: " << found << " for " << exact;
      }
    }
  }
}

}  // namespace
