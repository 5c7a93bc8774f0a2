// SPDX-License-Identifier: GPL-2.0-only
// Programs of GOAL on a star, at every fidelity, against sums on paper.
#include <gtest/gtest.h>

#include <string>

#include "collectives/goal.h"
#include "tests/oracles/play.h"
#include "tests/oracles/star.h"

namespace {

// Plays `text` on a star whose switch cuts through, so that fluid and packets agree.
std::int64_t time_of(const std::string& text, sim::Rank ranks, const std::string& fidelity) {
  oracle::Star star;
  star.cut_through = true;
  star.launch = 6'000'000;
  const auto scenario =
      played::load(oracle::text_of(star, 8, {{"all_reduce", "ring", std::int64_t{ranks}, {64}}}),
                   {{"fidelity", fidelity}});
  sim::Diagnostics diagnostics("t.goal", text);
  scenarios::CaseSpec spec = scenario.cases.at(0);
  spec.job.collective = sim::Collective::kProgram;
  spec.job.given = collectives::goal::read("t.goal", text, diagnostics);
  EXPECT_NE(spec.job.given, nullptr) << diagnostics.render();
  spec.job.bytes = *spec.job.given->bytes();
  const sim::CaseOutcome outcome = played::play(scenario, spec);
  EXPECT_EQ(outcome.verdict, sim::Verdict::kDone) << outcome.failure;
  EXPECT_EQ(outcome.bound_ps, 0);
  const sim::Breakdown& b = outcome.breakdown;
  EXPECT_EQ(b.launch_ps + b.endpoint_ps + b.latency_ps + b.transmission_ps + b.queueing_ps +
                b.compute_ps + b.repair_ps,
            outcome.time_ps);
  return outcome.time_ps;
}

oracle::Star star() {
  oracle::Star one;
  one.cut_through = true;
  return one;
}

constexpr std::int64_t kLaunch = 6'000'000;
const std::vector<std::string>& fidelities() {
  static const std::vector<std::string> all = {"packet", "flow", "analytic"};
  return all;
}

TEST(Goal, APingPongIsTwoTransfersAndWhatIsComputed) {
  const std::string text =
      "num_ranks 2\n"
      "rank 0 { a: calc 1000 b: send 65536b to 1 b requires a c: recv 4096b from 1 }\n"
      "rank 1 { a: recv 65536b from 0 b: calc 500 b requires a c: send 4096b to 0 c requires b }\n";
  for (const std::string& fidelity : fidelities()) {
    EXPECT_EQ(time_of(text, 2, fidelity), kLaunch + 1'000'000 + 500'000 +
                                              oracle::transfer(star(), 65'536) +
                                              oracle::transfer(star(), 4'096))
        << fidelity;
  }
}

// One cpu computes one thing after another, two at once.
TEST(Goal, ACpuComputesOneThingAtATime) {
  const std::string end = " }\nrank 1 { }\n";
  for (const std::string& fidelity : fidelities()) {
    EXPECT_EQ(time_of("num_ranks 2\nrank 0 { calc 700 calc 300" + end, 2, fidelity),
              kLaunch + 1'000'000);
    EXPECT_EQ(time_of("num_ranks 2\nrank 0 { calc 700 cpu 0 calc 300 cpu 1" + end, 2, fidelity),
              kLaunch + 700'000);
    EXPECT_EQ(time_of("num_ranks 2\nrank 0 { calc 0" + end, 2, fidelity), kLaunch);
  }
}

// What is sent while a rank computes is hidden: the longer of the two counts.
TEST(Goal, ComputingHidesWhatIsSentMeanwhile) {
  for (const std::int64_t nanoseconds : {100, 50'000}) {
    const std::string text = "num_ranks 2\nrank 0 { send 65536b to 1 calc " +
                             std::to_string(nanoseconds) + " }\nrank 1 { recv 65536b from 0 }\n";
    for (const std::string& fidelity : fidelities()) {
      EXPECT_EQ(time_of(text, 2, fidelity),
                kLaunch + std::max(oracle::transfer(star(), 65'536), nanoseconds * 1'000))
          << fidelity;
    }
  }
}

// An empty message takes the time of one byte.
TEST(Goal, AnEmptyMessageStillGoes) {
  const std::string text = "num_ranks 2\nrank 0 { send 0b to 1 }\nrank 1 { recv 0b from 0 }\n";
  for (const std::string& fidelity : fidelities()) {
    EXPECT_EQ(time_of(text, 2, fidelity), kLaunch + oracle::transfer(star(), 1));
  }
}

}  // namespace
