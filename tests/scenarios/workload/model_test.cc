// SPDX-License-Identifier: GPL-2.0-only
// Architectures against published totals, to the last digit, and FLOPs against published rates.
#include "scenarios/workload/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scenarios/workload/architecture.h"

namespace workload {
namespace {

Model model(const char* name) {
  const std::optional<ModelPreset> preset = find_model(name);
  EXPECT_TRUE(preset) << name;
  return preset ? preset->model : Model{};
}

TEST(Models, HaveThePublishedNumberOfParameters) {
  const std::vector<ModelPreset> presets = model_presets();
  ASSERT_EQ(presets.size(), 12U);
  for (const ModelPreset& preset : presets) {
    EXPECT_EQ(total_parameters(preset.model), preset.published_total) << preset.model.name;
    EXPECT_EQ(active_parameters(preset.model), preset.published_active) << preset.model.name;
    EXPECT_FALSE(preset.sources.empty()) << preset.model.name;
  }
}

TEST(Models, HaveThePublishedParametersPerLayer) {
  EXPECT_EQ(layer_parameters(model("llama-3.1-8b"), false).total(), 218'112'000);
  EXPECT_EQ(attention_parameters(model("llama-3.1-405b")), 570'425'344);
  EXPECT_EQ(layer_parameters(model("gpt-oss-120b"), true).total(), 3'213'080'192);
  EXPECT_EQ(expert_parameters(model("gpt-oss-120b")), 24'891'840);
  EXPECT_EQ(layer_parameters(model("deepseek-v3"), true).total(), 11'507'286'272);
  EXPECT_EQ(layer_parameters(model("deepseek-v3"), false).total(), 583'483'392);
  EXPECT_EQ(attention_parameters(model("qwen3-235b-a22b")), 71'303'424);
  EXPECT_EQ(layer_parameters(model("mixtral-8x22b"), true).total(), 2'504'060'928);
  EXPECT_EQ(layer_parameters(model("gpt3-175b"), false).total(), 1'812'099'072);
  EXPECT_EQ(layer_parameters(model("wan2.1-t2v-14b"), false).total(), 351'394'304);
}

TEST(Models, AreFoundByTheirAliases) { EXPECT_EQ(model("deepseek-r1").name, "deepseek-v3"); }

// Published TFLOP/s over published tokens/s of a chip (NVIDIA-NeMo/Megatron-Bridge,
// docs/performance-summary*.md @ 067f987) is the FLOPs that Megatron counts per token.
TEST(Models, TrainOnAsManyFlopsATokenAsPublished) {
  struct Row {
    const char* model;
    double tflops;
    double tokens;
    std::int64_t sequence;
  };
  for (const Row& row : {Row{"llama-3.1-405b", 822, 326, 8192},
                         {"llama-3.1-8b", 744, 14451, 8192},
                         {"qwen3-235b-a22b", 1306, 8816, 4096},
                         {"deepseek-v3", 1635, 6288, 4096},
                         {"gpt-oss-120b", 1077, 33024, 4096}}) {
    const double published = row.tflops * 1e12 / row.tokens;
    EXPECT_NEAR(megatron_flops(model(row.model), row.sequence) / published, 1, 0.005) << row.model;
  }
}

TEST(Models, AttendFullyByTorchTitansCount) {
  const Model llama = model("llama-3.1-8b");
  const double half = token_flops(llama, 8192, true).attention;
  EXPECT_DOUBLE_EQ(token_flops(llama, 8192, false).attention, 2 * half);
  EXPECT_GT(torchtitan_flops(llama, 8192), megatron_flops(llama, 8192));
}

TEST(Models, CacheAsManyBytesATokenAsPublished) {
  EXPECT_EQ(cache_bytes(model("llama-3.1-8b"), 2), 131'072);
  EXPECT_EQ(cache_bytes(model("llama-3.1-405b"), 2), 516'096);
  EXPECT_EQ(cache_bytes(model("qwen3-235b-a22b"), 2), 192'512);
  EXPECT_EQ(cache_bytes(model("gpt3-175b"), 2), 4'718'592);
  EXPECT_EQ(cache_bytes(model("deepseek-v3"), 2), 70'272);
  EXPECT_EQ(cache_bytes(model("gpt-oss-120b"), 2), 73'728);
  EXPECT_EQ(cache_bytes_beyond_window(model("gpt-oss-120b"), 2), 36'864);
}

// n (1 - C(E - E/n, k) / C(E, k)), worked out by hand for small cases and tabled for the models.
TEST(Routing, FallsIntoAsManyGroupsAsCombinatoricsSay) {
  EXPECT_DOUBLE_EQ(distinct_groups(8, 2, 1), 1);
  EXPECT_NEAR(distinct_groups(8, 2, 2), 2 * (1 - 6.0 / 28), 1e-12);  // C(4,2) / C(8,2)
  EXPECT_NEAR(distinct_groups(256, 8, 64), 7.676, 0.0005);
  EXPECT_NEAR(distinct_groups(256, 8, 8), 5.295, 0.0005);
  EXPECT_NEAR(distinct_groups(128, 4, 16), 3.680, 0.0005);
  EXPECT_NEAR(distinct_groups(128, 8, 4), 3.629, 0.0005);
}

}  // namespace
}  // namespace workload
