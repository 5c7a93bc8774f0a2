// SPDX-License-Identifier: GPL-2.0-only
// Every file of bad/ gives exactly the text of its .expected. ULTRASIM_REWRITE=1 rewrites them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "scenarios/loader/scenario.h"

namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(ULTRASIM_SOURCE_DIR) / "tests/diagnostics/bad";

std::vector<std::string> names_with(const std::string& extension) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool rewriting() { return std::getenv("ULTRASIM_REWRITE") != nullptr; }

class BadFile : public testing::TestWithParam<std::string> {};

TEST_P(BadFile, GivesExactlyTheExpectedFaults) {
  const std::string& name = GetParam();
  fs::current_path(kFolder);  // where the graph files that some of them name are found
  const std::string text = content_of(kFolder / (name + ".yaml"));
  const scenarios::Loaded loaded = scenarios::load_text(text, name + ".yaml", {});
  EXPECT_FALSE(loaded.scenario.has_value());
  EXPECT_FALSE(loaded.faults.empty());
  const fs::path expected = kFolder / (name + ".expected");
  if (rewriting()) std::ofstream(expected, std::ios::binary) << loaded.faults;
  EXPECT_EQ(loaded.faults, content_of(expected));
}

INSTANTIATE_TEST_SUITE_P(All, BadFile, testing::ValuesIn(names_with(".yaml")),
                         [](const auto& test) { return test.param; });

TEST(BadFiles, AreAtLeastFortyFiveAndNoExpectedTextIsLeftOver) {
  EXPECT_GE(names_with(".yaml").size(), 45U);
  EXPECT_EQ(names_with(".yaml"), names_with(".expected"));
}

}  // namespace
