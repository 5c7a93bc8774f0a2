// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/value.h"

#include <gtest/gtest.h>

namespace sim {
namespace {

TEST(Value, FindsTheFirstOfARepeatedKey) {
  Value map;
  map.kind = Value::Kind::kMap;
  map.entries = {{"a", {1, 1}, {}}, {"b", {2, 1}, {}}, {"b", {3, 1}, {}}};
  ASSERT_NE(map.find("b"), nullptr);
  EXPECT_EQ(map.find("b")->position.line, 2);
  EXPECT_EQ(map.find("c"), nullptr);
}

TEST(Value, KindsHaveNamesThatFitAMessage) {
  EXPECT_EQ(name_of(Value::Kind::kNull), "nothing");
  EXPECT_EQ(name_of(Value::Kind::kScalar), "text");
  EXPECT_EQ(name_of(Value::Kind::kList), "a list");
  EXPECT_EQ(name_of(Value::Kind::kMap), "a map");
}

}  // namespace
}  // namespace sim
