// SPDX-License-Identifier: GPL-2.0-only
// Recorded runs and their timelines, as a user makes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/results/codec.h"
#include "tests/scenarios/command/binary.h"

namespace cli {
namespace {

std::string scenario() {
  const std::string path = fresh_folder("traced.yaml");
  std::ofstream(path) << "scenario: traced\n"
                         "cluster: {ultraserver: trn3-gen2, wiring: full, ranks: chips}\n"
                         "workload:\n"
                         "  - {collective: all_reduce, bytes: 256 KiB, group: {chips: 8},\n"
                         "     algorithm: [direct, ring]}\n";
  return path;
}

sim::Outcome result_of(const std::string& folder) {
  sim::Result<sim::Outcome> outcome = sim::decode_outcome(text_of(folder + "/results.pb"));
  EXPECT_TRUE(outcome.ok());
  return std::move(outcome).value();
}

TEST(Record, ChangesNoFigure) {
  const std::string file = scenario();
  for (const std::string fidelity : {"packet", "flow", "analytic"}) {
    const std::string plain = fresh_folder("plain" + fidelity);
    const std::string kept = fresh_folder("kept" + fidelity);
    const std::string rest = " --quiet --set fidelity=" + fidelity + " --out ";
    ASSERT_EQ(ultrasim("run " + file + rest + plain).exit_code, 0);
    ASSERT_EQ(ultrasim("run " + file + " --record" + rest + kept).exit_code, 0);
    EXPECT_EQ(text_of(plain + "/results.json"), text_of(kept + "/results.json"));
    EXPECT_TRUE(result_of(plain).cases[0].recording.empty());
    EXPECT_FALSE(result_of(kept).cases[0].recording.empty());
  }
}

// Each byte sent is in the spans, in the traffic of its pair, and on the links it crossed.
TEST(Record, AccountsForEveryByte) {
  const std::string out = fresh_folder("bytes");
  ASSERT_EQ(ultrasim("run " + scenario() + " --record --quiet --out " + out).exit_code, 0);
  for (const sim::CaseOutcome& one : result_of(out).cases) {
    std::int64_t sent = 0;
    std::int64_t last = 0;
    for (const sim::Span& span : one.recording.spans) {
      EXPECT_LE(span.ready_ps, span.begin_ps);
      EXPECT_LE(span.begin_ps, span.end_ps);
      last = std::max(last, span.end_ps);
      if (span.kind == sim::SpanKind::kSend) sent += span.bytes;
    }
    EXPECT_EQ(last, one.time_ps);
    EXPECT_EQ(sent, 2 * 7 * one.bytes);  // 2 (n - 1) / n of the tensor from each of 8
    std::int64_t paired = 0;
    for (const sim::PairTraffic& pair : one.recording.traffic) paired += pair.bytes;
    EXPECT_EQ(paired, sent);
    for (const sim::LevelUse& level : one.levels) {
      std::int64_t carried = 0;
      for (const sim::LinkTraffic& link : one.recording.links) {
        if (link.level == level.name) carried += link.payload_bytes;
      }
      EXPECT_EQ(carried, level.payload_bytes) << level.name;
    }
  }
}

// A level's curve has as much busy time as its links together.
TEST(Record, CurvesHoldTheBusyTimeOfTheirLinks) {
  const std::string out = fresh_folder("curves");
  ASSERT_EQ(ultrasim("run " + scenario() + " --record --quiet --out " + out).exit_code, 0);
  for (const sim::CaseOutcome& one : result_of(out).cases) {
    ASSERT_FALSE(one.recording.curves.empty());
    for (const sim::LevelCurve& curve : one.recording.curves) {
      double links = 0;
      double busy = 0;
      for (const sim::LinkTraffic& link : one.recording.links) {
        if (link.level != curve.level) continue;
        ++links;
        busy += static_cast<double>(link.busy_ppb) * static_cast<double>(one.time_ps);
      }
      double drawn = 0;
      for (const std::int64_t share : curve.busy_ppb) {
        EXPECT_LE(share, 1'000'000'000);
        drawn += static_cast<double>(share) * static_cast<double>(curve.period_ps) * links;
      }
      EXPECT_NEAR(drawn / busy, 1, 1e-3) << one.name << " " << curve.level;
    }
  }
}

TEST(Trace, OfAScenarioAndOfARecordedRunAreTheSame) {
  const std::string out = fresh_folder("recorded");
  const std::string file = scenario();
  ASSERT_EQ(ultrasim("run " + file + " --record --quiet --out " + out).exit_code, 0);
  const Finished of_run = ultrasim("trace " + out + " --case ring");
  EXPECT_EQ(of_run.exit_code, 0) << of_run.err;
  const std::string other = fresh_folder("other.json");
  ASSERT_EQ(ultrasim("trace " + file + " --case ring --quiet --jobs 1 --out " + other).exit_code,
            0);
  EXPECT_EQ(text_of(out + "/trace.json"), text_of(other));
  const nlohmann::json trace = nlohmann::json::parse(text_of(other));
  EXPECT_GT(trace.at("traceEvents").size(), 200U);
}

TEST(Trace, IsBoundedByWholeRanks) {
  const std::string path = fresh_folder("few.json");
  ASSERT_EQ(
      ultrasim("trace " + scenario() + " --case direct --spans 60 --quiet --out " + path).exit_code,
      0);
  std::map<std::string, int> spans;
  const nlohmann::json trace = nlohmann::json::parse(text_of(path));
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") ++spans[event.at("cat")];
  }
  EXPECT_EQ(spans["sends"], 2 * 14);  // two ranks of eight, 14 sends each
}

TEST(Trace, OfARecordedRunIsBoundedToo) {
  const std::string out = fresh_folder("cut");
  ASSERT_EQ(ultrasim("run " + scenario() + " --record --quiet --out " + out).exit_code, 0);
  ASSERT_EQ(ultrasim("trace " + out + " --case direct --spans 60").exit_code, 0);
  int sends = 0;
  const nlohmann::json trace = nlohmann::json::parse(text_of(out + "/trace.json"));
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("cat") == "sends") ++sends;
  }
  EXPECT_EQ(sends, 2 * 14);
  EXPECT_NE(ultrasim("trace " + out + " --case nil").err.find("no case has 'nil'"),
            std::string::npos);
}

