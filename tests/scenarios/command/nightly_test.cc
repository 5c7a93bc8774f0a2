// SPDX-License-Identifier: GPL-2.0-only
// nightly and bless, as a job runs them.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/scenarios/command/binary.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A folder with a scenario and a suite that runs it at four scales.
class Nightly : public testing::Test {
 protected:
  Nightly() : folder_(fresh_folder("suite")) {
    fs::create_directories(folder_);
    write_scenario("ring");
    std::ofstream(folder_ + "/suite.yaml") << "suite: small\n"
                                              "scenarios:\n"
                                              "  - file: ring.yaml\n"
                                              "    sweep: {ends: [4, 8, 16, 32]}\n";
  }
  ~Nightly() override { fs::remove_all(folder_); }

  void write_scenario(const std::string& algorithm) const {
    std::ofstream(folder_ + "/ring.yaml")
        << "scenario: ring\n"
           "cluster: {topology: star, overrides: {ends: 8}}\n"
           "workload:\n"
           "  - {collective: all_reduce, bytes: 4 MiB, algorithm: "
        << algorithm << "}\n";
  }

  [[nodiscard]] std::string files() const {
    return folder_ + "/suite.yaml --history " + folder_ + "/nights.sqlite ";
  }

  std::string folder_;
};

TEST_F(Nightly, HoldsEachNightAgainstTheOneBefore) {
  const Finished first = ultrasim("nightly " + files() + "--quiet");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(has(first.out, "the first night")) << first.out;
  const Finished second = ultrasim("nightly " + files() + "--quiet --speed-tolerance 99 --junit " +
                                   folder_ + "/junit.xml --markdown " + folder_ + "/night.md");
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_TRUE(has(second.out, "4 of 4 as in night 1; nothing moved")) << second.out;
  EXPECT_EQ(text_of(folder_ + "/night.md"), second.out);
  EXPECT_TRUE(has(text_of(folder_ + "/junit.xml"), "name=\"small.ring.ends=32\""));
}

TEST_F(Nightly, ChangedInputsAreToldApart) {
  ASSERT_EQ(ultrasim("nightly " + files() + "--quiet").exit_code, 0);
  EXPECT_EQ(ultrasim("bless " + files() + "--reason 'first'").exit_code, 0);
  write_scenario("direct");
  const Finished night = ultrasim("nightly " + files() + "--quiet --speed-tolerance 99");
  EXPECT_TRUE(has(night.out, "the baseline; 4 input")) << night.out;
  EXPECT_TRUE(has(night.out, "workload.0.algorithm")) << night.out;
}

TEST_F(Nightly, GoesOnAfterAKill) {
  Process killed("nightly " + files() + "--quiet");
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  killed.signal(SIGKILL);
  static_cast<void>(killed.wait());
  const Finished night = ultrasim("nightly " + files() + "--quiet");
  EXPECT_EQ(night.exit_code, 0) << night.err;
  // A machine that was quick enough had finished the night before it was killed.
  EXPECT_TRUE(has(night.out, "the first night: 4 results") ||
              has(night.out, "4 of 4 as in night 1"))
      << night.out;
}

TEST_F(Nightly, HoldsTheOldBinaryAgainstTheNew) {
  const Finished night =
      ultrasim("nightly " + files() + "--quiet --old " + std::string(ULTRASIM_BINARY));
  EXPECT_EQ(night.exit_code, 0) << night.err;
  EXPECT_TRUE(has(night.out, "4 of 4 as in the old binary; nothing moved")) << night.out;
  EXPECT_EQ(ultrasim("nightly " + files() + "--quiet --old /none").exit_code, 1);
}

TEST_F(Nightly, FaultsAreShownBeforeTheNightBegins) {
  std::ofstream(folder_ + "/suite.yaml") << "suite: small\nscenarios:\n  - file: none.yaml\n";
  EXPECT_EQ(ultrasim("nightly " + files()).exit_code, 2);
  std::ofstream(folder_ + "/suite.yaml") << "suite: small\nscenarioss: []\n";
  const Finished typo = ultrasim("nightly " + files());
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_TRUE(has(typo.err, "suite.yaml:2:1: error: unknown key 'scenarioss'")) << typo.err;
  EXPECT_EQ(ultrasim("bless " + files() + "--reason ''").exit_code, 2);
  EXPECT_EQ(ultrasim("bless /none --history /none --reason a").exit_code, 2);
}

}  // namespace
}  // namespace cli
