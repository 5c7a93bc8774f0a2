// SPDX-License-Identifier: GPL-2.0-only
// what-if, bottleneck, range, compare and sweep, as a user runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/scenarios/command/binary.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

std::string scenario(const std::string& rest) {
  const std::string path = fresh_folder("study.yaml");
  std::ofstream(path) << "scenario: study\n"
                         "cluster: {topology: star, overrides: {ends: 8}}\n"
                         "workload:\n"
                         "  - {collective: all_reduce, bytes: 1 MiB, algorithm: ring}\n"
                      << rest;
  return path;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WhatIf, HoldsChangesAgainstTheBase) {
  const std::string file =
      scenario("what_if:\n  - {name: direct instead, set: {workload.0.algorithm: direct}}\n");
  const Finished run = ultrasim("what-if " + file + " --change 'link.bandwidth=10 GB/s' --quiet");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "direct instead")) << run.out;
  EXPECT_TRUE(has(run.out, "link.bandwidth=10 GB/s")) << run.out;
  EXPECT_EQ(run.out, ultrasim("what-if " + file +
                              " --change 'link.bandwidth=10 GB/s' --quiet "
                              "--jobs 1")
                         .out);
}

TEST(WhatIf, WrongChangesAreFaultsBeforeAnythingRuns) {
  const Finished run = ultrasim("what-if " + scenario("") + " --change link.bandwith=1");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(has(run.err, "did you mean 'link.bandwidth'?")) << run.err;
  EXPECT_EQ(ultrasim("what-if " + scenario("")).exit_code, 2);
  EXPECT_EQ(ultrasim("what-if " + scenario("") + " --change nonsense").exit_code, 2);
}

// Ranks that keep everything: there is nothing to wait for, on any level.
TEST(Run, APermutationOfEachOntoItselfTakesNoTime) {
  const std::string path = fresh_folder("self.yaml");
  std::ofstream(path) << "scenario: self\ncluster: {topology: star, overrides: {ends: 4}}\n"
                         "workload: [{collective: permute, bytes: 1 KiB, algorithm: direct, "
                         "targets: [0, 1, 2, 3]}]\n";
  for (const std::string level : {"packet", "flow", "analytic"}) {
    const Finished run = ultrasim("run " + path + " --quiet --format csv --set fidelity=" + level +
                                  " --out " + fresh_folder("self" + level));
    EXPECT_EQ(run.exit_code, 0) << level << run.err;
  }
}

TEST(Set, AWholeDoesNotUndoItsParts) {
  const Finished run = ultrasim("run " + scenario("") +
                                " --set cluster.overrides.ends=4 --set cluster.overrides='{}'");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(has(run.err, "would undo 'cluster.overrides.ends'")) << run.err;
}

TEST(Validate, LooksIntoWhatIfAndSweep) {
  const std::string what_if =
      scenario("what_if:\n  - {name: faster, set: {link.bandwith: 10 GB/s}}\n");
  const Finished one = ultrasim("validate " + what_if);
  EXPECT_EQ(one.exit_code, 2) << one.out;
  EXPECT_TRUE(has(one.err, "link.bandwith")) << one.err;
  const Finished other = ultrasim("validate " + scenario("sweep: {foo.bar: [1, 2]}\n"));
  EXPECT_EQ(other.exit_code, 2) << other.out;
  EXPECT_EQ(ultrasim("validate " + scenario("sweep: {link.latency: [1 us, 2 us]}\n")).exit_code, 0);
}

// Inputs that all lie at their better (worse) ends give a time outside what single changes give.
TEST(Range, ReachesTheCorners) {
  const std::string text =
      "scenario: corners\ncluster: {ultraserver: trn3-gen2, ranks: chips}\n"
      "workload:\n  - {collective: all_reduce, bytes: 1 MiB, group: {chips: 4}, algorithm: "
      "direct}\n";
  const std::string path = fresh_folder("corners.yaml");
  std::ofstream(path) << text;
  const Finished run = ultrasim("run " + path + " --range --samples 0 --quiet --format csv");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "every input at its faster end")) << run.out;
  EXPECT_TRUE(has(run.out, "every input at its slower end")) << run.out;
  EXPECT_EQ(ultrasim("run " + path + " --range --out /tmp/nowhere").exit_code, 2);
}

