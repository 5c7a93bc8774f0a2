// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/layout.h"

#include <gtest/gtest.h>

#include "scenarios/workload/architecture.h"

namespace workload {
namespace {

Model model(const char* name) { return find_model(name)->model; }

Layout layout(std::int64_t tensor, std::int64_t pipeline, std::int64_t shard) {
  Layout one;
  one.tensor = tensor;
  one.pipeline = pipeline;
  one.shard = shard;
  one.sequence = 4096;
  one.global_batch = 8 * shard;
  return one;
}

std::string key_at_fault(const Model& of, const Layout& one, std::int64_t ranks) {
  const std::optional<LayoutFault> fault = fault_in(of, one, ranks);
  return fault ? fault->key : "";
}

TEST(Layout, MustMultiplyToTheRanks) {
  EXPECT_EQ(key_at_fault(model("llama-3.1-8b"), layout(8, 1, 18), 144), "");
  EXPECT_EQ(key_at_fault(model("llama-3.1-8b"), layout(8, 1, 16), 144),
            "data_parallel_shard_degree");
}

TEST(Layout, MustDivideHeadsExpertsAndBatches) {
  EXPECT_EQ(key_at_fault(model("llama-3.1-8b"), layout(12, 1, 12), 144), "tensor_parallel_degree");
  Layout experts = layout(1, 1, 144);
  experts.expert = 144;
  EXPECT_EQ(key_at_fault(model("gpt-oss-120b"), experts, 144), "expert_parallel_degree");
  experts.expert = 16;
  EXPECT_EQ(key_at_fault(model("gpt-oss-120b"), experts, 144), "");
  EXPECT_EQ(key_at_fault(model("llama-3.1-8b"), experts, 144), "expert_parallel_degree");
  Layout batch = layout(1, 1, 144);
  batch.global_batch = 100;
  EXPECT_EQ(key_at_fault(model("llama-3.1-8b"), batch, 144), "global_batch_size");
}

TEST(Layout, MustHaveLayersForItsStages) {
  EXPECT_EQ(key_at_fault(model("llama-3.1-8b"), layout(1, 36, 4), 144), "pipeline_parallel_degree");
  Layout folded = layout(1, 4, 36);
  folded.schedule = Schedule::kZbv;
  EXPECT_EQ(key_at_fault(model("llama-3.1-8b"), folded, 144), "virtual_stages");
}

TEST(Layout, NineDividesAnUltraServer) {
  EXPECT_EQ(key_at_fault(model("llama-3.1-405b"), layout(16, 9, 1), 144), "");
}

TEST(Layout, SpreadsLayersEvenlyTheFirstStagesGettingOneMore) {
  const Model deepseek = model("deepseek-v3");
  const Layout one = layout(1, 16, 4);
  std::int64_t sum = 0;
  for (std::int64_t chunk = 0; chunk < 16; ++chunk) {
    const LayerRange range = chunk_layers(deepseek, one, chunk);
    EXPECT_EQ(range.first, sum);
    sum = range.last;
    EXPECT_EQ(range.last - range.first, chunk < 61 % 16 ? 4 : 3);
  }
  EXPECT_EQ(sum, 61);
}

TEST(Layout, FoldsBackInV) {
  Layout one = layout(1, 4, 1);
  one.schedule = Schedule::kZbv;
  one.virtual_stages = 2;
  EXPECT_EQ(stage_of_chunk(one, 3), 3);
  EXPECT_EQ(stage_of_chunk(one, 4), 3);
  EXPECT_EQ(stage_of_chunk(one, 7), 0);
}

TEST(NearestLayouts, WorkAndStartWithTheLeastChange) {
  const Model llama = model("llama-3.1-405b");
  const Layout wrong = layout(12, 1, 12);
  const std::vector<Layout> near = nearest_layouts(llama, wrong, 144, 3);
  ASSERT_FALSE(near.empty());
  for (const Layout& one : near) EXPECT_FALSE(fault_in(llama, one, 144)) << one.text();
  EXPECT_TRUE(near[0].tensor == 8 || near[0].tensor == 16) << near[0].text();
}

TEST(Divisors, AreAllInOrder) {
  EXPECT_EQ(divisors(36), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 9, 12, 18, 36}));
  EXPECT_EQ(divisors(1), (std::vector<std::int64_t>{1}));
}

}  // namespace
}  // namespace workload
