// SPDX-License-Identifier: GPL-2.0-only
// The program end to end: exit codes, what goes where, and the files it leaves.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/scenarios/command/binary.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

// Four small cases on a star of eight.
std::string small_scenario() {
  const std::string path = fresh_folder("small.yaml");
  std::ofstream(path) << "scenario: small\n"
                         "cluster: {topology: star, overrides: {ends: 8}}\n"
                         "workload:\n"
                         "  - collective: all_reduce\n"
                         "    bytes: [64 KiB, 1 MiB]\n"
                         "    algorithm: [ring, direct]\n";
  return path;
}

TEST(Run, PrintsOneJsonObjectAndNothingElse) {
  const std::string out = fresh_folder("json");
  const Finished run = ultrasim("run " + small_scenario() + " --format json --out " + out);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict"), "done");
  EXPECT_EQ(json.at("cases").size(), 4U);
  EXPECT_EQ(run.out, text_of(out + "/results.json"));
  EXPECT_EQ(run.err, "");
}

TEST(Run, LeavesItsFilesAndNoOthers) {
  const std::string out = fresh_folder("files");
  ASSERT_EQ(ultrasim("run " + small_scenario() + " --out " + out).exit_code, 0);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(out)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"manifest.json", "results.csv", "results.json",
                                             "results.pb", "scenario.yaml", "stats.json"}));
}

TEST(Run, GivesEqualBytesForAnyNumberOfJobs) {
  const std::string scenario = small_scenario();
  const std::string one = fresh_folder("one");
  const std::string two = fresh_folder("two");
  const Finished first = ultrasim("run " + scenario + " --jobs 1 --format csv --out " + one);
  const Finished second = ultrasim("run " + scenario + " --jobs 2 --format csv --out " + two);
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.out, second.out);
  for (const char* name :
       {"results.pb", "results.json", "results.csv", "manifest.json", "scenario.yaml"}) {
    EXPECT_FALSE(text_of(one + "/" + name).empty());
    EXPECT_EQ(text_of(one + "/" + name), text_of(two + "/" + name)) << name;
  }
}

TEST(Run, TheEchoedScenarioGivesTheSameCases) {
  const std::string first = fresh_folder("echo1");
  const std::string second = fresh_folder("echo2");
  ASSERT_EQ(ultrasim("run " + small_scenario() + " --out " + first).exit_code, 0);
  const std::string echo = first + "/scenario.yaml";
  ASSERT_EQ(ultrasim("run " + echo + " --out " + second).exit_code, 0);
  EXPECT_EQ(text_of(first + "/results.csv"), text_of(second + "/results.csv"));
}

TEST(Run, FaultsOfTheInputGoToStderrBeforeAnythingIsWritten) {
  const std::string out = fresh_folder("fault");
  const Finished run =
      ultrasim("run " + small_scenario() + " --set fidelity=guess --format json --out " + out);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("error"), std::string::npos);
  EXPECT_FALSE(fs::exists(out));
}

TEST(Run, AFolderThatCannotBeIsAFaultBeforeTheRun) {
  const std::string file = fresh_folder("file");
  std::ofstream(file) << "in the way";
  for (const std::string& out : {file, file + "/below", std::string("/proc/ultrasim")}) {
    const Finished run = ultrasim("run " + small_scenario() + " --out " + out);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find("cannot create the folder '" + out), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("--out"), std::string::npos);
  }
}