TEST(ModelScenarios, AreToldApartWhereOnlyCollectivesAreTaken) {
  const std::string path = fresh_folder("model.yaml");
  std::ofstream(path) << "scenario: moe\ncluster: {ultraserver: trn3-gen2}\n"
                         "model: {preset: gpt-oss-120b}\n"
                         "layout: {tensor_parallel_degree: 4, expert_parallel_degree: 16, "
                         "global_batch_size: 288, seq_len: 4096}\n";
  const std::string out = fresh_folder("model");
  ASSERT_EQ(ultrasim("run " + path + " --out " + out).exit_code, 0);
  for (const std::string& command :
       {"report " + out, "compare " + out + " " + out, "trace " + out, "bottleneck " + path,
        "what-if " + path + " --change seed=2", "run " + path + " --range",
        "run " + path + " --record --out " + out}) {
    const Finished run = ultrasim(command);
    EXPECT_EQ(run.exit_code, 2) << command;
    EXPECT_TRUE(has(run.err, "model")) << command << "\n" << run.err;
    EXPECT_FALSE(has(run.err, "unknown key")) << command << "\n" << run.err;
  }
  EXPECT_EQ(ultrasim("trace " + path + " --out " + out + "/t.json").exit_code, 0);
}

TEST(Help, NamesScenariosThatExist) {
  std::string manual = ultrasim("man").out;
  std::erase(manual, '\\');  // roff writes a dash as \-
  std::size_t named = 0;
  for (std::size_t at = manual.find("scenarios/"); at != std::string::npos;
       at = manual.find("scenarios/", at + 1)) {
    const std::string path = manual.substr(at, manual.find(".yaml", at) + 5 - at);
    ++named;
    EXPECT_TRUE(fs::exists(fs::path(library("x")).parent_path().parent_path().parent_path() / path))
        << path;
  }
  EXPECT_GT(named, 1U);
}

TEST(Bottleneck, FindsTheRateThatBinds) {
  const Finished run = ultrasim("bottleneck " + scenario("") +
                                " --quiet --set workload.0.bytes='64 MiB' --set fidelity=flow");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::size_t rate = run.out.find("link.bandwidth");
  EXPECT_NE(rate, std::string::npos) << run.out;
  EXPECT_LT(rate, run.out.find("link.latency")) << run.out;
}

TEST(Range, GivesAnIntervalForEachAnswer) {
  const std::string file = fresh_folder("range.yaml");
  std::ofstream(file)
      << "scenario: range\n"
         "cluster: {ultraserver: trn3-gen2}\n"
         "workload:\n"
         "  - {collective: all_reduce, group: {chips: 4}, bytes: 64 KiB, algorithm: "
         "direct}\n";
  const Finished run = ultrasim("run " + file + " --range --samples 4 --quiet");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "least")) << run.out;
  EXPECT_TRUE(has(run.out, "endpoint.")) << run.out;
  EXPECT_EQ(run.out, ultrasim("run " + file + " --range --samples 4 --quiet --jobs 1").out);
  const std::string csv = "run " + file + " --range --samples 4 --quiet --format csv";
  EXPECT_NE(ultrasim(csv).out, ultrasim(csv + " --set seed=2").out);
}

TEST(Compare, SaysWhatChangedInInputAndOutput) {
  const std::string file = scenario("");
  const std::string a = fresh_folder("a");
  const std::string b = fresh_folder("b");
  ASSERT_EQ(ultrasim("run " + file + " --quiet --out " + a).exit_code, 0);
  ASSERT_EQ(ultrasim("run " + file + " --quiet --set link.bandwidth='1 GB/s' --out " + b).exit_code,
            0);
  const Finished run = ultrasim("compare " + a + " " + b + "/results.pb");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "link.bandwidth")) << run.out;
  EXPECT_TRUE(has(run.out, "large")) << run.out;
  EXPECT_TRUE(has(ultrasim("compare " + a + " " + a).out, "1 equal"));
  std::ofstream(b + "/results.pb") << "damaged";
  EXPECT_EQ(ultrasim("compare " + a + " " + b).exit_code, 2);
  EXPECT_EQ(ultrasim("compare " + a + " /none").exit_code, 2);
}

