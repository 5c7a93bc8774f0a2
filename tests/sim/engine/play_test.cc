// SPDX-License-Identifier: GPL-2.0-only
// What a case says of itself: here, that losses are not taken for busy links.
#include "sim/engine/packet/play.h"

#include <gtest/gtest.h>

#include "scenarios/loader/scenario.h"

namespace sim::packet {
namespace {

CaseOutcome play_over_efa(const std::string& loss, const std::string& timer = "250 us",
                          const std::string& bytes = "96 B", const std::string& transport = "srd") {
  const scenarios::Loaded loaded = scenarios::load_text(
      "scenario: losses\n"
      "cluster:\n"
      "  ultraserver: trn3-gen2\n"
      "  ultraservers: 2\n"
      "  overrides: {sleds: 3, ethernet.nics_per_tor: 6, efa.loss: " +
          loss + ", efa.transport: " + transport + ", efa.retransmit_timer: " + timer +
          "}\n"
          "workload: [{collective: all_reduce, bytes: " +
          bytes + ", algorithm: direct}]\n",
      "losses", {});
  CHECK(loaded.scenario.has_value());
  const scenarios::CaseSpec& spec = loaded.scenario->cases.front();
  const auto schedule = collectives::plan(spec.algorithm, spec.job);
  RunControl control;
  return play({.topology = &loaded.scenario->topology,
               .schedule = &schedule.value(),
               .placement = &spec.placement,
               .bytes = spec.job.bytes,
               .parameters = &loaded.scenario->parameters,
               .seed = 1,
               .limits = {}},
              control);
}

TEST(Play, TimersThatNoticeLossesAreNamedAndNotCalledBusyLinks) {
  const CaseOutcome clean = play_over_efa("0");
  EXPECT_EQ(clean.packets_resent, 0);
  EXPECT_EQ(clean.bottleneck.find("lost"), std::string::npos) << clean.bottleneck;
  const CaseOutcome lossy = play_over_efa("0.01");
  EXPECT_EQ(lossy.verdict, Verdict::kDone);
  EXPECT_GT(lossy.packets_resent, 0);
  EXPECT_GT(lossy.time_ps, 250'000'000);  // one timer at least
  EXPECT_EQ(lossy.bottleneck,
            "lost packets, " + std::to_string(lossy.packets_resent) + " sent again");
}

TEST(Play, ATimerShorterThanTheRoundTripIsNotCalledLoss) {
  const CaseOutcome outcome =
      play_over_efa("0", "1 us, efa.retransmit_limit: 2", "48 MiB", "window");
  EXPECT_EQ(outcome.verdict, Verdict::kStalled);
  EXPECT_NE(outcome.failure.find("efa.retransmit_timer is shorter"), std::string::npos)
      << outcome.failure;
}

}  // namespace
}  // namespace sim::packet
