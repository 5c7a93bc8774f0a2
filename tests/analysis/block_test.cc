// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/block.h"

#include <gtest/gtest.h>

#include "tests/analysis/sample.h"

namespace analysis {
namespace {

TEST(Blocks, GatherOneCollectiveOverOneGroupInOrderOfSize) {
  const sim::Outcome outcome = sample_outcome();
  const std::vector<Block> blocks = blocks_of(outcome);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].cases.size(), 6U);
  EXPECT_EQ(blocks[0].cases[1]->algorithm, "ring");
  EXPECT_EQ(blocks[0].cases[1]->bytes, 65'536);
  EXPECT_EQ(blocks[1].group, "72 chips, rack_first");
  EXPECT_EQ(blocks[2].group, "144 chips");
}

TEST(Blocks, CasesThatDidNotFinishAreNeverFastest) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases[0].verdict = sim::Verdict::kStalled;
  outcome.cases[0].time_ps = 1;
  const std::vector<Block> blocks = blocks_of(outcome);
  EXPECT_EQ(blocks[0].fastest(65'536)->algorithm, "ring");
  EXPECT_EQ(blocks[0].fastest(123), nullptr);
}

TEST(Blocks, OfEqualTimesTheFirstIsFastest) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases[3].time_ps = outcome.cases[0].time_ps;
  const std::vector<Block> blocks = blocks_of(outcome);
  EXPECT_EQ(blocks[0].fastest(65'536)->algorithm, "direct");
}

TEST(Groups, ShortNamesDropTheSpan) {
  EXPECT_EQ(short_group("8 chips, sled_first"), "8 chips");
  EXPECT_EQ(short_group("8 chips"), "8 chips");
}

}  // namespace
}  // namespace analysis
