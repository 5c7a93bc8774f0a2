// SPDX-License-Identifier: GPL-2.0-only
// A scenario about a model: cluster, model, layout and phase in one YAML file, checked in full. A
// file is one when it has the key `model`; the others ask about collectives and are the loader's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/loader/scenario.h"
#include "scenarios/workload/link_price.h"
#include "scenarios/workload/step.h"
#include "sim/base/key.h"

namespace workload {

// One point of a sweep: what was set, and the layout or why there is none.
struct Point {
  std::string name;  // "tensor_parallel_degree 8, expert_parallel_degree 16"; "" alone
  std::optional<Layout> layout;
  std::string refused;
};

struct SearchLimits {
  std::int64_t top = 20;
  std::vector<std::int64_t> tensor;  // degrees to try; empty: all that divide
  std::vector<std::int64_t> context;
  std::vector<std::int64_t> expert;
  std::vector<std::int64_t> pipeline;
  std::vector<std::int64_t> micro_batch;
  std::vector<std::int64_t> virtual_stages;
  std::int64_t most_micro_batches = 0;
};

struct ModelScenario {
  std::string name;
  std::string about;
  std::string fabric;  // "2 x Trn3 Gen2 UltraServer, 288 chips, wiring full"
  Model model;
  std::vector<std::string> notes;  // of the model's import
  Chip chip;
  Layout layout;
  std::vector<Point> points;  // at least one; without sweep the layout alone
  SearchLimits search;
  std::int64_t ranks = 0;
  std::int64_t chips = 0;
  double margin = 0;
  std::string pricing;  // "links", or the name of an engine
  sim::Parameters parameters;
  std::shared_ptr<const sim::Topology> topology;  // of at most two units
  std::string echo;
  std::string input_hash;

  [[nodiscard]] Machine machine(CollectivePrice& price) const;
  [[nodiscard]] std::unique_ptr<CollectivePrice> link_price() const;
  [[nodiscard]] std::unique_ptr<CollectivePrice> chosen_price() const;  // by `pricing`
};

struct LoadedModel {
  std::optional<ModelScenario> scenario;
  std::string faults;
};

// The top level of such a file.
[[nodiscard]] const std::vector<sim::Key>& model_keys();

[[nodiscard]] bool is_model_scenario(const std::string& text);
[[nodiscard]] bool asks_about_model(const std::string& path);  // false when it cannot be read
// `folder`: where a config.json named by the file is looked for, "" for the current one.
// kSearch takes the layout as a start that need not work: its degrees are searched.
enum class Ask : std::uint8_t { kStep, kSearch };
[[nodiscard]] LoadedModel load_model_text(const std::string& text, const std::string& shown_name,
                                          const std::string& folder,
                                          const std::vector<scenarios::Override>& overrides,
                                          Ask ask = Ask::kStep);
[[nodiscard]] LoadedModel load_model_file(const std::string& path,
                                          const std::vector<scenarios::Override>& overrides,
                                          Ask ask = Ask::kStep);

}  // namespace workload
