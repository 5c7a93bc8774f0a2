// SPDX-License-Identifier: GPL-2.0-only
// `ultrasim tune` as a user runs it: what it prints is a selection that loads, and `auto` then takes
// what was fastest.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/scenarios/command/binary.h"

namespace {

std::string written(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

std::string star(const std::string& algorithm) {
  return "scenario: tuned\ncluster:\n  topology: star\n  overrides:\n    ends: 8\n"
         "    link.bandwidth: 100 GB/s\n    link.latency: 1 us\n"
         "workload:\n  - {collective: all_reduce, bytes: [1 KiB, 64 MiB], algorithm: " +
         algorithm + "}\n";
}

TEST(Tune, PrintsASelectionThatAutoFollows) {
  const std::string folder = cli::fresh_folder("tune");
  const std::string file = written(folder + "/tune.yaml", star("[recursive_doubling, ring]"));
  const cli::Finished tuned = cli::ultrasim("tune " + file);
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  // The geometric mean of both sizes: 256 KiB.
  EXPECT_NE(tuned.out.find("  - {collective: all_reduce, algorithm: recursive_doubling, up_to: "
                           "262144 B}\n"),
            std::string::npos)
      << tuned.out;
  EXPECT_NE(tuned.out.find("  - {collective: all_reduce, algorithm: ring}\n"), std::string::npos)
      << tuned.out;
  const std::string follow = written(folder + "/auto.yaml", star("auto") + tuned.out);
  const cli::Finished chosen = cli::ultrasim("validate " + follow);
  EXPECT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_NE(chosen.out.find("1_KiB/recursive_doubling_by_auto"), std::string::npos) << chosen.out;
  EXPECT_NE(chosen.out.find("64_MiB/ring_by_auto"), std::string::npos) << chosen.out;
}

TEST(Tune, SaysWhatIsWrongWithTheScenario) {
  const std::string folder = cli::fresh_folder("tune_wrong");
  const cli::Finished wrong = cli::ultrasim("tune " + written(folder + "/a.yaml", star("rign")));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'ring'?"), std::string::npos);
}

}  // namespace
