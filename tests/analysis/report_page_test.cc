// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/report_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/json.h"
#include "tests/analysis/sample.h"

namespace analysis {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t from = text.find(start) + start.size();
  return text.substr(from, text.find(end, from) - from);
}

TEST(ReportPage, CarriesTheSameFiguresAsTheJson) {
  const sim::Outcome outcome = sample_outcome();
  const std::string page = report_page(outcome);
  const std::string carried = between(page, "id=\"outcome\">", "</script>");
  EXPECT_EQ(nlohmann::json::parse(carried), nlohmann::json::parse(to_json(outcome)));
  EXPECT_EQ(page, report_page(outcome));
}

TEST(ReportPage, IsSmallAndAsksForNothing) {
  const std::string page = report_page(sample_outcome());
  EXPECT_LT(page.size(), 3'000'000U);
  for (const char* part : {" src=", "@import", "url(", "<link rel=\"stylesheet\""}) {
    EXPECT_FALSE(has(page.substr(0, page.find("<script>")), part)) << part;
  }
}

TEST(ReportPage, ReadsWithoutItsScript) {
  const std::string page = report_page(sample_outcome());
  const std::string still = page.substr(0, page.find("<script"));
  for (const char* part : {"Fastest all-reduce", "7.93 us", "97 % busy", "endpoint.per_transfer",
                           "class=\"badge judged\"", "no refresh of memory", "lang=\"en\"",
                           "data-block=\"all_reduce over 8 chips, sled_first\""}) {
    EXPECT_TRUE(has(still, part)) << part;
  }
}

TEST(ReportPage, TextsOfUsersStayTexts) {
  sim::Outcome outcome = sample_outcome();
  outcome.about = "a <script>alert(1)</script> & \"b\"";
  outcome.echo = "about: </pre></script>\n";
  const std::string page = report_page(outcome);
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_TRUE(has(page, "a &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;b&quot;"));
  EXPECT_FALSE(has(page, "</pre></script>"));
}

TEST(ReportPage, UnfinishedCasesSaySo) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases[0].verdict = sim::Verdict::kFailed;
  outcome.cases[0].failure = "out of <memory>";
  EXPECT_TRUE(has(report_page(outcome), "<td>failed: out of &lt;memory&gt;</td>"));
}

}  // namespace
}  // namespace analysis
