// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "scenarios/loader/embedded.h"
#include "scenarios/loader/yaml.h"
#include "scenarios/workload/declare.h"
#include "sim/base/check.h"

namespace workload {
namespace {

using sim::Diagnostics;
using sim::Key;
using sim::Section;

constexpr std::int64_t kMostSize = 10'000'000;

Key size(std::string name, std::string help, std::string fallback = "") {
  return count_key(std::move(name), std::move(help), 0, kMostSize, std::move(fallback));
}

Key attention_key() {
  return required(section_key(
      "attention", "Self-attention of each layer.",
      {choice_key("type", "Grouped queries (MHA and MQA included) or DeepSeek's latent attention.",
                  {"gqa", "mla"}, "gqa"),
       required(count_key("num_attention_heads", "Query heads.", 1, kMostSize)),
       size("num_key_value_heads", "Key and value heads; as many as query heads when left out."),
       size("head_dim", "Size of a head; hidden_size / num_attention_heads when left out."),
       size("q_lora_rank", "mla: rank of the query projection, 0 for none.", "0"),
       size("kv_lora_rank", "mla: size of the compressed keys and values.", "0"),
       size("qk_nope_head_dim", "mla: part of a query head without position.", "0"),
       size("qk_rope_head_dim", "mla: part of a query head with position.", "0"),
       size("v_head_dim", "mla: size of a value head.", "0"),
       flag_key("qkv_bias", "Biases on queries, keys and values.", "false"),
       flag_key("out_bias", "Bias on the output.", "false"),
       choice_key("qk_norm", "Norms of queries and keys: over a head or all heads.",
                  {"none", "head", "full"}, "none"),
       size("sinks_per_layer", "Learned sink logits of a layer.", "0"),
       flag_key("causal", "A token sees only the tokens before it.", "true"),
       size("sliding_window", "Tokens that a windowed layer sees, 0 for no such layers.", "0"),
       count_key("sliding_window_every", "One layer in so many has the window.", 1, 1000, "2")}));
}

Key moe_key() {
  return section_key(
      "moe", "Routed experts in place of the MLP.",
      {required(count_key("num_experts", "Routed experts of a layer.", 2, 100'000)),
       required(count_key("num_experts_per_tok", "Experts that a token visits (top k).", 1, 1000)),
       required(count_key("moe_intermediate_size", "Width of one expert.", 1, kMostSize)),
       size("num_shared_experts", "Experts that every token visits.", "0"),
       size("shared_expert_intermediate_size", "Width of each; as routed when left out."),
       size("first_dense_layers", "Leading layers with the dense MLP.", "0"),
       count_key("moe_layer_freq", "Of the others, one in so many has experts.", 1, 1000, "1"),
       flag_key("expert_bias", "Biases on the experts.", "false"),
       flag_key("router_bias", "Bias on the router.", "false"),
       flag_key("correction_bias", "One balancing number per expert.", "false"),
       count_key("n_group", "Groups of experts for node-limited routing.", 1, 10'000, "1"),
       count_key("topk_group", "Groups that a token may use.", 1, 10'000, "1")});
}

Key video_key() {
  return section_key("video", "What a video transformer has beside its blocks.",
                     {size("context_tokens", "Text tokens of the cross-attention.", "0"),
                      size("modulation", "Rows that shift and scale each block.", "0"),
                      size("patch_elements", "Latent elements of one token.", "0"),
                      size("out_patch_elements", "Elements that the head writes a token.", "0"),
                      size("text_dim", "Size of a text embedding.", "0"),
                      size("freq_dim", "Size of the time embedding.", "0"),
                      size("double_blocks", "Blocks with two streams of weights.", "0"),
                      size("single_blocks", "Blocks with one fused stream.", "0")});
}

Attention read_attention(const Section& section, std::int64_t hidden) {
  Attention a;
  a.latent = section.text("type") == "mla";
  a.heads = section.count("num_attention_heads");
  a.kv_heads = a.latent ? a.heads : count_or(section, "num_key_value_heads", a.heads);
  a.head_dim = count_or(section, "head_dim", hidden / a.heads);
  a.value_dim = a.head_dim;
  if (a.latent) {
    a.q_lora = section.count("q_lora_rank");
    a.kv_lora = section.count("kv_lora_rank");
    a.nope = section.count("qk_nope_head_dim");
    a.rope = section.count("qk_rope_head_dim");
    a.head_dim = a.nope + a.rope;
    a.value_dim = section.count("v_head_dim");
  }
  a.qkv_bias = section.flag("qkv_bias");
  a.out_bias = section.flag("out_bias");
  const std::string& norm = section.text("qk_norm");
  a.qk_norm = norm == "none" ? 0 : norm == "head" ? a.head_dim : a.heads * a.head_dim;
  a.sinks = section.count("sinks_per_layer");
  a.causal = section.flag("causal");
  a.window = section.count("sliding_window");
  a.window_every = section.count("sliding_window_every");
  return a;
}

Moe read_moe(const Section& section) {
  Moe m;
  m.experts = section.count("num_experts");
  m.top_k = section.count("num_experts_per_tok");
  m.width = section.count("moe_intermediate_size");
  m.shared = section.count("num_shared_experts");
  m.shared_width = count_or(section, "shared_expert_intermediate_size", m.width);
  m.first_dense = section.count("first_dense_layers");
  m.every = section.count("moe_layer_freq");
  m.expert_bias = section.flag("expert_bias");
  m.router_bias = section.flag("router_bias");
  m.correction_bias = section.flag("correction_bias");
  m.groups = section.count("n_group");
  m.top_groups = section.count("topk_group");
  return m;
}

Video read_video(const Section& section) {
  return {section.count("context_tokens"), section.count("modulation"),
          section.count("patch_elements"), section.count("out_patch_elements"),
          section.count("text_dim"),       section.count("freq_dim"),
          section.count("double_blocks"),  section.count("single_blocks")};
}

std::vector<Key> file_keys() {
  Key aliases = text_key("aliases", "");
  aliases.shape = Key::Shape::kScalars;
  Key sources = text_key("sources", "");
  sources.shape = Key::Shape::kOpenMap;
  return {required(text_key("model", "")),
          required(text_key("summary", "")),
          aliases,
          count_key("params_total", "", 0, std::int64_t{1} << 60, "0"),
          count_key("params_active", "", 0, std::int64_t{1} << 60, "0"),
          required(section_key("architecture", "", architecture_keys())),
          required(sources)};
}

ModelPreset fill(const Section& section, Diagnostics& diagnostics) {
  ModelPreset preset;
  std::optional<Model> model = read_architecture(section.section("architecture"), diagnostics);
  if (!model) return preset;
  preset.model = std::move(*model);
  preset.model.name = section.text("model");
  preset.model.source = "preset " + preset.model.name;
  preset.summary = section.text("summary");
  if (const Section::Entry* aliases = section.find("aliases")) {
    for (const sim::Quantity& one : aliases->scalars) preset.aliases.push_back(one.text);
  }
  preset.published_total = section.count("params_total");
  preset.published_active = section.count("params_active");
  for (const sim::Value::Entry& one : section.find("sources")->open.entries) {
    preset.sources.push_back(one.key + ": " + one.value.text);
  }
  return preset;
}

ModelPreset parse_shipped(const scenarios::EmbeddedFile& file) {
  const std::string text = scenarios::clean_text(file.text);
  Diagnostics diagnostics("scenarios/models/" + std::string(file.name), text);
  ModelPreset preset;
  if (const std::optional<sim::Value> tree = scenarios::parse_yaml(text, diagnostics)) {
    const Section section = sim::read_section(*tree, file_keys(), "", diagnostics);
    if (diagnostics.empty()) preset = fill(section, diagnostics);
  }
  if (!diagnostics.empty()) std::fputs(diagnostics.render().c_str(), stderr);
  CHECK(diagnostics.empty());
  return preset;
}

}  // namespace

std::vector<Key> architecture_keys() {
  return {text_key("name", "Name for the answer."),
          choice_key("kind", "Language model, or diffusion transformer for video.",
                     {"decoder_lm", "video_dit"}, "decoder_lm"),
          required(count_key("num_hidden_layers", "Layers.", 1, kMostLayers)),
          required(count_key("hidden_size", "Hidden size.", 1, kMostSize)),
          size("vocab_size", "Tokens of the vocabulary.", "0"),
          flag_key("tie_word_embeddings", "Input embedding and head share weights.", "false"),
          size("learned_positions", "Learned position embeddings; 0 for rotary ones.", "0"),
          choice_key("norm", "Norms: one number per element or two.", {"rmsnorm", "layernorm"},
                     "rmsnorm"),
          attention_key(),
          section_key("mlp", "Dense MLP.",
                      {required(count_key("intermediate_size", "Width.", 1, kMostSize)),
                       flag_key("gated", "Three matrices (SwiGLU) or two.", "true"),
                       flag_key("bias", "Biases.", "false")}),
          moe_key(),
          count_key("num_nextn_predict_layers",
                    "Layers for multi-token prediction, in training only.", 0, 100, "0"),
          video_key()};
}

std::optional<Model> read_architecture(const Section& section, Diagnostics& diagnostics) {
  Model model;
  model.name = section.has("name") ? section.text("name") : "inline model";
  model.family = "inline";
  model.source = "the scenario";
  model.video = section.text("kind") == "video_dit";
  model.layers = section.count("num_hidden_layers");
  model.hidden = section.count("hidden_size");
  model.vocabulary = section.count("vocab_size");
  model.tied = section.flag("tie_word_embeddings");
  model.learned_positions = section.count("learned_positions");
  model.layer_norm = section.text("norm") == "layernorm";
  if (!section.has("attention")) return std::nullopt;
  model.attention = read_attention(section.section("attention"), model.hidden);
  if (section.has("mlp")) {
    const Section& mlp = section.section("mlp");
    model.mlp = {mlp.count("intermediate_size"), mlp.flag("gated"), mlp.flag("bias")};
  }
  if (section.has("moe")) model.moe = read_moe(section.section("moe"));
  if (section.has("video")) model.extra = read_video(section.section("video"));
  model.predicted_layers = section.count("num_nextn_predict_layers");
  if (!check_model(model, section.place, diagnostics)) return std::nullopt;
  return model;
}

bool check_model(const Model& model, sim::Position place, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.count();
  const auto refuse = [&](std::string what, std::string expected) {
    diagnostics.add({place, std::move(what), std::move(expected), ""});
  };
  const Attention& a = model.attention;
  if (a.kv_heads < 1 || a.heads % a.kv_heads != 0) {
    refuse(fmt::format("{} key/value heads do not divide {} query heads", a.kv_heads, a.heads),
           "query heads that are a multiple of the key/value heads");
  }
  if (a.head_dim < 1 || a.value_dim < 1) {
    refuse("a head has no size", "head_dim, or for mla qk_nope_head_dim and v_head_dim");
  }
  const bool dense_layers = !model.is_moe() || model.moe.first_dense > 0 || model.moe.every > 1;
  if (dense_layers && model.mlp.width == 0 && model.extra.double_blocks == 0) {
    refuse("the model has layers without experts and no dense MLP", "mlp: {intermediate_size: N}");
  }
  if (model.is_moe() && model.moe.top_k > model.moe.experts) {
    refuse(fmt::format("a token visits {} of {} experts", model.moe.top_k, model.moe.experts),
           "num_experts_per_tok of at most num_experts");
  }
  if (model.is_moe() &&
      (model.moe.experts % model.moe.groups != 0 || model.moe.top_groups > model.moe.groups)) {
    refuse(fmt::format("{} of {} groups over {} experts", model.moe.top_groups, model.moe.groups,
                       model.moe.experts),
           "n_group that divides num_experts, topk_group of at most n_group");
  }
  if (!model.video && model.vocabulary == 0) {
    refuse("a language model needs a vocabulary", "vocab_size of at least 1");
  }
  return diagnostics.count() == before;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const scenarios::EmbeddedFile& file : scenarios::model_files()) {
    names.emplace_back(file.name.substr(0, file.name.rfind(".yaml")));
  }
  return names;
}

std::optional<ModelPreset> find_model(std::string_view name) {
  for (const scenarios::EmbeddedFile& file : scenarios::model_files()) {
    if (file.name == std::string(name) + ".yaml") return parse_shipped(file);
  }
  for (const scenarios::EmbeddedFile& file : scenarios::model_files()) {
    if (file.text.find("aliases:") == std::string_view::npos) continue;
    ModelPreset preset = parse_shipped(file);
    if (std::ranges::find(preset.aliases, name) != preset.aliases.end()) return preset;
  }
  return std::nullopt;
}

std::vector<ModelPreset> model_presets() {
  std::vector<ModelPreset> all;
  for (const scenarios::EmbeddedFile& file : scenarios::model_files()) {
    all.push_back(parse_shipped(file));
    CHECK(file.name == all.back().model.name + ".yaml");
  }
  return all;
}

}  // namespace workload
