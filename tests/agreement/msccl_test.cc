// SPDX-License-Identifier: GPL-2.0-only
// A schedule that was written as MSCCL XML and read again takes the same time, to the picosecond,
// where its threadblocks put nothing in a new order: a ring, and the rounds of recursive
// algorithms.
#include <gtest/gtest.h>

#include <string>

#include "collectives/msccl.h"
#include "tests/oracles/play.h"
#include "tests/oracles/star.h"

namespace {

sim::CaseOutcome play_again(const scenarios::Scenario& scenario, const scenarios::CaseSpec& spec) {
  const auto schedule = collectives::plan(spec.algorithm, spec.job);
  EXPECT_TRUE(schedule.ok());
  const sim::Result<std::string> text = collectives::msccl::write(schedule.value());
  EXPECT_TRUE(text.ok());
  sim::Diagnostics diagnostics("again.xml", text.value());
  scenarios::CaseSpec again = spec;
  again.job.given = collectives::msccl::read("again.xml", text.value(), diagnostics);
  EXPECT_NE(again.job.given, nullptr) << diagnostics.render();
  return played::play(scenario, again);
}

TEST(MscclAgreement, WrittenAndReadAgainTakesTheSameTime) {
  std::vector<oracle::Work> work;
  for (const std::int64_t n : {2, 4, 8, 16}) {
    for (const char* kind : {"all_reduce", "all_gather", "reduce_scatter"}) {
      work.push_back({kind, "[ring, recursive]", n, {65'536, 1'048'576}});
    }
    work.push_back({"all_reduce", "recursive_doubling", n, {65'536}});
  }
  for (const std::string fidelity : {"packet", "flow", "analytic"}) {
    for (const auto& [name, star] : oracle::stars()) {
      const auto scenario = played::load(oracle::text_of(star, 16, work), {{"fidelity", fidelity}});
      for (const scenarios::CaseSpec& spec : scenario.cases) {
        const sim::CaseOutcome first = played::play(scenario, spec);
        const sim::CaseOutcome second = play_again(scenario, spec);
        EXPECT_EQ(second.verdict, sim::Verdict::kDone) << second.failure;
        EXPECT_EQ(second.time_ps, first.time_ps) << spec.name << " on " << name << ", " << fidelity;
        EXPECT_EQ(second.bound_ps, first.bound_ps);
      }
    }
  }
}

}  // namespace
