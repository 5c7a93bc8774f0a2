// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/imports.h"

#include <gtest/gtest.h>

namespace workload {
namespace {

std::string value_of(const Imported& imported, std::string_view key) {
  for (const Mapping& one : imported.mapped) {
    if (one.key == key) return one.value;
  }
  return "";
}

bool listed(const std::vector<std::string>& texts, std::string_view start) {
  for (const std::string& text : texts) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

TEST(TorchTitan, IsMappedAndWhatIsNotIsListed) {
  const sim::Result<Imported> read = import_torchtitan(
      "[model]\nname = \"llama3\"\nflavor = \"405B\"\n[training]\nseq_len = 8192\n"
      "local_batch_size = 2\nsteps = 1000\n[parallelism]\ntensor_parallel_degree = 8\n"
      "data_parallel_shard_degree = -1\npipeline_parallel_schedule = \"ZBVZeroBubble\"\n"
      "enable_async_tensor_parallel = true\n[activation_checkpoint]\nmode = \"full\"\n"
      "[experimental]\ncustom = 3\n");
  ASSERT_TRUE(read.ok());
  const Imported& imported = read.value();
  EXPECT_EQ(value_of(imported, "model.preset"), "llama-3.1-405b");
  EXPECT_EQ(value_of(imported, "layout.seq_len"), "8192");
  EXPECT_EQ(value_of(imported, "layout.micro_batch_size"), "2");
  EXPECT_EQ(value_of(imported, "layout.tensor_parallel_degree"), "8");
  EXPECT_EQ(value_of(imported, "layout.pipeline_parallel_schedule"), "ZBV");
  EXPECT_EQ(value_of(imported, "layout.overlap.tensor"), "chunked");
  EXPECT_EQ(value_of(imported, "layout.activation_checkpoint"), "full");
  EXPECT_EQ(value_of(imported, "layout.data_parallel_shard_degree"), "");
  EXPECT_TRUE(listed(imported.unmapped, "training.steps = 1000: no bearing"));
  EXPECT_TRUE(listed(imported.unmapped, "experimental.custom = 3: not known here"));
  EXPECT_EQ(imported.notes.size(), 1U);
}

TEST(TorchTitan, SaysWhereAFileIsBroken) {
  const sim::Result<Imported> read = import_torchtitan("[training]\nseq_len = = 3\n");
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(read.failure().what.starts_with("line 2:")) << read.failure().what;
}

TEST(Megatron, IsMappedWithItsDefaults) {
  const sim::Result<Imported> read = import_megatron(
      "--tensor-model-parallel-size 8 --pipeline-model-parallel-size=4 --micro-batch-size 1 \\\n"
      "--global-batch-size 512 --seq-length 4096 --num-layers 96 --hidden-size 12288 "
      "--num-attention-heads 96 --moe-grouped-gemm --sequence-parallel "
      "--num-virtual-stages-per-pipeline-rank 3");
  ASSERT_TRUE(read.ok());
  const Imported& imported = read.value();
  EXPECT_EQ(value_of(imported, "layout.tensor_parallel_degree"), "8");
  EXPECT_EQ(value_of(imported, "layout.pipeline_parallel_degree"), "4");
  EXPECT_EQ(value_of(imported, "layout.pipeline_parallel_schedule"), "Interleaved1F1B");
  EXPECT_EQ(value_of(imported, "layout.sequence_parallel"), "true");
  EXPECT_EQ(value_of(imported, "layout.data_parallel_sharding"), "no_shard");
  EXPECT_TRUE(listed(imported.unmapped, "moe-grouped-gemm: not known here"));
  const std::string page = import_page(imported);
  EXPECT_NE(page.find("model:\n  architecture:\n    num_hidden_layers: 96\n"), std::string::npos)
      << page;
  EXPECT_NE(page.find("    attention:\n      num_attention_heads: 96\n"), std::string::npos)
      << page;
}

TEST(Vllm, SpreadsExpertsOverTensorAndDataRanks) {
  const sim::Result<Imported> read = import_vllm(
      "-tp 8 --data-parallel-size 4 --enable-expert-parallel --all2all-backend pplx "
      "--max-num-seqs 64 --max-model-len 8192 --quantization gptq");
  ASSERT_TRUE(read.ok());
  const Imported& imported = read.value();
  EXPECT_EQ(value_of(imported, "layout.expert_parallel_degree"), "32");
  EXPECT_EQ(value_of(imported, "layout.moe_dispatcher"), "alltoall");
  EXPECT_TRUE(listed(imported.unmapped, "quantization = gptq: no such value"));
}

TEST(Arguments, ThatAreNoneAreRefused) { EXPECT_FALSE(import_megatron("  ").ok()); }

}  // namespace
}  // namespace workload
