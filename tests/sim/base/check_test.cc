// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/check.h"

#include <gtest/gtest.h>

namespace {

TEST(CheckDeathTest, AFalseConditionAbortsWithItsTextAndPlace) {
  const int bytes_in = 3;
  const int bytes_out = 2;
  EXPECT_DEATH(CHECK(bytes_in == bytes_out), "check_test.cc:.*CHECK\\(bytes_in == bytes_out\\)");
}

TEST(Check, ATrueConditionIsEvaluatedOnceAndGoesOn) {
  int evaluated = 0;
  CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
