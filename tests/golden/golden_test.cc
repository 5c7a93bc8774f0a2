// SPDX-License-Identifier: GPL-2.0-only
// Every library scenario has its stored result, and running it gives that result again, byte for
// byte, in every build. Cases of more than GOLDEN_MOST_HOPS packet-hops are left to Release builds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/command/cases.h"
#include "scenarios/workload/scenario.h"
#include "scenarios/workload/step_page.h"
#include "tests/golden/record.h"
#include "tests/oracles/play.h"

namespace {

using golden::Block;

constexpr std::uint64_t kMostHops = GOLDEN_MOST_HOPS;  // 0: no limit

std::filesystem::path folder(const std::string& name) {
  return std::filesystem::path(ULTRASIM_SOURCE_DIR) / name;
}

// Names without ending of the files in `where` that end in `ending`, sorted.
std::vector<std::string> names_in(const std::filesystem::path& where, const std::string& ending) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(where)) {
    if (entry.path().extension() == ending) names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> all_library() { return names_in(folder("scenarios/library"), ".yaml"); }

std::filesystem::path library_file(const std::string& name) {
  return folder("scenarios/library") / (name + ".yaml");
}

// Scenarios about models, or those about collectives.
std::vector<std::string> library(bool models) {
  std::vector<std::string> names = all_library();
  std::erase_if(names, [&](const std::string& name) {
    return workload::asks_about_model(library_file(name)) != models;
  });
  return names;
}

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool rewriting() {
  const char* wish = std::getenv("ULTRASIM_REWRITE");
  return wish != nullptr && std::string(wish) == "1";
}

bool small_enough(const scenarios::Scenario& scenario, const scenarios::CaseSpec& spec) {
  if (kMostHops == 0) return true;
  const sim::Result<std::uint64_t> hops = scenarios::hops_of(scenario, spec);
  return hops.ok() && hops.value() <= kMostHops;
}

std::string stored_text(const std::vector<Block>& stored, const std::string& name) {
  const auto block = std::find_if(stored.begin(), stored.end(),
                                  [&](const Block& one) { return one.name == name; });
  return block == stored.end() ? "" : block->text;
}

std::vector<std::string> names_of(const std::vector<Block>& blocks) {
  std::vector<std::string> names;
  for (const Block& block : blocks) names.push_back(block.name);
  return names;
}

void rewrite(const std::filesystem::path& file, const scenarios::Scenario& scenario) {
  ASSERT_EQ(kMostHops, 0U) << "only a Release build plays all cases: rewrite with that";
  std::vector<Block> blocks;
  for (const scenarios::CaseSpec& spec : scenario.cases) {
    blocks.push_back(golden::block_of(played::play(scenario, spec)));
  }
  std::ofstream(file) << golden::file_text(blocks);
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, RunsToItsStoredResult) {
  const std::string path = folder("scenarios/library") / (GetParam() + ".yaml");
  const scenarios::Loaded loaded = scenarios::load_file(path, {});
  ASSERT_TRUE(loaded.scenario) << loaded.faults;
  const scenarios::Scenario& scenario = *loaded.scenario;
  const std::filesystem::path file = folder("tests/golden") / (GetParam() + ".txt");
  if (rewriting()) return rewrite(file, scenario);
  const std::vector<Block> stored = golden::read_blocks(content(file));
  std::vector<std::string> names;
  std::size_t compared = 0;
  for (const scenarios::CaseSpec& spec : scenario.cases) {
    names.push_back(spec.name);
    if (!small_enough(scenario, spec)) continue;
    const Block found = golden::block_of(played::play(scenario, spec));
    EXPECT_EQ(golden::first_difference(stored_text(stored, spec.name), found.text), "")
        << file << ": " << spec.name;
    ++compared;
  }
  EXPECT_EQ(names, names_of(stored)) << file;
  if (compared == 0) GTEST_SKIP() << "all cases are too large for this build";
}

std::string test_name(const testing::TestParamInfo<std::string>& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Library, Golden, testing::ValuesIn(library(false)), test_name);

class ModelGolden : public testing::TestWithParam<std::string> {};

TEST_P(ModelGolden, StepsToItsStoredResult) {
  const workload::LoadedModel loaded = workload::load_model_file(library_file(GetParam()), {});
  ASSERT_TRUE(loaded.scenario) << loaded.faults;
  const std::string found = workload::step_json(workload::answer_of(*loaded.scenario));
  const std::filesystem::path file = folder("tests/golden") / (GetParam() + ".txt");
  if (rewriting()) {
    std::ofstream(file) << found;
    return;
  }
  EXPECT_EQ(golden::first_difference(content(file), found), "") << file;
}

INSTANTIATE_TEST_SUITE_P(Library, ModelGolden, testing::ValuesIn(library(true)), test_name);

TEST(GoldenFiles, StandBesideTheLibraryScenariosOneForOne) {
  if (rewriting()) GTEST_SKIP();
  std::vector<std::string> stored = names_in(folder("tests/golden"), ".txt");
  std::erase(stored, "CMakeLists");
  EXPECT_EQ(stored, all_library());
}

TEST(GoldenFiles, AreReadAsTheyAreWritten) {
  const std::vector<Block> blocks = {{"a b", "case a b\n  time_ps 1\n"}, {"c", "case c\n"}};
  const std::vector<Block> read = golden::read_blocks(golden::file_text(blocks));
  ASSERT_EQ(names_of(read), names_of(blocks));
  EXPECT_EQ(read[0].text, blocks[0].text);
}

TEST(GoldenFiles, DifferAtTheFirstLineThatDiffers) {
  EXPECT_EQ(golden::first_difference("x\ny\n", "x\ny\n"), "");
  EXPECT_EQ(golden::first_difference("x\ny\nz\n", "x\nw\nz\n"),
            "line 2 of the case\n  stored: y\n  found:  w\n");
  EXPECT_EQ(golden::first_difference("", "x\n"),
            "line 1 of the case\n  stored: (nothing)\n  found:  x\n");
}

}  // namespace
