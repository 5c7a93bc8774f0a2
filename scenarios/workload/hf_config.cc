// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "scenarios/loader/yaml.h"
#include "scenarios/workload/architecture.h"
#include "sim/base/quantity.h"

namespace workload {
namespace {

using sim::Diagnostics;
using sim::Dimension;
using sim::Value;

constexpr std::int64_t kMostNumber = 10'000'000;

// Reads the keys of one JSON object. Lives only during `import_hf_config`.
class Config {
 public:
  Config(const Value& map, Diagnostics& diagnostics) : map_(map), diagnostics_(diagnostics) {}

  // The first of the names that stands in the file with a value other than null.
  [[nodiscard]] const Value* find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const Value::Entry* entry = map_.find(name);
      if (entry == nullptr || entry->value.kind == Value::Kind::kNull) continue;
      if (entry->value.kind == Value::Kind::kScalar && entry->value.text == "null") continue;
      return &entry->value;
    }
    return nullptr;
  }

  [[nodiscard]] std::int64_t number(std::initializer_list<const char*> names,
                                    std::int64_t otherwise) const {
    const Value* value = find(names);
    if (value == nullptr) return otherwise;
    const sim::Result<sim::Quantity> read = sim::parse_quantity(value->text, Dimension::kCount);
    const bool whole = value->kind == Value::Kind::kScalar && read.ok();
    if (whole && read.value().amount >= 0 && read.value().amount <= kMostNumber) {
      return read.value().amount;
    }
    diagnostics_.add(
        {value->position,
         fmt::format("'{}' is not a whole number that a model can have", *names.begin()),
         fmt::format("a whole number of at most {}", kMostNumber), ""});
    return otherwise;
  }

  [[nodiscard]] std::int64_t required(std::initializer_list<const char*> names) const {
    if (find(names) == nullptr) {
      diagnostics_.add(
          {map_.position, fmt::format("missing key '{}'", *names.begin()), "a whole number", ""});
      return 1;
    }
    return number(names, 1);
  }

  [[nodiscard]] bool flag(const char* name, bool otherwise) const {
    const Value* value = find({name});
    if (value == nullptr) return otherwise;
    if (value->text == "true" || value->text == "false") return value->text == "true";
    diagnostics_.add(
        {value->position, fmt::format("'{}' is not a flag", name), "true or false", ""});
    return otherwise;
  }

  [[nodiscard]] std::string text(const char* name) const {
    const Value* value = find({name});
    return value == nullptr ? "" : value->text;
  }

  void refuse(const Value* at, std::string what, std::string expected) const {
    diagnostics_.add(
        {at == nullptr ? map_.position : at->position, std::move(what), std::move(expected), ""});
  }

 private:
  const Value& map_;
  Diagnostics& diagnostics_;
};

void read_shape(const Config& config, Model& model) {
  model.layers = config.required({"num_hidden_layers", "n_layer", "n_layers"});
  model.hidden = config.required({"hidden_size", "n_embd", "dim"});
  model.vocabulary = config.required({"vocab_size"});
  model.tied = config.flag("tie_word_embeddings", false);
  model.attention.heads = config.required({"num_attention_heads", "n_head", "n_heads"});
  model.attention.kv_heads =
      config.number({"num_key_value_heads", "n_kv_heads"}, model.attention.heads);
  const std::int64_t heads = std::max<std::int64_t>(model.attention.heads, 1);
  model.attention.head_dim = config.number({"head_dim"}, model.hidden / heads);
  model.attention.value_dim = model.attention.head_dim;
}

void read_llama(const Config& config, Model& model, std::vector<std::string>& notes) {
  model.mlp.width = config.required({"intermediate_size"});
  model.mlp.bias = config.flag("mlp_bias", false);
  model.attention.qkv_bias = config.flag("attention_bias", false);
  model.attention.out_bias = model.attention.qkv_bias;
  if (model.layers == 126 && model.attention.kv_heads == 16) {
    notes.emplace_back(
        "early exports of Llama 3.1 405B carry 16 key/value heads; the released "
        "model has 8");
  }
}