TEST(Run, AFullDiskStillPrintsTheAnswer) {
  const std::string out = fresh_folder("full");
  const std::string scenario = small_scenario();
  const std::string shell = "ulimit -f 1; " ULTRASIM_BINARY " run " + scenario + " --out " + out;
  const Finished run = ultrasim("--version >/dev/null; true");
  EXPECT_EQ(run.exit_code, 0);
  const std::string answer = fresh_folder("answer");
  // The answer goes through a pipe: the limit counts for files only.
  const int status = std::system(
      ("bash -c '{ " + shell + " 2>" + answer + ".err; echo code $?; } | cat >" + answer + "'")
          .c_str());
  EXPECT_EQ(status, 0);
  EXPECT_NE(text_of(answer).find("all_reduce over 8 chips"), std::string::npos);
  EXPECT_NE(text_of(answer).find("code 1"), std::string::npos) << text_of(answer);
  EXPECT_NE(text_of(answer + ".err").find("the results were not saved"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(out));
}

TEST(Run, AReaderThatGoesAwayIsNoCrash) {
  const std::string out = fresh_folder("pipe");
  const Finished run = ultrasim("run " + small_scenario() + " --out " + out + " > >(true)");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Finished closed = ultrasim("run " + small_scenario() + " --out " + out + " >&-");
  EXPECT_EQ(closed.exit_code, 0) << closed.err;
  EXPECT_EQ(text_of(out + "/results.json").substr(0, 1), "{");
}

TEST(Run, ACaseOverItsLimitFailsAndTheOthersGoOn) {
  const std::string out = fresh_folder("limit");
  const Finished run = ultrasim("run " + small_scenario() +
                                " --set limits.packet_hops=2000 --format json --out " + out);
  EXPECT_EQ(run.exit_code, 1);
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict"), "failed");
  EXPECT_EQ(json.at("cases").at(0).at("verdict"), "done");
  EXPECT_EQ(json.at("cases").at(3).at("verdict"), "failed");
  EXPECT_NE(std::string(json.at("cases").at(3).at("failure")).find("limits.packet_hops is 2000"),
            std::string::npos);
}

TEST(Validate, SaysOkInOneLine) {
  const Finished validate = ultrasim("validate " + small_scenario());
  EXPECT_EQ(validate.exit_code, 0) << validate.err;
  EXPECT_EQ(validate.out.find("ok: 4 cases, about "), 0U);
  EXPECT_EQ(std::ranges::count(validate.out, '\n'), 1);
}

TEST(Validate, AMissingFileIsWrongInput) {
  const Finished validate = ultrasim("validate /nowhere.yaml");
  EXPECT_EQ(validate.exit_code, 2);
  EXPECT_EQ(validate.out, "");
  EXPECT_NE(validate.err.find("/nowhere.yaml"), std::string::npos);
}

TEST(List, NamesWhatThereIs) {
  const Finished list = ultrasim("list");
  EXPECT_EQ(list.exit_code, 0);
  for (const char* name :
       {"star", "ultraserver", "ultracluster", "direct", "ring", "recursive", "hierarchical",
        "packet", "trn3-gen2", "wiring full", "ultraserver-overhead"}) {
    EXPECT_NE(list.out.find(std::string("  ") + name), std::string::npos) << name;
  }
}

std::string star_under_limit(const std::string& limit) {
  return "run --format json --set " + limit + " " + small_scenario() + " --out " +
         fresh_folder("limit");
}

TEST(Run, SaysOnStderrWhyACaseFailedWhateverTheFormat) {
  const Finished hops = ultrasim(star_under_limit("limits.packet_hops=10"));
  EXPECT_EQ(hops.exit_code, 1);
  EXPECT_NE(hops.err.find("packet-hops; limits.packet_hops is 10"), std::string::npos) << hops.err;
  EXPECT_TRUE(nlohmann::json::accept(hops.out));
}

TEST(Run, ALimitOfSimulatedTimeGivesItsFigures) {
  const Finished time = ultrasim(star_under_limit("limits.simulated_time='1 us'"));
  EXPECT_EQ(time.exit_code, 1);
  EXPECT_NE(time.err.find("limits.simulated_time is 1 us"), std::string::npos) << time.err;
}

TEST(Run, AnEmptyOutputFolderIsWrongInput) {
  const Finished run = ultrasim("run " + small_scenario() + " --out ''");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--out is empty"), std::string::npos) << run.err;
}

TEST(Run, ALongValueOfAnOverrideIsCut) {
  const Finished run =
      ultrasim("validate " + small_scenario() + " --set cluster=" + std::string(3'000, '9'));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_LT(run.err.size(), 1'000U);
}

TEST(Describe, BuildsTheFabricOfAPreset) {
  const Finished describe = ultrasim("describe trn3-gen2");
  EXPECT_EQ(describe.exit_code, 0) << describe.err;
  // The arithmetic of 144 chips as wired: 36 sled and 8 plane switches; twins carry 72 of 143
  // shares.
  EXPECT_NE(describe.out.find("uniform all-to-all injects at most  254.2 GB/s per chip, bound by "
                              "the twin link"),
            std::string::npos)
      << describe.out;
  EXPECT_NE(describe.out.find("bisection, one way                  9.2 TB/s"), std::string::npos);
  EXPECT_NE(describe.out.find("switches                            44"), std::string::npos);
}

TEST(Describe, ShowsKeysAlgorithmsAndParameters) {
  EXPECT_NE(ultrasim("describe cluster.ranks").out.find("default chips"), std::string::npos);
  EXPECT_NE(ultrasim("describe hierarchical").out.find("slices"), std::string::npos);
  EXPECT_NE(ultrasim("describe switch.latency").out.find("in trn3-gen2:"), std::string::npos);
  EXPECT_NE(ultrasim("describe packet").out.find("dma.queues"), std::string::npos);
}

TEST(Describe, AnUnknownNameGetsTheNearest) {
  const Finished describe = ultrasim("describe trn3-gen");
  EXPECT_EQ(describe.exit_code, 2);
  EXPECT_EQ(describe.err,
            "ultrasim: error: nothing is called 'trn3-gen'\n  hint: did you mean 'trn3-gen1'?\n");
}

TEST(Describe, AnUnknownWiringIsWrongInput) {
  EXPECT_EQ(ultrasim("describe trn3-gen2 --wiring nope").exit_code, 2);
  EXPECT_EQ(ultrasim("describe ring --wiring doc").exit_code, 2);
}

TEST(Schema, IsJson) {
  const Finished schema = ultrasim("schema");
  EXPECT_EQ(schema.exit_code, 0);
  EXPECT_TRUE(nlohmann::json::accept(schema.out));
}

TEST(Version, IsOneLine) {
  const Finished version = ultrasim("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.out.find("ultrasim "), 0U);
  EXPECT_EQ(std::ranges::count(version.out, '\n'), 1);
}

}  // namespace
}  // namespace cli
