// SPDX-License-Identifier: GPL-2.0-only
// The examples for cron and GitHub Actions parse, and the commands in them are commands of
// ultrasim.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/command/arguments.h"
#include "scenarios/loader/suite.h"
#include "scenarios/loader/yaml.h"

namespace {

std::string text_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(ULTRASIM_SOURCE_DIR) + name).rdbuf();
  return text.str();
}

// The words of the one command in `text` that starts with "ultrasim".
std::vector<std::string> command_in(const std::string& text) {
  const std::size_t at = text.find("build/release/ultrasim ");
  EXPECT_NE(at, std::string::npos);
  std::istringstream words(text.substr(at, text.find_first_of("\n>|", at) - at));
  std::vector<std::string> command;
  bool inside = false;  // ${{ ... }} and $(...) are one word each
  for (std::string word; words >> word;) {
    if (inside) {
      inside = !word.ends_with("}}") && !word.ends_with(")");
      continue;
    }
    inside = word.starts_with("${{") || word.starts_with("$(");
    command.push_back(word);
  }
  return command;
}

scenarios::NightlyArguments parsed(const std::string& text) {
  const std::vector<std::string> words = command_in(text);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  const auto arguments = scenarios::parse_arguments(static_cast<int>(argv.size()), argv.data());
  const auto* nightly = std::get_if<scenarios::NightlyArguments>(&arguments);
  EXPECT_NE(nightly, nullptr) << text;
  return nightly == nullptr ? scenarios::NightlyArguments{} : *nightly;
}

void expect_suite_loads(const std::string& suite) {
  const auto loaded = scenarios::load_suite(std::string(ULTRASIM_SOURCE_DIR) + "/" + suite);
  EXPECT_EQ(loaded.faults, "");
  ASSERT_TRUE(loaded.suite);
  EXPECT_GT(loaded.suite->entries.size(), 8U);
  for (const scenarios::SuiteEntry& entry : loaded.suite->entries) {
    EXPECT_EQ(scenarios::load_file(entry.file, entry.overrides).faults, "") << entry.name;
  }
}

TEST(NightlyExamples, TheWorkflowParses) {
  const std::string text = text_of("/docs/examples/nightly.yml");
  sim::Diagnostics diagnostics("nightly.yml", text);
  const auto tree = scenarios::parse_yaml(text, diagnostics);
  ASSERT_TRUE(tree) << diagnostics.render();
  const auto* jobs = tree->find("jobs");
  ASSERT_NE(jobs, nullptr);
  const auto* steps = jobs->value.entries.at(0).value.find("steps");
  ASSERT_NE(steps, nullptr);
  std::string command;
  for (const sim::Value& step : steps->value.items) {
    const auto* run = step.find("run");
    if (run != nullptr && run->value.text.find("nightly") != std::string::npos) {
      command = command.empty() ? run->value.text : command;
    }
  }
  expect_suite_loads(parsed(command).suite);
}

TEST(NightlyExamples, TheCrontabParses) {
  const std::string text = text_of("/docs/examples/crontab");
  const std::string line = text.substr(text.rfind("\n17 ") + 1);
  std::istringstream fields(line);
  for (const char* wanted : {"17", "2", "*", "*", "*"}) {
    std::string field;
    fields >> field;
    EXPECT_EQ(field, wanted);
  }
  expect_suite_loads(parsed(line).suite);
}

}  // namespace
