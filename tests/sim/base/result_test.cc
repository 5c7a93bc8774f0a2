// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace sim {
namespace {

TEST(Result, HoldsAValue) {
  const Result<int> result = 7;
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.value(), 7);
}

TEST(Result, HoldsAFailure) {
  const Result<int> result = Failure{"no such group", "use 8"};
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.failure().what, "no such group");
  EXPECT_EQ(result.failure().hint, "use 8");
}

TEST(Result, GivesUpAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(ResultDeathTest, ReadingWhatIsNotThereIsAProgrammersFault) {
  const Result<int> failed = Failure{"no", ""};
  const Result<int> fine = 1;
  EXPECT_DEATH(static_cast<void>(failed.value()), "CHECK");
  EXPECT_DEATH(static_cast<void>(fine.failure()), "CHECK");
}

}  // namespace
}  // namespace sim
