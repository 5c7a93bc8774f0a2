// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/suite.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <utility>

#include "scenarios/loader/declared.h"
#include "scenarios/loader/echo.h"
#include "scenarios/loader/file.h"
#include "scenarios/loader/studies.h"
#include "scenarios/loader/yaml.h"
#include "sim/base/key.h"

namespace scenarios {
namespace {

using sim::Key;

Key text_key(std::string name, std::string help, bool required) {
  Key key;
  key.name = std::move(name);
  key.help = std::move(help);
  key.required = required;
  return key;
}

Key map_key(std::string name, std::string help) {
  Key key = text_key(std::move(name), std::move(help), false);
  key.shape = Key::Shape::kOpenMap;
  return key;
}

std::vector<Key> suite_keys() {
  Key scenarios = text_key("scenarios", "What is run.", true);
  scenarios.shape = Key::Shape::kSections;
  scenarios.inner = {
      text_key("file", "Scenario file, from the folder of the suite.", true),
      map_key("set", "Keys by path, as --set takes them, with the values they get."),
      map_key("sweep", "Keys by path, each with its values: the scales at which it is run.")};
  return {text_key("suite", "Name: a-z, 0-9 and hyphens.", true), scenarios};
}

// "bench-ring.ends=32": values without spaces, so that names serve as words.
std::string name_at(const std::string& stem, const std::vector<Override>& point) {
  std::string name = stem;
  for (const Override& one : point) {
    name += fmt::format(".{}={}", one.path.substr(one.path.rfind('.') + 1), one.value);
  }
  for (char& letter : name) letter = letter == ' ' ? '_' : letter;
  return name;
}

void add_entries(const sim::Section& section, const std::filesystem::path& folder,
                 sim::Diagnostics& diagnostics, Suite& suite) {
  const std::filesystem::path file = folder / section.text("file");
  std::vector<Override> fixed;
  if (const auto* set = section.find("set")) {
    for (const sim::Value::Entry& entry : set->open.entries) {
      fixed.push_back({entry.key, on_one_line(entry.value)});
    }
  }
  const std::vector<Axis> axes = read_sweep(section, diagnostics);
  const std::uint64_t runs = axes.empty() ? 1 : runs_of(axes);
  if (runs > kMostRuns) return;  // a fault that was reported
  for (std::uint64_t number = 0; number < runs; ++number) {
    SuiteEntry entry{"", file.string(), fixed};
    const std::vector<Override> point =
        axes.empty() ? std::vector<Override>{} : point_of(axes, number);
    entry.name = name_at(file.stem().string(), axes.empty() ? fixed : point);
    for (const Override& one : point) entry.overrides.push_back(one);
    suite.entries.push_back(std::move(entry));
  }
}

std::optional<Suite> read_suite(const std::string& text, const std::string& path,
                                sim::Diagnostics& diagnostics) {
  const std::optional<sim::Value> tree = parse_yaml(text, diagnostics);
  if (!tree) return std::nullopt;
  const sim::Section top = sim::read_section(*tree, suite_keys(), "", diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  Suite suite{top.text("suite"), {}};
  if (!is_name(suite.name)) {
    diagnostics.add({top.position("suite"),
                     fmt::format("{} cannot be a suite's name", sim::quoted(suite.name)),
                     "a-z, 0-9 and hyphens"});
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::set<std::string> names;
  for (const sim::Section& section : top.find("scenarios")->sections) {
    const std::size_t first = suite.entries.size();
    add_entries(section, folder, diagnostics, suite);
    for (std::size_t i = first; i < suite.entries.size(); ++i) {
      if (names.insert(suite.entries[i].name).second) continue;
      diagnostics.add({section.place, fmt::format("{} is there twice", suite.entries[i].name),
                       "each scenario once at each scale"});
    }
  }
  return suite;
}

}  // namespace

LoadedSuite load_suite(const std::string& path) {
  const sim::Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    sim::Diagnostics diagnostics(path, "");
    diagnostics.add({{}, text.failure().what, "", text.failure().hint});
    return {std::nullopt, diagnostics.render()};
  }
  const std::string clean = clean_text(text.value());
  sim::Diagnostics diagnostics(path, clean);
  std::optional<Suite> suite = read_suite(clean, path, diagnostics);
  if (!diagnostics.empty()) return {std::nullopt, diagnostics.render()};
  return {std::move(suite), ""};
}

}  // namespace scenarios
