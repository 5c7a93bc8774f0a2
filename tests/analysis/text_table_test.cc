// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/text_table.h"

#include <gtest/gtest.h>

namespace analysis {
namespace {

TEST(TextTable, DecimalPointsStandBelowEachOther) {
  TextTable table({{"name"}, {"time", Align::kDecimal}, {"why"}});
  table.add_row({"a", "7.93 us", "x"});
  table.add_row({"bb", "402.31 us", "y"});
  table.add_row({"c", "1.00 s", "z"});
  EXPECT_EQ(table.lines("  "), (std::vector<std::string>{
                                   "  name       time  why",
                                   "  a       7.93 us  x",
                                   "  bb    402.31 us  y",
                                   "  c       1.00 s   z",
                               }));
}

TEST(TextTable, CutsTheLastColumnAtTheEdge) {
  TextTable table({{"name"}, {"why"}});
  table.add_row({"a", std::string(200, 'x')});
  const std::string line = table.lines("")[1];
  EXPECT_EQ(line.size(), kColumns);
  EXPECT_TRUE(line.ends_with("x..."));
}

TEST(TextTable, DoesNotCutATitleForItsPadding) {
  TextTable table({{"name"}, {"why"}});
  table.add_row({"a", std::string(200, 'x')});
  EXPECT_EQ(table.lines("")[0], "name  why");
}

TEST(Wrapped, BreaksAtSpacesWithinTheColumns) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "word ";
  const std::string result = wrapped(text, "", "  ");
  EXPECT_EQ(result.find('\n'), 99U);
  EXPECT_EQ(result.substr(99, 8), "\n  word ");
}

TEST(Wrapped, AWordLongerThanALineStandsAlone) {
  const std::string longest(120, 'x');
  EXPECT_EQ(wrapped("a " + longest + " b", "", ""), "a\n" + longest + "\nb\n");
}

TEST(Width, CountsLettersNotBytes) { EXPECT_EQ(width_of("µs"), 2U); }

}  // namespace
}  // namespace analysis