TEST(Report, WritesOnePage) {
  const std::string out = fresh_folder("report");
  ASSERT_EQ(ultrasim("run " + scenario("") + " --quiet --out " + out).exit_code, 0);
  const Finished report = ultrasim("report " + out);
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(report.out, "Page: " + out + "/report.html\n");
  const std::string page = text_of(out + "/report.html");
  EXPECT_TRUE(has(page, "<h1>study</h1>"));
  EXPECT_LT(page.size(), 3'000'000U);
  EXPECT_EQ(ultrasim("report " + out + " --out /none/a.html").exit_code, 2);
  EXPECT_EQ(ultrasim("report /none").exit_code, 2);
  EXPECT_EQ(ultrasim("report " + out + " --format markdown").out, "Page: " + out + "/report.md\n");
  EXPECT_TRUE(has(text_of(out + "/report.md"), "| 1 MiB | ring |"));
  ASSERT_EQ(ultrasim("report " + out + " --format csv").exit_code, 0);
  EXPECT_EQ(text_of(out + "/report.csv"), text_of(out + "/results.csv"));
  ASSERT_EQ(ultrasim("report " + out + " --format json").exit_code, 0);
  EXPECT_EQ(text_of(out + "/report.json"), text_of(out + "/results.json"));
}

// In a real browser: every chart is drawn, and nothing is said on the console.
TEST(Report, DrawsItsChartsInChromium) {
  if (std::system("command -v chromium >/dev/null") != 0) GTEST_SKIP() << "no chromium here";
  const std::string out = fresh_folder("browser");
  const std::string sizes = " --set workload.0.bytes='[64 KiB, 1 MiB]'";
  ASSERT_EQ(ultrasim("run " + scenario("") + sizes + " --quiet --out " + out).exit_code, 0);
  ASSERT_EQ(ultrasim("report " + out).exit_code, 0);
  const std::string command =
      "timeout 120 chromium --headless --no-sandbox --disable-gpu "
      "--enable-logging=stderr --virtual-time-budget=5000 --dump-dom file://" +
      out + "/report.html >" + out + "/dom 2>" + out + "/log </dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << text_of(out + "/log");
  const std::string page = text_of(out + "/dom");
  EXPECT_TRUE(has(page, "data-drawn=\"3\"")) << page.substr(0, 300);
  EXPECT_TRUE(has(page, "bus bandwidth, GB/s"));
  EXPECT_TRUE(has(page, "aria-label=\"Use of the links"));
  EXPECT_FALSE(has(text_of(out + "/log"), ":CONSOLE")) << text_of(out + "/log");
}

