// SPDX-License-Identifier: GPL-2.0-only
// Memory terms against the published formulas and derived figures.
#include "scenarios/workload/memory.h"

#include <gtest/gtest.h>

#include "scenarios/workload/architecture.h"

namespace workload {
namespace {

Layout one_token() {
  Layout layout;
  layout.sequence = 1;
  return layout;
}

std::int64_t term(const MemoryTable& table, std::string_view name) {
  for (const MemoryTerm& one : table.terms) {
    if (one.name == name) return one.bytes;
  }
  return 0;
}

TEST(Activations, TakeTheDerivedBytesPerToken) {
  const auto bytes = [](const char* name, bool moe) {
    return activation_bytes(find_model(name)->model, one_token(), moe);
  };
  EXPECT_EQ(bytes("llama-3.1-8b", false), 139'392);
  EXPECT_EQ(bytes("llama-3.1-70b", false), 274'688);
  EXPECT_EQ(bytes("llama-3.1-405b", false), 520'704);
  EXPECT_EQ(bytes("gpt-oss-120b", true), 134'400);
  EXPECT_EQ(bytes("qwen3-235b-a22b", true), 207'616);
  EXPECT_EQ(bytes("mixtral-8x7b", true), 241'824);
}

TEST(Activations, AreDividedByTensorAndSequenceParallelism) {
  const Model llama = find_model("llama-3.1-70b")->model;
  Layout layout = one_token();
  layout.sequence = 8192;
  const std::int64_t whole = activation_bytes(llama, layout, false);
  layout.tensor = 8;
  EXPECT_EQ(activation_bytes(llama, layout, false), whole / 8);
  layout.sequence_parallel = false;
  EXPECT_EQ(activation_bytes(llama, layout, false), 8192 * (8 * 8192 + (274'688 - 8 * 8192) / 8));
  layout.recompute = Recompute::kFull;
  EXPECT_EQ(activation_bytes(llama, layout, false), 8192 * 2 * 8192);
}

// Bytes per parameter of the recipes: 18 for Megatron BF16 with FP32 gradients; 6 + 12/d with its
// distributed optimizer; 16/d for FSDP.
TEST(States, TakeTheBytesOfTheirRecipe) {
  const Model llama = find_model("llama-3.1-8b")->model;
  const std::int64_t p = total_parameters(llama);
  Layout layout = one_token();
  layout.shard = 8;
  layout.global_batch = 8;
  const auto table = [&] { return memory_of(llama, layout, std::int64_t{1} << 50, 0); };
  layout.sharding = Sharding::kNone;
  EXPECT_EQ(term(table(), "weights"), 2 * p);
  EXPECT_EQ(term(table(), "gradients"), 4 * p);
  EXPECT_EQ(term(table(), "optimizer"), 12 * p);
  layout.sharding = Sharding::kOptimizer;
  EXPECT_EQ(term(table(), "optimizer"), 12 * p / 8);
  EXPECT_EQ(term(table(), "gradients"), 4 * p);
  layout.sharding = Sharding::kGradients;
  EXPECT_EQ(term(table(), "gradients"), 4 * p / 8);
  layout.sharding = Sharding::kParameters;
  EXPECT_EQ(term(table(), "optimizer") + term(table(), "gradients"), 16 * p / 8);
  EXPECT_EQ(term(table(), "gathered parameters"), 2 * 2 * 218'112'000);
}

TEST(InFlight, FollowsTheSchedule) {
  Layout layout = one_token();
  layout.pipeline = 4;
  layout.global_batch = 32;
  EXPECT_EQ(in_flight(layout, 0), 4);
  EXPECT_EQ(in_flight(layout, 3), 1);
  layout.schedule = Schedule::kGpipe;
  EXPECT_EQ(in_flight(layout, 0), 32);
  layout.schedule = Schedule::kInterleaved;
  layout.virtual_stages = 2;
  EXPECT_DOUBLE_EQ(in_flight(layout, 0), 4 * (1 + 3.0 / 8));  // p (1 + (p-1)/(p v))
}

TEST(Cache, IsWhatTheModelSaysATokenTakes) {
  const Model llama = find_model("llama-3.1-8b")->model;
  Layout layout = one_token();
  layout.phase = Phase::kDecode;
  layout.sequence = 4095;
  layout.micro_batch = 3;
  const MemoryTable table = memory_of(llama, layout, std::int64_t{1} << 40, 0);
  EXPECT_EQ(term(table, "KV cache"), 3 * 4096 * 131'072LL);
  layout.tensor = 8;
  EXPECT_EQ(term(memory_of(llama, layout, std::int64_t{1} << 40, 0), "KV cache"),
            3 * 4096 * 131'072LL / 8);
}

TEST(Fit, IsJudgedByTheWorstStageAndNamesTheLargestTerm) {
  const Model llama = find_model("llama-3.1-70b")->model;
  Layout layout = one_token();
  layout.sequence = 8192;
  layout.pipeline = 4;
  layout.global_batch = 16;
  const MemoryTable table = memory_of(llama, layout, std::int64_t{80} << 30, 0.05);
  EXPECT_FALSE(table.fits());
  EXPECT_EQ(table.largest().name, "optimizer");
  EXPECT_EQ(table.stage, 0);
  EXPECT_LT(table.capacity, std::int64_t{80} << 30);
}

TEST(Fit, NeedsLessAsDegreesGrow) {
  const Model llama = find_model("llama-3.1-70b")->model;
  for (const bool tensor : {true, false}) {
    std::int64_t before = std::int64_t{1} << 60;
    for (const std::int64_t degree : {1, 2, 4, 8}) {
      Layout layout = one_token();
      layout.sequence = 8192;
      layout.global_batch = 64;
      (tensor ? layout.tensor : layout.shard) = degree;
      const std::int64_t sum = memory_of(llama, layout, 1, 0).sum;
      EXPECT_LE(sum, before + (tensor ? std::int64_t{1} << 30 : 0)) << degree;
      before = sum;
    }
  }
}

}  // namespace
}  // namespace workload
