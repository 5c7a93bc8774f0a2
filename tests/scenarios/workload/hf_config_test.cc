// SPDX-License-Identifier: GPL-2.0-only
// config.json of every family gives the preset's model; the traps of files in circulation.
#include "scenarios/workload/hf_config.h"

#include <gtest/gtest.h>

#include "scenarios/workload/architecture.h"

namespace workload {
namespace {

struct Import {
  std::optional<ImportedModel> model;
  std::string faults;
};

Import import(const std::string& text) {
  sim::Diagnostics diagnostics("config.json", text);
  std::optional<ImportedModel> model = import_hf_config(text, diagnostics);
  return {std::move(model), diagnostics.empty() ? "" : diagnostics.render()};
}

void expect_preset(const std::string& text, const char* preset) {
  const Import imported = import(text);
  ASSERT_TRUE(imported.model) << imported.faults;
  const Model& model = imported.model->model;
  const std::optional<ModelPreset> known = find_model(preset);
  ASSERT_TRUE(known);
  EXPECT_EQ(total_parameters(model), known->published_total);
  EXPECT_EQ(active_parameters(model), known->published_active);
  EXPECT_EQ(cache_bytes_beyond_window(model, 2), cache_bytes_beyond_window(known->model, 2));
  EXPECT_DOUBLE_EQ(megatron_flops(model, 4096), megatron_flops(known->model, 4096));
}

const char* const kLlama =
    R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
 "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
 "vocab_size": 128256, "rms_norm_eps": 1e-05, "rope_theta": 500000.0, "tie_word_embeddings": false,
 "rope_scaling": {"rope_type": "llama3", "factor": 8.0}, "torch_dtype": "bfloat16"})";

TEST(HfConfig, GivesLlama) { expect_preset(kLlama, "llama-3.1-8b"); }

TEST(HfConfig, GivesMixtral) {
  expect_preset(R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096,
 "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
 "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000, "sliding_window": null})",
                "mixtral-8x7b");
}

TEST(HfConfig, GivesQwenWhoseHeadsAreWiderThanItsHiddenSize) {
  expect_preset(R"({"model_type": "qwen3_moe", "num_hidden_layers": 94, "hidden_size": 4096,
 "intermediate_size": 12288, "moe_intermediate_size": 1536, "num_attention_heads": 64,
 "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
 "decoder_sparse_step": 1, "mlp_only_layers": [], "vocab_size": 151936, "attention_bias": false})",
                "qwen3-235b-a22b");
}

TEST(HfConfig, GivesDeepSeek) {
  expect_preset(R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168,
 "intermediate_size": 18432, "moe_intermediate_size": 2048, "num_attention_heads": 128,
 "num_key_value_heads": 128, "n_routed_experts": 256, "n_shared_experts": 1,
 "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 8,
 "topk_group": 4, "topk_method": "noaux_tc", "q_lora_rank": 1536, "kv_lora_rank": 512,
 "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280,
 "num_nextn_predict_layers": 1, "quantization_config": {"quant_method": "fp8"}})",
                "deepseek-v3");
}

TEST(HfConfig, GivesGptOssWithItsAliasesAndWindows) {
  expect_preset(R"({"model_type": "gpt_oss", "num_hidden_layers": 24, "hidden_size": 2880,
 "intermediate_size": 2880, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
 "num_experts": 32, "experts_per_token": 4, "vocab_size": 201088, "sliding_window": 128,
 "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
 "attention_bias": true})",
                "gpt-oss-20b");
}

TEST(HfConfig, GivesGpt2StyleNames) {
  expect_preset(R"({"model_type": "gpt2", "n_layer": 96, "n_embd": 12288, "n_head": 96,
 "n_inner": null, "n_positions": 2048, "vocab_size": 50257})",
                "gpt3-175b");
}

TEST(HfConfig, ReadsNestedTextConfigs) {
  const Import imported =
      import(std::string(R"({"model_type": "x", "text_config": )") + kLlama + "}");
  ASSERT_TRUE(imported.model) << imported.faults;
  EXPECT_EQ(total_parameters(imported.model->model), 8'030'261'248);
  EXPECT_EQ(imported.model->notes.size(), 1U);
}

TEST(HfConfig, TakesAllHeadsWhereKeyValueHeadsAreMissing) {
  const Import imported = import(R"({"model_type": "llama", "num_hidden_layers": 2,
 "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "vocab_size": 10})");
  ASSERT_TRUE(imported.model) << imported.faults;
  EXPECT_EQ(imported.model->model.attention.kv_heads, 4);
  EXPECT_EQ(imported.model->model.attention.head_dim, 16);
}

TEST(HfConfig, WarnsOfAlteredCopies) {
  std::string text = kLlama;
  text.replace(text.find("\"num_hidden_layers\": 32"), 23, "\"num_hidden_layers\": 126");
  text.replace(text.find("\"num_key_value_heads\": 8"), 24, "\"num_key_value_heads\": 16");
  const Import imported = import(text);
  ASSERT_TRUE(imported.model) << imported.faults;
  ASSERT_EQ(imported.model->notes.size(), 1U);
  EXPECT_NE(imported.model->notes[0].find("16 key/value heads"), std::string::npos);
}

TEST(HfConfig, RefusesUnknownFamiliesWithTheListOfKnownOnes) {
  const Import imported = import("{\"model_type\": \"lama\"}");
  EXPECT_FALSE(imported.model);
  EXPECT_NE(imported.faults.find("config.json:1:16: error: unknown model_type 'lama'"),
            std::string::npos)
      << imported.faults;
  EXPECT_NE(imported.faults.find("llama, mixtral, qwen3_moe, deepseek_v3, gpt_oss, gpt2"),
            std::string::npos);
  EXPECT_NE(imported.faults.find("did you mean 'llama'?"), std::string::npos);
}

TEST(HfConfig, NamesMissingKeysAndWrongNumbers) {
  const Import imported = import(R"({"model_type": "llama", "num_hidden_layers": "many",
 "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 10})");
  EXPECT_FALSE(imported.model);
  EXPECT_NE(imported.faults.find("'num_hidden_layers' is not a whole number"), std::string::npos)
      << imported.faults;
  EXPECT_NE(imported.faults.find("missing key 'intermediate_size'"), std::string::npos);
}

}  // namespace
}  // namespace workload