void read_mixtral(const Config& config, Model& model, std::vector<std::string>& notes) {
  model.moe.experts = config.required({"num_local_experts", "num_experts"});
  model.moe.top_k = config.required({"num_experts_per_tok"});
  model.moe.width = config.required({"intermediate_size"});
  model.attention.window = config.number({"sliding_window"}, 0);
  model.attention.window_every = 1;
  if (model.attention.kv_heads == model.attention.heads) {
    notes.emplace_back(
        "as many key/value heads as query heads: a copy with 32 is in circulation; "
        "Mixtral has 8");
  }
}

void read_qwen(const Config& config, Model& model, std::vector<std::string>& notes) {
  model.moe.experts = config.required({"num_experts", "num_local_experts"});
  model.moe.top_k = config.required({"num_experts_per_tok"});
  model.moe.width = config.required({"moe_intermediate_size"});
  model.moe.every = std::max<std::int64_t>(config.number({"decoder_sparse_step"}, 1), 1);
  model.mlp.width = config.number({"intermediate_size"}, 0);
  model.attention.qk_norm = model.attention.head_dim;
  model.attention.qkv_bias = config.flag("attention_bias", false);
  const Value* dense = config.find({"mlp_only_layers"});
  if (dense != nullptr && !dense->items.empty()) {
    config.refuse(dense, "single dense layers (mlp_only_layers) cannot be told apart here",
                  "an empty list");
  }
  if (config.flag("use_sliding_window", false)) {
    config.refuse(config.find({"use_sliding_window"}), "sliding windows of Qwen are not supported",
                  "use_sliding_window: false");
  }
  if (config.find({"head_dim"}) == nullptr) {
    notes.emplace_back(
        "no head_dim in the file: hidden_size / num_attention_heads is taken, which "
        "Qwen3 does not follow");
  }
}

// DeepSeek's own inference config and SimAI's copy name some keys otherwise.
void read_deepseek(const Config& config, Model& model, std::vector<std::string>& notes) {
  Attention& a = model.attention;
  a.latent = true;
  a.kv_heads = a.heads;
  a.q_lora = config.number({"q_lora_rank"}, 0);
  a.kv_lora = config.required({"kv_lora_rank"});
  a.nope = config.required({"qk_nope_head_dim"});
  a.rope = config.required({"qk_rope_head_dim"});
  a.value_dim = config.required({"v_head_dim"});
  a.head_dim = a.nope + a.rope;
  a.out_bias = config.flag("attention_bias", false);
  model.mlp.width = config.required({"intermediate_size", "inter_dim"});
  Moe& m = model.moe;
  m.experts = config.required({"n_routed_experts", "num_routed_experts"});
  m.shared = config.number({"n_shared_experts", "num_shared_experts"}, 0);
  m.top_k = config.required({"num_experts_per_tok", "n_activated_experts"});
  m.width = config.required({"moe_intermediate_size", "moe_inter_dim"});
  m.shared_width = m.width;
  m.first_dense = config.number({"first_k_dense_replace", "n_dense_layers"}, 0);
  m.every = std::max<std::int64_t>(config.number({"moe_layer_freq"}, 1), 1);
  m.groups = std::max<std::int64_t>(config.number({"n_group", "n_expert_groups"}, 1), 1);
  m.top_groups = std::max<std::int64_t>(config.number({"topk_group", "n_limited_groups"}, 1), 1);
  m.correction_bias = config.text("topk_method") == "noaux_tc";
  model.predicted_layers = config.number({"num_nextn_predict_layers"}, 0);
  if (config.find({"num_routed_experts"}) != nullptr) {
    notes.emplace_back("num_routed_experts is read as n_routed_experts (a renamed copy)");
  }
}

void read_layer_types(const Config& config, Model& model) {
  const Value* types = config.find({"layer_types"});
  model.attention.window = config.number({"sliding_window"}, 0);
  if (types == nullptr) return;
  std::int64_t windowed = 0;
  bool alternating = true;
  for (std::size_t i = 0; i < types->items.size(); ++i) {
    const bool slides = types->items[i].text == "sliding_attention";
    windowed += slides ? 1 : 0;
    alternating = alternating && slides == (i % 2 == 0);
  }
  if (windowed == 0) {
    model.attention.window = 0;
  } else if (windowed == static_cast<std::int64_t>(types->items.size())) {
    model.attention.window_every = 1;
  } else if (!alternating) {
    config.refuse(types, "layer_types is neither all of one kind nor alternating from a window on",
                  "sliding_attention, full_attention, sliding_attention, ...");
  }
}

