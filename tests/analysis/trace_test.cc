// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/analysis/sample.h"

namespace analysis {
namespace {

using Json = nlohmann::json;

sim::Outcome recorded() {
  sim::Outcome outcome = sample_outcome();
  sim::Recording& kept = outcome.cases.front().recording;
  kept.ranks_recorded = 2;
  kept.spans = {{0, sim::SpanKind::kSend, 1, 4'096, 0, 1'000'001, 3'000'000},
                {0, sim::SpanKind::kSend, 2, 4'096, 0, 2'000'000, 4'000'000},
                {0, sim::SpanKind::kReduce, -1, 8'192, 3'000'000, 3'000'000, 3'500'000},
                {0, sim::SpanKind::kSend, 3, 4'096, 0, 3'000'000, 5'000'000},
                {1, sim::SpanKind::kCopy, -1, 1, 7, 7, 8}};
  kept.curves = {{"sled link", 2'000'000, {500'000'000, 1'000'000'000, 12'340'000}}};
  return outcome;
}

std::vector<Json> events_of(const sim::Outcome& outcome, const std::string& phase) {
  std::vector<Json> events;
  const Json trace = Json::parse(trace_of(outcome));
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) events.push_back(event);
  }
  return events;
}

TEST(Trace, TellsEverySpanWithItsExactTimes) {
  const std::vector<Json> spans = events_of(recorded(), "X");
  ASSERT_EQ(spans.size(), 6U);  // the collective, and five ops
  EXPECT_EQ(spans[0].at("dur"), 7.93);
  EXPECT_EQ(spans[0].at("args").at("algorithm"), "direct");
  EXPECT_EQ(spans[1].at("name"), "send to 1");
  EXPECT_EQ(spans[1].at("ts"), 1.000001);
  EXPECT_EQ(spans[1].at("args").at("begin_ps"), 1'000'001);
  EXPECT_EQ(spans[1].at("args").at("bytes"), 4'096);
}

TEST(Trace, SpansOfOneThreadNeverCross) {
  std::map<int, std::vector<std::pair<double, double>>> threads;
  for (const Json& span : events_of(recorded(), "X")) {
    const double begin = span.at("ts");
    threads[span.at("tid")].push_back({begin, begin + span.at("dur").get<double>()});
  }
  EXPECT_EQ(threads.size(), 5U);  // the whole; two of overlapping sends; reductions; copies
  for (auto& [thread, spans] : threads) {
    std::ranges::sort(spans);
    for (std::size_t i = 1; i < spans.size(); ++i) {
      EXPECT_LE(spans[i - 1].second, spans[i].first + 1e-9);
    }
  }
}

TEST(Trace, CountsHowBusyALevelIsAndEndsAtNought) {
  const std::vector<Json> counters = events_of(recorded(), "C");
  ASSERT_EQ(counters.size(), 4U);
  EXPECT_EQ(counters[0].at("name"), "sled link busy %");
  EXPECT_EQ(counters[0].at("args").at("percent"), 50.0);
  EXPECT_EQ(counters[2].at("args").at("percent"), 1.23);
  EXPECT_EQ(counters[3].at("ts"), 7.93);
  EXPECT_EQ(counters[3].at("args").at("percent"), 0.0);
}

TEST(Trace, OfNothingRecordedThereIsNone) { EXPECT_EQ(trace_of(sample_outcome()), ""); }

}  // namespace
}  // namespace analysis
