// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/agreement.h"

#include <gtest/gtest.h>

namespace analysis {
namespace {

sim::CaseOutcome case_of(std::int64_t time_ps) {
  sim::CaseOutcome one;
  one.collective = "all_reduce";
  one.algorithm = "ring";
  one.ranks = 8;
  one.bytes = 1 << 20;
  one.time_ps = time_ps;
  one.breakdown.transmission_ps = time_ps;
  return one;
}

TEST(Agreement, DifferencesHaveTheirSign) {
  EXPECT_EQ(difference_figure(1'018'000, 1'000'000), "+1.80 %");
  EXPECT_EQ(difference_figure(900'000, 1'000'000), "-10.00 %");
  EXPECT_EQ(difference_figure(1'000'001, 1'000'000), "0.00 %");
}

TEST(Agreement, ReasonsFollowFromWhatDiffers) {
  sim::CaseOutcome packets = case_of(1'000'000);
  EXPECT_EQ(reason_of(packets, packets), "");
  EXPECT_EQ(reason_of(packets, case_of(1'000'100)), "rounding");
  EXPECT_EQ(reason_of(packets, case_of(900'000)), "header");  // bytes took longer as packets
  packets.breakdown = {};
  packets.breakdown.queueing_ps = 1'000'000;
  EXPECT_EQ(reason_of(packets, case_of(900'000)), "queueing");
  packets.levels.push_back({"sled link", 1, 1, 1'000'000, "sled link: sled switch(0) -> chip(0)"});
  EXPECT_EQ(reason_of(packets, case_of(900'000)), "incast");
  packets.packets_dropped = 1;
  EXPECT_EQ(reason_of(packets, case_of(900'000)), "loss");
}

TEST(Agreement, PageHasARowPerCaseAndASummaryPerLevel) {
  const Agreement agreement{
      "small",
      {"packet", "flow"},
      {{{case_of(1'000'000), case_of(1'018'000)}}, {{case_of(2'000'000), case_of(2'000'000)}}}};
  const std::string page = agreement_page(agreement);
  EXPECT_NE(page.find("+1.80 %"), std::string::npos) << page;
  EXPECT_NE(page.find("flow against packet: median 0.00 %, 95th percentile 1.80 %, largest 1.80 % "
                      "of 2 cases"),
            std::string::npos)
      << page;
}

TEST(Agreement, ACaseThatFailedIsNotCompared) {
  Agreement agreement{"small", {"packet", "flow"}, {{{case_of(1'000'000), case_of(0)}}}};
  agreement.cases[0].at[1].verdict = sim::Verdict::kFailed;
  EXPECT_NE(agreement_page(agreement).find("flow: nothing to compare"), std::string::npos);
}

}  // namespace
}  // namespace analysis
