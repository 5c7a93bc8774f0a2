// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/diagnostic.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace sim {
namespace {

std::string rendered(const std::string& text, const Diagnostic& diagnostic) {
  Diagnostics diagnostics("moe.yaml", text);
  diagnostics.add(diagnostic);
  return diagnostics.render();
}

std::string line_of(const std::string& text, int wanted) {
  std::istringstream stream(text);
  std::string line;
  for (int i = 0; i <= wanted; ++i) std::getline(stream, line);
  return line;
}

TEST(Render, ShowsPlaceLineCaretExpectedAndHint) {
  const std::string text = "cluster:\n  overrides:\n    rack_to_rak.bandwidth: 128 GB/s\n";
  EXPECT_EQ(rendered(text, {{3, 5},
                            "unknown key 'rack_to_rak.bandwidth' in cluster.overrides",
                            "a parameter of trn3-gen2",
                            "did you mean 'rack_to_rack.bandwidth'?"}),
            "moe.yaml:3:5: error: unknown key 'rack_to_rak.bandwidth' in cluster.overrides\n"
            "      rack_to_rak.bandwidth: 128 GB/s\n"
            "      ^\n"
            "  expected: a parameter of trn3-gen2\n"
            "  hint: did you mean 'rack_to_rack.bandwidth'?\n"
            "1 error\n");
}

TEST(Render, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(rendered("", {{0, 0}, "no such file"}), "moe.yaml: error: no such file\n1 error\n");
  EXPECT_EQ(rendered("a\n", {{7, 2}, "x"}), "moe.yaml:7:2: error: x\n1 error\n");
}

TEST(Render, SortsByPositionAndCounts) {
  Diagnostics diagnostics("f", "one\ntwo\n");
  diagnostics.add({{2, 1}, "later"});
  diagnostics.add({{1, 3}, "middle"});
  diagnostics.add({{1, 1}, "first"});
  diagnostics.add({{0, 0}, "whole"});
  EXPECT_EQ(diagnostics.render(),
            "f: error: whole\n"
            "f:1:1: error: first\n  one\n  ^\n"
            "f:1:3: error: middle\n  one\n    ^\n"
            "f:2:1: error: later\n  two\n  ^\n"
            "4 errors\n");
}

TEST(Render, KeepsFiftyAndCountsTheRest) {
  Diagnostics diagnostics("f", "");
  for (int i = 0; i < 53; ++i) diagnostics.add({{0, 0}, "fault"});
  EXPECT_EQ(diagnostics.count(), 53U);
  EXPECT_EQ(diagnostics.list().size(), Diagnostics::kMostShown);
  EXPECT_TRUE(diagnostics.render().ends_with("fault\n... and 3 more\n53 errors\n"));
}

TEST(Render, CountsColumnsInCharacters) {
  const std::string text = "f\u00fcr\u20ac: x\n";  // x is byte 10, character 7
  EXPECT_EQ(rendered(text, {{1, 10}, "bad"}),
            "moe.yaml:1:7: error: bad\n  f\u00fcr\u20ac: x\n        ^\n1 error\n");
}

TEST(Render, TabsAndControlCharactersDoNotMoveTheCaret) {
  EXPECT_EQ(rendered("\ta\x1b[31m: x\r\n", {{1, 10}, "bad\x07"}),
            "moe.yaml:1:10: error: bad?\n   a?[31m: x\n           ^\n1 error\n");
}

TEST(Render, StrayBytesAreShownAsQuestionMarks) {
  const std::string text = "a\xff\xc3: \xe2\x82";
  EXPECT_EQ(line_of(rendered(text, {{1, 1}, "bad"}), 1), "  a??: ??");
}

TEST(Render, AByteOrderMarkTakesNoColumn) {
  EXPECT_EQ(line_of(rendered("\xEF\xBB\xBFkey: 1\n", {{1, 6}, "bad"}), 2), "       ^");
}

TEST(Render, CutsLongLinesAroundTheCaret) {
  std::string text(5000, 'a');
  for (const std::size_t place : {0U, 1U, 60U, 2500U, 4930U, 4999U}) {
    text[place] = 'X';
    const std::string shown = rendered(text, {{1, static_cast<int>(place) + 1}, "bad"});
    const std::string line = line_of(shown, 1);
    const std::string caret = line_of(shown, 2);
    EXPECT_LE(line.size(), 100U);
    EXPECT_LE(caret.size(), 100U);
    ASSERT_LE(caret.size(), line.size());
    EXPECT_EQ(line[caret.size() - 1], 'X') << place;
    text[place] = 'a';
  }
}

TEST(Render, ACaretBeyondALongLineStaysWithinTheTerminal) {
  const std::string shown = rendered(std::string(300, 'a'), {{1, 301}, "bad"});
  EXPECT_LE(line_of(shown, 2).size(), 100U);
}

TEST(Render, CutsLongMessages) {
  EXPECT_LT(rendered("", {{0, 0}, std::string(100'000, 'a')}).size(), 500U);
}

TEST(Quoted, CutsAndCleansUserText) {
  EXPECT_EQ(sim::quoted("64KB"), "'64KB'");
  EXPECT_EQ(sim::quoted("a\nb"), "'a?b'");
  EXPECT_EQ(sim::quoted(std::string(1000, 'a')), "'" + std::string(57, 'a') + "...'");
}

TEST(Nearest, FindsInsertionsDeletionsSwapsAndOtherCase) {
  const std::vector<std::string> words = {"rack_to_rack.bandwidth", "rack.bandwidth", "wiring"};
  EXPECT_EQ(nearest("rack_to_rak.bandwidth", words), "rack_to_rack.bandwidth");
  EXPECT_EQ(nearest("rack-bandwidth", words), "rack.bandwidth");
  EXPECT_EQ(nearest("wirign", words), "wiring");
  EXPECT_EQ(nearest("WIRING", words), "wiring");
}

TEST(Nearest, SwapsCountOnce) {
  EXPECT_EQ(nearest("abdc", {"abcd"}), "abcd");  // bound 1: two substitutions would be too far
  EXPECT_EQ(nearest("abxy", {"abcd"}), "");
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("latency", {"bandwidth", "wiring"}), "");
  EXPECT_EQ(nearest("", {"a"}), "");
  EXPECT_EQ(nearest("ab", {"cd", "x"}), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), {"a"}), "");
}

TEST(Nearest, TakesTheFirstOfEquallyNearOnes) {
  EXPECT_EQ(nearest("rank", {"rack", "bank"}), "rack");
  EXPECT_EQ(nearest("rank", {"bank", "rack"}), "bank");
}

}  // namespace
}  // namespace sim
