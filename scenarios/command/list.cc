// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "analysis/text_table.h"
#include "collectives/collectives.h"
#include "scenarios/command/answer.h"
#include "scenarios/command/commands.h"
#include "scenarios/command/exit_codes.h"
#include "scenarios/loader/embedded.h"
#include "scenarios/loader/presets.h"
#include "scenarios/workload/architecture.h"
#include "scenarios/workload/chip.h"
#include "sim/engine/engines.h"
#include "topologies/topologies.h"

namespace scenarios {
namespace {

std::string line(std::string_view name, std::string_view summary) {
  return analysis::wrapped(summary, fmt::format("  {:<28}  ", name), std::string(32, ' '));
}

template <class Maker>
std::string catalog(std::string_view title, const sim::Catalog<Maker>& entries) {
  std::string text = fmt::format("{}\n", title);
  for (const auto& entry : entries.entries()) text += line(entry.name, entry.summary);
  return text + "\n";
}

std::string preset_list() {
  std::string text = "hardware presets\n";
  for (const Preset& preset : presets()) {
    text += line(preset.name, preset.summary);
    for (const Wiring& wiring : preset.wirings) {
      const char* note = wiring.name == preset.default_wiring ? " (default)" : "";
      text += line(fmt::format("  wiring {}{}", wiring.name, note), wiring.summary);
    }
  }
  return text + "\n";
}

std::string model_list() {
  std::string text = "models\n";
  for (const workload::ModelPreset& preset : workload::model_presets()) {
    text += line(preset.model.name, preset.summary);
  }
  text += "\nchips\n";
  for (const std::string& name : workload::chip_names()) {
    text += line(name, workload::find_chip(name)->title);
  }
  return text + "\n";
}

// The text after `about:`, where it stands on one line.
std::string_view about_of(std::string_view text) {
  constexpr std::string_view kKey = "\nabout: ";
  const std::size_t key = text.find(kKey);
  if (key == std::string_view::npos) return {};
  text.remove_prefix(key + kKey.size());
  return text.substr(0, text.find('\n'));
}

std::string library_list() {
  std::string text = "library scenarios (scenarios/library/<name>.yaml)\n";
  for (const EmbeddedFile& file : library_files()) {
    text += line(file.name.substr(0, file.name.rfind(".yaml")), about_of(file.text));
  }
  return text;
}

}  // namespace

int list() {
  return print_answer(catalog("topologies", topologies::topologies()) +
                          catalog("algorithms", collectives::algorithms()) +
                          catalog("fidelities", sim::engines()) + preset_list() + model_list() +
                          library_list(),
                      kDone);
}

}  // namespace scenarios
