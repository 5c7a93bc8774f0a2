// SPDX-License-Identifier: GPL-2.0-only
// Everything that has a name, told from its declaration. Presets and scenario files also get their
// fabric built.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/text_table.h"
#include "collectives/collectives.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/command/fabric_text.h"
#include "scenarios/loader/declared.h"
#include "scenarios/loader/embedded.h"
#include "scenarios/loader/keys.h"
#include "scenarios/loader/presets.h"
#include "scenarios/workload/architecture.h"
#include "scenarios/workload/chip.h"
#include "scenarios/workload/scenario.h"
#include "sim/base/diagnostic.h"
#include "sim/engine/engines.h"
#include "topologies/topologies.h"

namespace scenarios {
namespace {

using sim::Key;

std::string key_text(const Key& key, const std::string& path) {
  std::string text = fmt::format("  {}\n", path);
  if (!key.help.empty()) text += analysis::wrapped(key.help, "      ", "      ");
  text += analysis::wrapped("accepts " + sim::accepts(key), "      ", "        ");
  if (key.required) text += "      required\n";
  if (key.fallback) text += fmt::format("      default {}\n", *key.fallback);
  return text;
}

std::string keys_text(const std::vector<Key>& keys, const std::string& prefix) {
  std::string text;
  for (const Key& key : keys) text += key_text(key, prefix + key.name);
  return text;
}

template <class Maker>
std::optional<std::string> entry_text(std::string_view kind, const sim::Catalog<Maker>& catalog,
                                      const std::string& name) {
  const auto* entry = catalog.find(name);
  if (entry == nullptr) return std::nullopt;
  std::string text = fmt::format("{} {}: {}\n", kind, entry->name, entry->summary);
  if (!entry->keys.empty()) text += "keys:\n" + keys_text(entry->keys, "");
  return text;
}

const Key* find_path(const std::vector<Key>& keys, std::string_view path) {
  const std::size_t dot = path.find('.');
  const Key* key = find_key(keys, path.substr(0, dot));
  if (key == nullptr || dot == std::string_view::npos) return key;
  return find_path(key->inner, path.substr(dot + 1));
}

std::optional<std::string> scenario_key_text(const std::string& path) {
  const Key* key = find_path(keys(), path);
  if (key == nullptr) key = find_path(workload::model_keys(), path);
  if (key == nullptr) return std::nullopt;
  std::string text = "key of a scenario file\n" + key_text(*key, path);
  if (!key->inner.empty()) text += "inner keys:\n" + keys_text(key->inner, path + ".");
  return text;
}

// The declaration of a parameter, from whoever reads it first.
std::optional<Key> declaration_of(const std::string& name) {
  for (const auto& topology : topologies::topologies().entries()) {
    const std::vector<Key> declared = declared_parameters(topology.name);
    if (const Key* key = find_key(declared, name)) return *key;
  }
  return std::nullopt;
}

std::optional<std::string> parameter_text(const std::string& name) {
  std::optional<Key> key = declaration_of(name);
  if (!key) return std::nullopt;
  key->required = false;  // presets give it
  std::string text = "model parameter (set it in cluster.overrides)\n" + key_text(*key, name);
  for (const Preset& preset : presets()) {
    const auto found = std::ranges::find(preset.parameters, name, &sim::Parameter::name);
    if (found != preset.parameters.end()) {
      text += fmt::format("in {}:\n", preset.name) + parameters_text({*found});
    }
    for (const Wiring& wiring : preset.wirings) {
      const auto wired = std::ranges::find(wiring.parameters, name, &sim::Parameter::name);
      if (wired == wiring.parameters.end()) continue;
      text += fmt::format("in {}, wiring {}:\n", preset.name, wiring.name);
      text += parameters_text({*wired});
    }
  }
  return text;
}

std::vector<std::string> paths_of(const std::vector<Key>& keys, const std::string& prefix) {
  std::vector<std::string> paths;
  for (const Key& key : keys) {
    paths.push_back(prefix + key.name);
    for (std::string& inner : paths_of(key.inner, prefix + key.name + ".")) {
      paths.push_back(std::move(inner));
    }
  }
  return paths;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = topologies::topologies().names();
  const auto add = [&names](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  add(collectives::algorithms().names());
  add(sim::engines().names());
  add(all_parameter_names());
  add(paths_of(keys(), ""));
  add(paths_of(workload::model_keys(), ""));
  add(workload::model_names());
  add(workload::chip_names());
  for (const Preset& preset : presets()) names.push_back(preset.name);
  for (const EmbeddedFile& file : library_files()) {
    names.emplace_back(file.name.substr(0, file.name.rfind(".yaml")));
  }
  return names;
}

// The library scenario as it stands.
std::optional<std::string> library_text(const std::string& name) {
  for (const EmbeddedFile& file : library_files()) {
    if (file.name == name + ".yaml") return "library scenario\n" + std::string(file.text);
  }
  return std::nullopt;
}

std::optional<std::string> model_text(const std::string& name) {
  const std::optional<workload::ModelPreset> preset = workload::find_model(name);
  if (!preset) return std::nullopt;
  const workload::Model& model = preset->model;
  std::string text = fmt::format("model {}: {}\n", model.name, preset->summary);
  text += fmt::format("  parameters {}, active {}\n", workload::total_parameters(model),
                      workload::active_parameters(model));
  for (const std::string& source : preset->sources) {
    text += analysis::wrapped(source, "  ", "    ");
  }
  return text;
}

std::optional<std::string> chip_text(const std::string& name) {
  const std::optional<workload::Chip> chip = workload::find_chip(name);
  if (!chip) return std::nullopt;
  return fmt::format("chip {}: {}\n", chip->name, chip->title) + parameters_text(chip->facts);
}

sim::Failure unknown(const std::string& name) {
  const std::string near = sim::nearest(name, all_names());
  return {fmt::format("nothing is called {}", sim::quoted(name)),
          near.empty() ? "see `ultrasim list`, or give a key path such as cluster.ranks"
                       : fmt::format("did you mean '{}'?", near)};
}

int describe_file(const DescribeArguments& arguments) {
  const sim::Result<Scenario> scenario =
      load_fabric(arguments.name, arguments.wiring, arguments.ultraservers);
  if (!scenario.ok()) return print_fault(scenario.failure()), kWrongInput;
  return print_answer(fabric_text(scenario.value()), kDone);
}

}  // namespace

int describe(const DescribeArguments& arguments) {
  const std::string& name = arguments.name;
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return describe_file(arguments);
  std::vector<std::string> found;
  if (const std::optional<Preset> preset = find_preset(name)) {
    const sim::Result<std::string> text =
        preset_text(*preset, arguments.wiring, arguments.ultraservers);
    if (!text.ok()) return print_fault(text.failure()), kWrongInput;
    found.push_back(text.value());
  } else if (!arguments.wiring.empty() || arguments.ultraservers != 1) {
    return print_fault(
               {"--wiring and --ultraservers are for hardware presets", "see `ultrasim list`"}),
           kWrongInput;
  }
  for (const std::optional<std::string>& text :
       {entry_text("topology", topologies::topologies(), name),
        entry_text("algorithm", collectives::algorithms(), name),
        entry_text("fidelity", sim::engines(), name), parameter_text(name), scenario_key_text(name),
        model_text(name), chip_text(name), library_text(name)}) {
    if (text) found.push_back(*text);
  }
  if (found.empty()) return print_fault(unknown(name)), kWrongInput;
  std::string answer;
  for (const std::string& text : found) answer += (answer.empty() ? "" : "\n") + text;
  return print_answer(answer, kDone);
}

}  // namespace scenarios
