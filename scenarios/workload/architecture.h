// SPDX-License-Identifier: GPL-2.0-only
// The architecture of a model as YAML: the keys of `model.architecture` in a scenario and of the
// files of scenarios/models, and their reading. Names are those of Hugging Face's config.json where
// it has one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/workload/model.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace workload {

inline constexpr std::int64_t kMostLayers = 10'000;

[[nodiscard]] std::vector<sim::Key> architecture_keys();

// `section` has been read against architecture_keys(). Empty after a fault: sizes that contradict
// each other.
[[nodiscard]] std::optional<Model> read_architecture(const sim::Section& section,
                                                     sim::Diagnostics& diagnostics);

// Contradictions that any architecture may have, whatever it came from; place: where to show them.
[[nodiscard]] bool check_model(const Model& model, sim::Position place,
                               sim::Diagnostics& diagnostics);

// A shipped model: a file of scenarios/models.
struct ModelPreset {
  Model model;
  std::string summary;
  std::vector<std::string> aliases;
  std::int64_t published_total = 0;   // 0: none published
  std::int64_t published_active = 0;  // both vocabulary matrices counted
  std::vector<std::string> sources;   // "attention: openai/gpt-oss ..."
};
[[nodiscard]] std::vector<std::string> model_names();  // without aliases; parses nothing
[[nodiscard]] std::optional<ModelPreset> find_model(std::string_view name_or_alias);
[[nodiscard]] std::vector<ModelPreset> model_presets();

}  // namespace workload