// What stands where the file should go is not replaced by it.
TEST(Trace, LeavesDevicesLinksAndResultsAsTheyAre) {
  const std::string out = fresh_folder("kept");
  ASSERT_EQ(ultrasim("run " + scenario() + " --record --quiet --out " + out).exit_code, 0);
  const std::string target = fresh_folder("target.json");
  const std::string link = fresh_folder("link.json");
  std::ofstream(target) << "old";
  std::filesystem::create_symlink(target, link);
  EXPECT_EQ(ultrasim("trace " + out + " --out " + link).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(nlohmann::json::accept(text_of(target)));
  EXPECT_EQ(ultrasim("report " + out + " --format json --out " + out + "/results.pb").exit_code, 2);
  EXPECT_EQ(ultrasim("report " + out).exit_code, 0);
  EXPECT_EQ(ultrasim("report " + out + " --out ''").exit_code, 2);
  EXPECT_EQ(ultrasim("trace " + out + " --out /dev/null").exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(ultrasim("trace " + out + " --out /dev/full").exit_code, 2);
}

TEST(Trace, FaultsAreTold) {
  const std::string out = fresh_folder("unrecorded");
  ASSERT_EQ(ultrasim("run " + scenario() + " --quiet --out " + out).exit_code, 0);
  EXPECT_NE(ultrasim("trace " + out).err.find("--record"), std::string::npos);
  EXPECT_EQ(ultrasim("trace " + out).exit_code, 2);
  EXPECT_NE(ultrasim("trace " + scenario() + " --case nil").err.find("case names are like"),
            std::string::npos);
  EXPECT_EQ(ultrasim("trace /none").exit_code, 2);
  EXPECT_EQ(ultrasim("trace " + scenario() + " --quiet --out /proc/none/t.json").exit_code, 2);
}

}  // namespace
}  // namespace cli