void read_gpt_oss(const Config& config, Model& model) {
  model.moe.experts = config.required({"num_local_experts", "num_experts"});
  model.moe.top_k = config.required({"num_experts_per_tok", "experts_per_token"});
  model.moe.width = config.required({"intermediate_size"});
  model.moe.expert_bias = true;
  model.moe.router_bias = true;
  model.attention.qkv_bias = config.flag("attention_bias", true);
  model.attention.out_bias = model.attention.qkv_bias;
  model.attention.sinks = model.attention.heads;
  read_layer_types(config, model);
}

void read_gpt2(const Config& config, Model& model) {
  model.mlp.width = config.number({"n_inner"}, 4 * model.hidden);
  model.mlp.gated = false;
  model.mlp.bias = true;
  model.layer_norm = true;
  model.tied = config.flag("tie_word_embeddings", true);
  model.learned_positions = config.required({"n_positions", "n_ctx"});
  model.attention.qkv_bias = true;
  model.attention.out_bias = true;
}

bool read_family(const Config& config, ImportedModel& imported) {
  Model& model = imported.model;
  const std::string& family = model.family;
  if (family == "llama") return read_llama(config, model, imported.notes), true;
  if (family == "mixtral") return read_mixtral(config, model, imported.notes), true;
  if (family == "qwen3_moe") return read_qwen(config, model, imported.notes), true;
  if (family == "deepseek_v3") return read_deepseek(config, model, imported.notes), true;
  if (family == "gpt_oss") return read_gpt_oss(config, model), true;
  if (family == "gpt2") return read_gpt2(config, model), true;
  return false;
}

void note_quantisation(const Config& config, std::vector<std::string>& notes) {
  const Value* quantised = config.find({"quantization_config"});
  if (quantised == nullptr || quantised->kind != Value::Kind::kMap) return;
  const Value::Entry* method = quantised->find("quant_method");
  notes.push_back(fmt::format("the checkpoint is stored as {}; layout.dtype says what is computed",
                              method == nullptr ? "quantised weights" : method->value.text));
}

}  // namespace

const std::vector<std::string>& hf_families() {
  static const std::vector<std::string> kFamilies = {"llama",       "mixtral", "qwen3_moe",
                                                     "deepseek_v3", "gpt_oss", "gpt2"};
  return kFamilies;
}

std::optional<ImportedModel> import_hf_config(const std::string& text, Diagnostics& diagnostics) {
  const std::optional<Value> tree = scenarios::parse_yaml(text, diagnostics);
  if (!tree) return std::nullopt;
  if (tree->kind != Value::Kind::kMap) {
    diagnostics.add({tree->position, "the file is no JSON object", "a config.json", ""});
    return std::nullopt;
  }
  const Value::Entry* nested = tree->find("text_config");
  const bool inside = nested != nullptr && nested->value.kind == Value::Kind::kMap;
  const Config config(inside ? nested->value : *tree, diagnostics);
  ImportedModel imported;
  if (inside) imported.notes.emplace_back("text_config is read; the other parts are left out");
  imported.model.family = config.text("model_type");
  if (std::ranges::find(hf_families(), imported.model.family) == hf_families().end()) {
    const std::string near = sim::nearest(imported.model.family, hf_families());
    diagnostics.add({config.find({"model_type"}) == nullptr ? tree->position
                                                            : config.find({"model_type"})->position,
                     imported.model.family.empty()
                         ? "missing key 'model_type'"
                         : fmt::format("unknown model_type {}", sim::quoted(imported.model.family)),
                     fmt::format("one of {}", fmt::join(hf_families(), ", ")),
                     near.empty() ? "describe the model under model.architecture instead"
                                  : fmt::format("did you mean '{}'?", near)});
    return std::nullopt;
  }
  imported.model.name = imported.model.family;
  read_shape(config, imported.model);
  read_family(config, imported);
  note_quantisation(config, imported.notes);
  if (!diagnostics.empty()) return std::nullopt;
  if (!check_model(imported.model, tree->position, diagnostics)) return std::nullopt;
  return imported;
}

}  // namespace workload
