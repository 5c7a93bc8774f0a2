// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/progress.h"

#include <gtest/gtest.h>

namespace scenarios {
namespace {

TEST(Progress, TellsCasePercentRateAndTimeLeft) {
  EXPECT_EQ(progress_line({2, 8, 42e6, 100e6}, 4.2),
            "case 3/8, 42 %, 10.0 M packet-hops/s, 6 s left");
}

TEST(Progress, TellsOnlyTheCaseWhileNothingIsKnown) {
  EXPECT_EQ(progress_line({0, 8, 0, 0}, 1), "case 1/8");
}

TEST(Progress, NeverPromisesMoreThanAll) {
  EXPECT_EQ(progress_line({8, 8, 120, 100}, 1), "case 8/8, 100 %, 0.0 M packet-hops/s, 0 s left");
}

}  // namespace
}  // namespace scenarios
