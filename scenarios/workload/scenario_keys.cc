// SPDX-License-Identifier: GPL-2.0-only
// The keys of a scenario about a model.
#include "scenarios/loader/declared.h"
#include "scenarios/loader/keys.h"
#include "scenarios/workload/architecture.h"
#include "scenarios/workload/declare.h"
#include "scenarios/workload/layout_keys.h"
#include "scenarios/workload/scenario.h"
#include "sim/base/check.h"

namespace workload {
namespace {

using sim::Key;

constexpr std::int64_t kMostDegree = 1'000'000;

Key model_key() {
  Key preset = text_key("preset", "A model of `ultrasim list`.");
  return required(section_key(
      "model", "The model: give preset, hf_config or architecture.",
      {preset,
       text_key("hf_config", "Path of a Hugging Face config.json, from the scenario's folder."),
       section_key("architecture", "The architecture itself.", architecture_keys())}));
}

Key chip_key() {
  Key facts = text_key("facts", "Facts that replace the preset's, such as gemm.share.");
  facts.shape = Key::Shape::kOpenMap;
  return with_default(
      section_key("chip", "What computes.",
                  {text_key("preset",
                            "A chip of `ultrasim list`; that of the cluster when left "
                            "out."),
                   facts}),
      "{}");
}

Key sweep_key() {
  Key values = required(text_key("values", "Its values."));
  values.shape = Key::Shape::kScalars;
  Key sweep = section_key("sweep", "Keys of layout to vary: every combination becomes a row.",
                          {required(text_key("key",
                                             "A key of layout, such as "
                                             "tensor_parallel_degree or routing.model.")),
                           values});
  sweep.shape = Key::Shape::kSections;
  return sweep;
}

Key search_key() {
  const auto degrees = [](const char* name, const char* help) {
    return counts_key(name, help, 1, kMostDegree);
  };
  return with_default(
      section_key("search", "What `ultrasim layouts` tries; all that divides when left out.",
                  {count_key("top", "Layouts that are refined and shown.", 1, 1000, "20"),
                   degrees("tensor_parallel_degree", "Degrees of TP to try."),
                   degrees("context_parallel_degree", "Degrees of CP to try; 1 when left out."),
                   degrees("expert_parallel_degree", "Degrees of EP to try."),
                   degrees("pipeline_parallel_degree", "Degrees of PP to try."),
                   degrees("micro_batch_size", "Micro-batches to try; 1, 2 and 4 when left out."),
                   degrees("virtual_stages", "Chunks a stage to try; 1, 2 and 4 when left out."),
                   count_key("most_micro_batches", "Micro-batches of a step at most.", 1,
                             kMostDegree, "512")}),
      "{}");
}

std::vector<Key> declare() {
  const Key* cluster = scenarios::find_key(scenarios::keys(), "cluster");
  CHECK(cluster != nullptr);
  return {
      required(text_key("scenario", "Name: a-z, 0-9 and hyphens, at most 64 of them.")),
      text_key("about", "What the scenario asks, in a sentence."),
      *cluster,
      model_key(),
      choice_key("phase", "What a step is.", {"training", "prefill", "decode"}, "training"),
      required(section_key("layout", "How the model is cut over the ranks.", layout_keys())),
      chip_key(),
      choice_key("pricing",
                 "What prices the collectives of a step: the load on links, or an engine that "
                 "plays each distinct one once.",
                 {"links", "flow", "packet"}, "links"),
      ratio_key("memory_margin", "Part of the memory kept free for runtime and fragments.", "5 %"),
      sweep_key(),
      search_key()};
}

}  // namespace

const std::vector<Key>& model_keys() {
  static const std::vector<Key> kKeys = declare();
  return kKeys;
}

}  // namespace workload
