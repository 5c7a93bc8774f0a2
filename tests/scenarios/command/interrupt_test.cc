// SPDX-License-Identifier: GPL-2.0-only
// Long runs: Ctrl-C keeps what is finished, and two runs never share a folder.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/scenarios/command/binary.h"

namespace cli {
namespace {

using std::chrono::milliseconds;

// One short case, then one of some minutes.
std::string long_scenario() {
  const std::string path = fresh_folder("long.yaml");
  std::ofstream(path) << "scenario: long\n"
                         "cluster: {topology: star, overrides: {ends: 64}}\n"
                         "workload:\n"
                         "  - {collective: all_reduce, bytes: 64 KiB, algorithm: ring}\n"
                         "  - {collective: all_reduce, bytes: 32 GiB, algorithm: ring}\n";
  return path;
}

// Waits until the run has locked its folder, then long enough for the short case.
void let_it_run(const std::string& out) {
  for (int i = 0; i < 500 && !std::filesystem::exists(out + "/.ultrasim.lock"); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  std::this_thread::sleep_for(milliseconds(1'500));
}

void expect_short_case_kept(const std::string& jobs, int signal) {
  const std::string out = fresh_folder("interrupted");
  Process process("run " + long_scenario() + " --format json --jobs " + jobs + " --out " + out);
  let_it_run(out);
  process.signal(signal);
  const Finished run = process.wait();
  EXPECT_EQ(run.exit_code, 130) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict"), "interrupted");
  ASSERT_EQ(json.at("cases").size(), 1U);
  EXPECT_EQ(json.at("cases").at(0).at("bytes"), 65'536);
  EXPECT_EQ(json.at("cases_missing"), 1);
  EXPECT_EQ(json.at("missing").size(), 1U);
  EXPECT_EQ(run.out, text_of(out + "/results.json"));
}

TEST(Interrupt, KeepsFinishedCasesInOneProcess) { expect_short_case_kept("1", SIGINT); }

TEST(Interrupt, KeepsFinishedCasesOfWorkers) { expect_short_case_kept("2", SIGINT); }

TEST(Interrupt, ATermSignalIsTheSame) { expect_short_case_kept("2", SIGTERM); }

TEST(Interrupt, AClosedTerminalIsTheSame) { expect_short_case_kept("2", SIGHUP); }

TEST(TwoRuns, NeverShareAFolder) {
  const std::string out = fresh_folder("shared");
  const std::string scenario = long_scenario();
  Process first("run " + scenario + " --out " + out);
  let_it_run(out);
  const Finished second = ultrasim("run " + scenario + " --out " + out);
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_EQ(second.out, "");
  EXPECT_NE(second.err.find("another run (process "), std::string::npos) << second.err;
  EXPECT_NE(second.err.find("--out DIR"), std::string::npos);
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().exit_code, 130);
}

TEST(TwoRuns, AKilledRunLeavesNoLockBehind) {
  const std::string out = fresh_folder("killed");
  {
    Process first("run " + long_scenario() + " --out " + out);
    let_it_run(out);
    first.signal(SIGKILL);
    EXPECT_EQ(first.wait().exit_code, 128 + SIGKILL);
  }
  std::this_thread::sleep_for(milliseconds(300));  // its workers die with it
  const Finished second = ultrasim("run " + library("bench-ring-64-star") + " --out " + out);
  EXPECT_EQ(second.exit_code, 0) << second.err;
}

}  // namespace
}  // namespace cli