// As a reader would use it: tips, the other theme, names and contrast for everybody.
TEST(Report, IsUsableByEverybodyWithEveryChart) {
  if (std::system("command -v chromium >/dev/null") != 0) GTEST_SKIP() << "no chromium here";
  const std::string out = fresh_folder("usable");
  const std::string sizes = " --set workload.0.bytes='[64 KiB, 1 MiB]'";
  ASSERT_EQ(ultrasim("run " + scenario("") + sizes + " --record --quiet --out " + out).exit_code,
            0);
  ASSERT_EQ(ultrasim("report " + out).exit_code, 0);
  EXPECT_LT(text_of(out + "/report.html").size(), 3'000'000U);
  std::ofstream(out + "/report.html", std::ios::app)
      << "<script>" << text_of(ULTRASIM_PAGE_CHECKS) << "</script>\n";
  const std::string command =
      "timeout 120 chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr "
      "--window-size=1200,900 --virtual-time-budget=8000 --dump-dom file://" +
      out + "/report.html >" + out + "/dom 2>" + out + "/log </dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << text_of(out + "/log");
  const std::string page = text_of(out + "/dom");
  EXPECT_TRUE(has(page, "data-drawn=\"6\"")) << page.substr(0, 300);  // 3, and 3 of the longest
  EXPECT_TRUE(has(page, "data-checks=\"[]\"")) << page.substr(0, 2'000);
  EXPECT_FALSE(has(text_of(out + "/log"), ":CONSOLE")) << text_of(out + "/log");
}

TEST(Help, CompletionCompletesInBash) {
  const std::string script = fresh_folder("complete.sh");
  std::ofstream(script)
      << "source <(" ULTRASIM_BINARY
         " completion)\n"
         "COMP_WORDS=(ultrasim swe) COMP_CWORD=1; _ultrasim; echo ${COMPREPLY[@]}\n"
         "COMP_WORDS=(ultrasim sweep --sh) COMP_CWORD=2; _ultrasim; echo "
         "${COMPREPLY[@]}\n";
  ASSERT_EQ(std::system(("bash " + script + " >" + script + ".out").c_str()), 0);
  EXPECT_EQ(text_of(script + ".out"), "sweep\n--shard\n");
}

TEST(Help, TheManualNamesEveryCommandAndOption) {
  const std::string manual = ultrasim("man").out;
  for (const char* part :
       {".TH ULTRASIM 1", ".SS run", ".SS what\\-if", "\\-\\-history", ".I FILE"}) {
    EXPECT_TRUE(has(manual, part)) << part;
  }
}

constexpr const char* kGrid =
    "sweep:\n  link.latency: {from: 100 ns, to: 1 us, points: 20}\n"
    "  workload.0.bytes: [64 KiB, 128 KiB, 256 KiB]\n";

std::string csv_of(const std::string& file, const std::string& results) {
  return ultrasim("sweep " + file + " --quiet --format csv --results " + results).out;
}

TEST(Sweep, RunsEveryCombination) {
  const std::string csv = csv_of(scenario(kGrid), fresh_folder("sweep.sqlite"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 60);
  EXPECT_EQ(csv.substr(0, 42), "run,link.latency,workload.0.bytes,case,ver") << csv;
}

// Killed in the middle, any number of times: nothing is lost and nothing is done twice.
TEST(Sweep, GoesOnAfterAKill) {
  const std::string file = scenario(std::string(kGrid) + "  seed: [1, 2, 3, 4, 5, 6, 7, 8]\n");
  const std::string whole = csv_of(file, fresh_folder("whole.sqlite"));
  const std::string results = fresh_folder("killed.sqlite");
  for (int i = 0; i < 3; ++i) {
    Process sweep("sweep " + file + " --quiet --results " + results);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    sweep.signal(SIGKILL);
    static_cast<void>(sweep.wait());
  }
  const Finished last = ultrasim("sweep " + file + " --format csv --results " + results);
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(last.out, whole);
}

TEST(Sweep, ShardsMergeToTheWhole) {
  const std::string file = scenario(kGrid);
  const std::string whole = csv_of(file, fresh_folder("whole.sqlite"));
  std::string parts;
  for (const char* shard : {"1", "2", "3"}) {
    const std::string part = fresh_folder("part.sqlite");
    ASSERT_EQ(ultrasim("sweep " + file + " --quiet --results " + part + " --shard " + shard + "/3")
                  .exit_code,
              0);
    parts += " " + part;
  }
  const std::string all = fresh_folder("all.sqlite");
  const Finished merged = ultrasim("merge " + all + parts);
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_TRUE(has(merged.out, "60 of 60 runs")) << merged.out;
  EXPECT_EQ(csv_of(file, all), whole);
}

TEST(Sweep, WhatCannotBeIsAFaultBeforeAnythingRuns) {
  EXPECT_EQ(ultrasim("sweep " + scenario("")).exit_code, 2);
  const Finished typo = ultrasim("sweep " + scenario("sweep: {link.latncy: [1 us]}\n"));
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_TRUE(has(typo.err, "did you mean 'link.latency'?")) << typo.err;
  EXPECT_EQ(ultrasim("sweep " + scenario(kGrid) + " --shard 4/3").exit_code, 2);
  EXPECT_EQ(ultrasim("sweep " + scenario(kGrid) + " --results /none/a.sqlite").exit_code, 2);
  const std::string damaged = fresh_folder("damaged.sqlite");
  std::ofstream(damaged) << std::string(9'000, 'x');
  const Finished run = ultrasim("sweep " + scenario(kGrid) + " --results " + damaged);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(has(run.err, "damaged")) << run.err;
}

}  // namespace
}  // namespace cli
