// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/csv.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/results/codec.h"
#include "tests/analysis/sample.h"

namespace analysis {
namespace {

TEST(Csv, HasUnitsInItsHeaderAndALinePerCase) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(1);
  EXPECT_EQ(to_csv(outcome),
            "case,verdict,collective,algorithm,group,ranks,bytes,time_ps,"
            "algorithm_bandwidth_bytes_per_s,bus_bandwidth_bytes_per_s,bound_ps,bound_share,bound,"
            "bottleneck,transfers,packets,packet_hops,packets_dropped,packets_resent,launch_ps,"
            "endpoint_ps,latency_ps,transmission_ps,queueing_ps,compute_ps,repair_ps,late_ps,last_"
            "arrival_ps,"
            "seeds,time_min_ps,time_max_ps,sled_link_payload_bytes,"
            "sled_link_busiest_share,choice,waiting,failure,fingerprint\n"
            "\"all_reduce/8 chips, sled_first/direct\",done,all_reduce,direct,"
            "\"8 chips, sled_first\",8,65536,7930000,8264312736,14462547288,1982500,0.25,"
            "sled: 512 GB/s per chip,endpoint cost,56,224,448,0,0,793000,7137000,0,0,0,0,0,0,0,"
            "1,7930000,7930000,65536,0.31,,,,0123456789abcdef\n");
}

TEST(Csv, GivesTheRangeOverSeedsAndTheReasonOfAuto) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(1);
  outcome.cases[0].seed_times_ps = {8'000'000, 7'000'000, 7'930'000};
  outcome.cases[0].choice = "direct up to 1 MB: documented";
  const std::string text = to_csv(outcome);
  EXPECT_NE(text.find(",3,7000000,8000000,65536,"), std::string::npos) << text;
  EXPECT_NE(text.find(",direct up to 1 MB: documented,"), std::string::npos) << text;
}

TEST(Csv, IsTheSameFromAFileReadBack) {
  const sim::Outcome outcome = sample_outcome();
  const sim::Result<sim::Outcome> decoded = sim::decode_outcome(sim::encode(outcome));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(to_csv(decoded.value()), to_csv(outcome));
}

TEST(Csv, GivesEveryLineTheSameNumberOfColumns) {
  sim::Outcome outcome = sample_outcome();
  for (sim::CaseOutcome& one : outcome.cases) {
    one.name = "plain";
    one.group = "8 chips";
    one.bottleneck = "link";
  }
  const std::string text = to_csv(outcome);
  EXPECT_EQ(std::ranges::count(text, '\n'), 9);
  EXPECT_EQ(std::ranges::count(text, ',') % 9, 0);
}

TEST(Csv, QuotesQuotationMarks) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases.resize(1);
  outcome.cases[0].failure = "a \"b\"\nc";
  EXPECT_NE(to_csv(outcome).find("\"a \"\"b\"\"\nc\""), std::string::npos);
}

}  // namespace
}  // namespace analysis
