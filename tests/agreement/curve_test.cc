// SPDX-License-Identifier: GPL-2.0-only
// Sweeps ask a curve instead of evaluating: within its tolerance of the evaluation at every size
// tried, and at least 5,000 answers a second.
#include "sim/engine/analytic/curve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "tests/agreement/preset.h"

namespace {

sim::Time evaluate(const scenarios::Scenario& scenario, sim::Bytes bytes) {
  scenarios::CaseSpec spec = scenario.cases.at(0);
  spec.job.bytes = bytes;
  return sim::Time(played::play(scenario, spec).time_ps);
}

TEST(Curve, FollowsTheEvaluationWithinItsTolerance) {
  for (const char* algorithm : {"direct", "ring", "recursive"}) {
    agreement::Setting setting;
    setting.collective = "all_reduce";
    setting.group = "{chips: 16}";
    setting.algorithm = algorithm;
    const scenarios::Scenario scenario =
        played::load(agreement::text_of(setting), {{"fidelity", "analytic"}});
    const auto exact = [&](sim::Bytes bytes) { return evaluate(scenario, bytes); };
    const sim::analytic::Curve curve(exact, sim::Bytes(64 << 10), sim::Bytes(64 << 20), 5'000);
    EXPECT_LT(curve.points(), 100U);
    for (const std::int64_t bytes : {64 << 10, 100'000, 333'333, 1 << 20, 7'000'000, 64 << 20}) {
      const auto want = static_cast<double>(exact(sim::Bytes(bytes)).value);
      EXPECT_NEAR(static_cast<double>(curve(sim::Bytes(bytes)).value), want, 0.01 * want)
          << algorithm << " " << bytes;
    }
  }
}

// Collectives over all 144 chips of an UltraServer: the evaluations that make the curve included.
TEST(Curve, AnswersFiveThousandTimesASecond) {
#ifndef NDEBUG
  GTEST_SKIP() << "a bar for release builds";
#endif
  const scenarios::Scenario scenario = played::load(
      "scenario: curve\n"
      "cluster: {ultraserver: trn3-gen2}\n"
      "fidelity: analytic\n"
      "workload:\n"
      "  - {collective: all_to_all, bytes: 16 MiB, algorithm: direct, group: {chips: 144}}\n");
  const std::clock_t start = std::clock();
  const auto exact = [&](sim::Bytes bytes) { return evaluate(scenario, bytes); };
  const sim::analytic::Curve curve(exact, sim::Bytes(1 << 20), sim::Bytes(1 << 28), 5'000);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 50'000; ++i) sum += curve(sim::Bytes((1 << 20) + i * 5'000)).value;
  EXPECT_GT(sum, 0);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 10) << curve.points() << " points";
}

}  // namespace
