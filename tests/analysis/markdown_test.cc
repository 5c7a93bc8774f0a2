// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/markdown.h"

#include <gtest/gtest.h>

#include "tests/analysis/sample.h"

namespace analysis {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Markdown, HoldsTheAnswerAndATableForEachBlock) {
  const std::string page = markdown_page(sample_outcome());
  for (const char* part :
       {"## moe-overhead\n", "Fastest all-reduce", "### all\\_reduce over 8 chips, sled\\_first\n",
        "| 64 KiB | direct | 7.93 us |", "### Left out\n"}) {
    EXPECT_TRUE(has(page, part)) << part << "\n" << page;
  }
}

TEST(Markdown, EveryRowHasAsManyCellsAsItsHead) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases[0].verdict = sim::Verdict::kFailed;
  outcome.cases[0].failure = "a | b\nc";
  outcome.cases[1].bottleneck = "x | y";
  std::size_t rows = 0;
  const std::string page = markdown_page(outcome);
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = page.find('\n', at);
    const std::string line = page.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("|")) continue;
    ++rows;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
    }
    EXPECT_EQ(bars, 8U) << line;
  }
  EXPECT_GT(rows, outcome.cases.size());
}

}  // namespace
}  // namespace analysis
