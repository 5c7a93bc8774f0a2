// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/flat.h"

#include <gtest/gtest.h>

namespace collectives {
namespace {

std::vector<std::uint32_t> listed(const sim::Blocks& blocks) {
  std::vector<std::uint32_t> list;
  blocks.for_each([&](std::uint32_t block) { list.push_back(block); });
  return list;
}

using List = std::vector<std::uint32_t>;

TEST(Parts, RangesOfSideBySidePartsAreOneRun) {
  const Parts parts{{10, 2, 2, 1}, 2};
  EXPECT_EQ(listed(parts.part(1)), (List{12, 13}));
  EXPECT_EQ(listed(parts.range(1, 2)), (List{12, 13, 14, 15}));
}

TEST(Parts, RangesOfSpreadPartsAreStrided) {
  const Parts parts{{1, 1, 1, 1}, 4};
  EXPECT_EQ(listed(parts.range(1, 3)), (List{5, 9, 13}));
}

TEST(Parts, RangesOfRepeatedPartsKeepTheirRepeats) {
  const Parts parts{{0, 1, 4, 3}, 1};
  EXPECT_EQ(listed(parts.part(2)), (List{2, 6, 10}));
  EXPECT_EQ(listed(parts.range(2, 2)), (List{2, 3, 6, 7, 10, 11}));
}

TEST(Parts, WithBitTakesEveryOtherPowerOfTwo) {
  EXPECT_EQ(listed(Parts{}.with_bit(0, true, 8)), (List{1, 3, 5, 7}));
  EXPECT_EQ(listed(Parts{}.with_bit(1, false, 8)), (List{0, 1, 4, 5}));
  EXPECT_EQ(listed(Parts{{0, 1, 4, 2}, 1}.with_bit(0, true, 4)), (List{1, 3, 5, 7}));
}

TEST(PartsDeathTest, PartsThatFormNoStridedSetAreAFault) {
  const Parts spread{{0, 1, 8, 2}, 2};
  EXPECT_DEATH(static_cast<void>(spread.range(0, 2)), "step == zero.run");
}

TEST(Group, CountsAround) {
  const Group group{5, 3, 10, 4};
  EXPECT_EQ(group.after(group.me, 3), 1U);
  EXPECT_EQ(group.before(group.me, 5), 3U);
  EXPECT_EQ(group.rank(2), 18U);
}

TEST(Padded, IsTheNextMultipleOfTheRanks) {
  EXPECT_EQ(padded(sim::Bytes(0), 8), sim::Bytes(0));
  EXPECT_EQ(padded(sim::Bytes(1), 8), sim::Bytes(8));
  EXPECT_EQ(padded(sim::Bytes(16), 8), sim::Bytes(16));
}

}  // namespace
}  // namespace collectives
