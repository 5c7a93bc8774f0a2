// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

namespace sim {
namespace {

TEST(Random, EqualSeedAndPurposeGiveTheSameNumbers) {
  Random a(1, "loss");
  Random b(1, "loss");
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a.next(), b.next());
}

TEST(Random, AnotherSeedOrPurposeGivesAnotherStream) {
  const std::uint64_t first = Random(1, "loss").next();
  EXPECT_NE(first, Random(2, "loss").next());
  EXPECT_NE(first, Random(1, "paths").next());
  EXPECT_NE(Random(1, "a").next(), Random(1, "aa").next());
  EXPECT_NE(Random(1, "").next(), Random(0, "").next());
}

// Written down once: results of runs with loss depend on it.
TEST(Random, TheStreamNeverChanges) {
  Random random(1, "loss");
  EXPECT_EQ(random.next(), 3848836279816552799U);
  EXPECT_EQ(random.next(), 12892949028922151974U);
}

TEST(Random, BelowIsUniformWithinFiveSigma) {
  Random random(7, "test");
  std::array<int, 6> seen{};
  constexpr int kDraws = 600'000;
  for (int i = 0; i < kDraws; ++i) ++seen[random.below(6)];
  for (const int count : seen) EXPECT_NEAR(count, kDraws / 6, 5 * 289);  // sigma = 289
}

TEST(Random, BelowStaysInsideBoundsOfEverySize) {
  Random random(7, "test");
  for (std::uint64_t bound = 1; bound < std::numeric_limits<std::uint64_t>::max() / 3; bound *= 3) {
    for (int i = 0; i < 20; ++i) ASSERT_LT(random.below(bound), bound);
  }
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, OneInHitsItsShare) {
  Random random(7, "test");
  int hits = 0;
  for (int i = 0; i < 1'000'000; ++i) hits += random.one_in(10'000'000) ? 1 : 0;  // 1 %
  EXPECT_NEAR(hits, 10'000, 500);                                                 // sigma = 99.5
  EXPECT_FALSE(random.one_in(0));
  EXPECT_TRUE(random.one_in(1'000'000'000));
}

TEST(RandomDeathTest, ABoundOfZeroIsAProgrammersFault) {
  Random random(1, "test");
  EXPECT_DEATH(random.below(0), "bound > 0");
}

}  // namespace
}  // namespace sim
