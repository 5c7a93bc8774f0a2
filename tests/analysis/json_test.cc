// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/results/codec.h"
#include "tests/analysis/sample.h"

namespace analysis {
namespace {

TEST(Json, TellsTheRangeOverSeedsWhyAutoChoseAndHowLateTheLastWas) {
  sim::Outcome outcome = sample_outcome();
  outcome.cases[0].seed_times_ps = {8'000'000, 7'000'000, 7'930'000};
  outcome.cases[0].choice = "direct: documented";
  outcome.cases[0].last_arrival_ps = 5;
  const nlohmann::json cases = nlohmann::json::parse(to_json(outcome)).at("cases");
  EXPECT_EQ(cases.at(0).at("seeds"),
            (nlohmann::json{{"count", 3},
                            {"min_ps", 7'000'000},
                            {"median_ps", 7'930'000},
                            {"max_ps", 8'000'000},
                            {"times_ps", {8'000'000, 7'000'000, 7'930'000}}}));
  EXPECT_EQ(cases.at(0).at("choice"), "direct: documented");
  EXPECT_EQ(cases.at(0).at("last_arrival_ps"), 5);
  EXPECT_FALSE(cases.at(1).contains("seeds"));
  EXPECT_FALSE(cases.at(1).contains("choice"));
}

TEST(Json, HoldsWhatScriptsAskFor) {
  const nlohmann::json json = nlohmann::json::parse(to_json(sample_outcome()));
  EXPECT_EQ(json.at("scenario"), "moe-overhead");
  EXPECT_EQ(json.at("verdict"), "done");
  EXPECT_EQ(json.at("fidelity"), "packet");
  ASSERT_EQ(json.at("cases").size(), 8U);
  const nlohmann::json& one = json.at("cases").at(0);
  EXPECT_EQ(one.at("case"), "all_reduce/8 chips, sled_first/direct");
  EXPECT_EQ(one.at("collective"), "all_reduce");
  EXPECT_EQ(one.at("algorithm"), "direct");
  EXPECT_EQ(one.at("ranks"), 8);
  EXPECT_EQ(one.at("bytes"), 65'536);
  EXPECT_EQ(one.at("time_ps"), 7'930'000);
  EXPECT_EQ(one.at("algorithm_bandwidth"), 8'264'312'736);
  EXPECT_EQ(one.at("bus_bandwidth"), 14'462'547'288);
  EXPECT_EQ(one.at("bound_share"), 0.25);
  EXPECT_EQ(one.at("packet_hops"), 448);
  EXPECT_EQ(one.at("bottleneck"), "endpoint cost");
  EXPECT_EQ(one.at("levels").at(0).at("busiest_share"), 0.31);
}

TEST(Json, IsTheSameFromAFileReadBack) {
  const sim::Outcome outcome = sample_outcome();
  const sim::Result<sim::Outcome> decoded = sim::decode_outcome(sim::encode(outcome));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(to_json(decoded.value()), to_json(outcome));
  EXPECT_EQ(manifest_json(decoded.value()), manifest_json(outcome));
}

TEST(Json, TextThatIsNotUtf8IsStillJson) {
  sim::Outcome outcome = sample_outcome();
  outcome.about.assign(3, '\xff');
  EXPECT_TRUE(nlohmann::json::accept(to_json(outcome)));
}

TEST(Manifest, NamesEveryParameterWithRangeGradeAndSource) {
  const nlohmann::json json = nlohmann::json::parse(manifest_json(sample_outcome()));
  EXPECT_EQ(json.at("input_hash"), "feedfacecafebeef");
  EXPECT_EQ(json.at("version"), "0.1.0");
  EXPECT_EQ(json.at("seed"), 1);
  ASSERT_EQ(json.at("parameters").size(), 6U);
  EXPECT_EQ(json.at("parameters").at(2), (nlohmann::json{{"name", "switch.latency"},
                                                         {"value", "150 ns"},
                                                         {"low", "100 ns"},
                                                         {"high", "300 ns"},
                                                         {"grade", "judged"},
                                                         {"source", "class of device"}}));
}

TEST(Stats, GiveRatesPerSecond) {
  const nlohmann::json json = nlohmann::json::parse(stats_json({2.0, 4.0, 1'000, 80, 2}));
  EXPECT_EQ(json.at("packet_hops_per_wall_second"), 40.0);
  EXPECT_EQ(json.at("packet_hops_per_cpu_second"), 20.0);
  EXPECT_EQ(json.at("peak_rss_bytes"), 1'000);
}

}  // namespace
}  // namespace analysis
