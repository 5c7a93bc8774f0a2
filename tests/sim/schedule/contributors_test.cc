// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/contributors.h"

#include <gtest/gtest.h>

namespace sim {
namespace {

TEST(Contributors, EqualSetsHaveEqualNumbersHoweverTheyWereMerged) {
  Contributors sets(4);
  const auto low = sets.merged(sets.only(0), sets.only(1));
  const auto high = sets.merged(sets.only(3), sets.only(2));
  const auto odd = sets.merged(sets.only(1), sets.only(3));
  const auto even = sets.merged(sets.only(2), sets.only(0));
  ASSERT_TRUE(low && high && odd && even);
  EXPECT_NE(*low, *even);
  EXPECT_EQ(sets.merged(*low, *high), sets.all());
  EXPECT_EQ(sets.merged(*even, *odd), sets.all());
}

TEST(Contributors, SetsThatShareARankDoNotMerge) {
  Contributors sets(8);
  const auto pair = sets.merged(sets.only(2), sets.only(5));
  ASSERT_TRUE(pair);
  EXPECT_FALSE(sets.merged(*pair, sets.only(5)));
  EXPECT_FALSE(sets.merged(sets.only(2), *pair));
  EXPECT_FALSE(sets.merged(*pair, *pair));
  EXPECT_FALSE(sets.merged(sets.all(), *pair));
  EXPECT_TRUE(sets.merged(*pair, sets.only(3)));
}

TEST(Contributors, TextNamesRuns) {
  Contributors sets(9);
  const auto pair = sets.merged(sets.only(1), sets.only(2));
  const auto more = sets.merged(*pair, sets.only(7));
  EXPECT_EQ(sets.to_text(*more), "1..2, 7");
  EXPECT_EQ(sets.to_text(sets.all()), "0..8");
}

}  // namespace
}  // namespace sim
