// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/figures.h"

#include <gtest/gtest.h>

namespace analysis {
namespace {

TEST(Figures, TimesKeepTwoDecimalsAndChooseTheirUnit) {
  EXPECT_EQ(time_figure(0), "0.00 ns");
  EXPECT_EQ(time_figure(7'930'000), "7.93 us");
  EXPECT_EQ(time_figure(402'310'000), "402.31 us");
  EXPECT_EQ(time_figure(1'000'000'000'000), "1.00 s");
}

TEST(Figures, RoundingNeverShowsAThousandOfAUnit) {
  EXPECT_EQ(time_figure(999'994'000), "999.99 us");
  EXPECT_EQ(time_figure(999'996'000), "1.00 ms");
  EXPECT_EQ(rate_figure(999'960'000), "1.0 GB/s");
  EXPECT_EQ(count_figure(999'960), "1.0 M");
}

TEST(Figures, RatesCountInPowersOfTen) {
  EXPECT_EQ(rate_figure(163'800'000'000), "163.8 GB/s");
  EXPECT_EQ(rate_figure(0), "0.0 kB/s");
}

TEST(Figures, SmallCountsStayWhole) {
  EXPECT_EQ(count_figure(999), "999");
  EXPECT_EQ(count_figure(22'400'000), "22.4 M");
}

TEST(Figures, SharesArePercent) {
  EXPECT_EQ(share_figure(0), "0.0 %");
  EXPECT_EQ(share_figure(970'600'000), "97.1 %");
}

TEST(Words, ListsReadLikeEnglish) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Words, CountsAgreeWithTheirNoun) {
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(2, "case"), "2 cases");
}

}  // namespace
}  // namespace analysis
