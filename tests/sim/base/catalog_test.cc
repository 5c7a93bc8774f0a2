// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/catalog.h"

#include <gtest/gtest.h>

namespace sim {
namespace {

Catalog<int> two_entries() {
  return Catalog<int>({{"star", "one switch", {}, 1}, {"ring", "", {}, 2}});
}

TEST(Catalog, FindsAnEntryByItsWholeName) {
  const Catalog<int> catalog = two_entries();
  ASSERT_NE(catalog.find("ring"), nullptr);
  EXPECT_EQ(catalog.find("ring")->make, 2);
}

TEST(Catalog, DoesNotFindPartsOfNames) {
  const Catalog<int> catalog = two_entries();
  EXPECT_EQ(catalog.find("rin"), nullptr);
  EXPECT_EQ(catalog.find("rings"), nullptr);
  EXPECT_EQ(catalog.find(""), nullptr);
}

TEST(Catalog, KeepsTheOrderOfItsEntries) {
  EXPECT_EQ(two_entries().names(), (std::vector<std::string>{"star", "ring"}));
}

}  // namespace
}  // namespace sim
