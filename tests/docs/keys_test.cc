// SPDX-License-Identifier: GPL-2.0-only
// docs/scenarios.md leaves out no key, and names nothing that is not there.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/collectives.h"
#include "scenarios/loader/keys.h"
#include "scenarios/loader/presets.h"
#include "scenarios/workload/scenario.h"

namespace {

std::string guide() {
  std::ostringstream text;
  text << std::ifstream(ULTRASIM_SOURCE_DIR "/docs/scenarios.md").rdbuf();
  return text.str();
}

// "cluster.wiring" for every key at every depth.
void add_paths(const std::vector<sim::Key>& keys, const std::string& above,
               std::vector<std::string>& paths) {
  for (const sim::Key& key : keys) {
    paths.push_back(above + key.name);
    add_paths(key.inner, above + key.name + ".", paths);
  }
}

void expect_named(const std::string& text, const std::string& name) {
  EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name << " is not in the guide";
}

TEST(ScenarioGuide, NamesEveryKeyByItsPath) {
  const std::string text = guide();
  std::vector<std::string> paths;
  add_paths(scenarios::keys(), "", paths);
  add_paths(workload::model_keys(), "", paths);
  ASSERT_GT(paths.size(), 20U);
  for (const std::string& path : paths) expect_named(text, path);
}

TEST(ScenarioGuide, NamesEveryChoice) {
  const std::string text = guide();
  std::vector<sim::Key> open = scenarios::keys();
  open.insert(open.end(), workload::model_keys().begin(), workload::model_keys().end());
  while (!open.empty()) {
    const sim::Key key = open.back();
    open.pop_back();
    for (const std::string& choice : key.choices) expect_named(text, choice);
    open.insert(open.end(), key.inner.begin(), key.inner.end());
  }
}

TEST(ScenarioGuide, NamesEveryWiring) {
  const std::string text = guide();
  for (const scenarios::Preset& preset : scenarios::presets()) {
    for (const auto& wiring : preset.wirings) expect_named(text, wiring.name);
  }
}

}  // namespace
