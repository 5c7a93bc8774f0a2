// SPDX-License-Identifier: GPL-2.0-only
// Bytes of every form of parallelism, to the byte, worked out from the formulas of their papers.
#include <gtest/gtest.h>

#include "scenarios/workload/architecture.h"
#include "scenarios/workload/layer_program.h"
#include "scenarios/workload/layer_sizes.h"
#include "tests/scenarios/workload/unit_price.h"

namespace workload {
namespace {

// A model in a layout, on a chip that does not matter here.
struct Case {
  Case(const char* name, std::int64_t sequence) : model(find_model(name)->model) {
    layout.sequence = sequence;
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  [[nodiscard]] StepInputs inputs() { return {&model, &layout, &roofline, &price}; }

  Model model;
  Layout layout;
  Chip chip = *find_chip("trn3");
  Roofline roofline{chip, 1};
  workload_test::UnitPrice price;
};

std::int64_t sent(const Program& program, Purpose purpose) {
  return program.sent[static_cast<std::size_t>(purpose)][0];
}

std::int64_t bytes_of_one(const Program& program, std::string_view what) {
  for (const Collected& one : program.collectives) {
    if (one.what == what) return one.bytes;
  }
  ADD_FAILURE() << "no collective is called " << what;
  return 0;
}

TEST(TensorParallel, SendsWhatMegatronSends) {
  Case one("llama-3.1-405b", 8192);
  one.layout.tensor = 8;
  const LayerClass kind{false, false, 1};
  EXPECT_EQ(layer_sizes(one.inputs(), kind).full, 268'435'456);
  EXPECT_EQ(bytes_sent(Move::kAllGather, 8, 268'435'456), 234'881'024);
  EXPECT_EQ(sent(forward_layers(one.inputs(), kind, 1), Purpose::kTensor), 939'524'096);
  EXPECT_EQ(sent(backward_layers(one.inputs(), kind, 1), Purpose::kTensor), 1'409'286'144);
  EXPECT_NEAR(forward_layers(one.inputs(), kind, 1).flops / (6.528e12 + 2.749e11), 1, 1e-3);
}

TEST(TensorParallel, SendsNothingOnOneRank) {
  Case one("llama-3.1-8b", 4096);
  const LayerClass kind{false, false, 1};
  one.layout.sharding = Sharding::kNone;
  EXPECT_TRUE(forward_layers(one.inputs(), kind, 1).collectives.empty());
  EXPECT_TRUE(backward_layers(one.inputs(), kind, 1).collectives.empty());
}

TEST(TensorParallel, WithoutSequenceParallelismSendsFourAllReduces) {
  Case one("llama-3.1-70b", 8192);
  one.layout.tensor = 8;
  one.layout.sequence_parallel = false;
  const LayerClass kind{false, false, 1};
  constexpr std::int64_t kSum = 8 * 7 * (134'217'728 / 8);  // 8 (t-1)/t S
  EXPECT_EQ(sent(forward_layers(one.inputs(), kind, 1), Purpose::kTensor) +
                sent(backward_layers(one.inputs(), kind, 1), Purpose::kTensor),
            kSum);
}

TEST(TensorParallel, SendsAsMuchInPartsAsWhole) {
  Case one("llama-3.1-70b", 8192);
  one.layout.tensor = 8;
  const LayerClass kind{false, false, 1};
  const std::int64_t whole = sent(forward_layers(one.inputs(), kind, 1), Purpose::kTensor);
  one.layout.overlap[0] = Overlap::kChunked;
  EXPECT_EQ(sent(forward_layers(one.inputs(), kind, 1), Purpose::kTensor), whole);
}

TEST(FullRecomputation, RepeatsTheForwardCollectives) {
  Case one("llama-3.1-405b", 8192);
  one.layout.tensor = 8;
  one.layout.recompute = Recompute::kFull;
  const LayerClass kind{false, false, 1};
  EXPECT_EQ(sent(backward_layers(one.inputs(), kind, 1), Purpose::kTensor),
            1'409'286'144LL + 939'524'096);
}

TEST(ShardedParameters, GatherTwiceAndReduceOnce) {
  Case one("llama-3.1-405b", 8192);
  one.layout.shard = 128;
  const LayerClass kind{false, false, 1};
  const Program backward = backward_layers(one.inputs(), kind, 1);
  EXPECT_EQ(bytes_of_one(forward_layers(one.inputs(), kind, 1), "parameters"), 6'375'407'616);
  EXPECT_EQ(bytes_of_one(backward, "parameters"), 6'375'407'616);
  EXPECT_EQ(bytes_of_one(backward, "gradients"), 12'750'815'232);
  Case small("llama-3.1-8b", 8192);
  small.layout.shard = 8;
  EXPECT_EQ(bytes_of_one(backward_layers(small.inputs(), kind, 1), "parameters"), 436'224'000);
  EXPECT_EQ(bytes_of_one(backward_layers(small.inputs(), kind, 1), "gradients"), 872'448'000);
}

TEST(ContextParallel, PassesKeysAndValuesRound) {
  const LayerClass kind{false, false, 1};
  Case large("llama-3.1-405b", 131'072);
  large.layout.tensor = 8;
  large.layout.context = 16;
  EXPECT_EQ(layer_sizes(large.inputs(), kind).ring_bytes, 4'194'304);
  EXPECT_EQ(sent(forward_layers(large.inputs(), kind, 1), Purpose::kContext), 62'914'560);
  Case small("llama-3.1-8b", 131'072);
  small.layout.context = 8;
  small.layout.sharding = Sharding::kNone;
  EXPECT_EQ(layer_sizes(small.inputs(), kind).ring_bytes, 67'108'864);
  EXPECT_EQ(sent(forward_layers(small.inputs(), kind, 1), Purpose::kContext), 469'762'048);
  EXPECT_EQ(sent(backward_layers(small.inputs(), kind, 1), Purpose::kContext), 2 * 469'762'048);
}

TEST(ContextParallel, GatheredSendsAsMuchAsTheRing) {
  const LayerClass kind{false, false, 1};
  Case one("llama-3.1-8b", 131'072);
  one.layout.context = 8;
  one.layout.context_method = ContextMethod::kAllGather;
  EXPECT_EQ(sent(forward_layers(one.inputs(), kind, 1), Purpose::kContext), 469'762'048);
}

// (c-1)/c b (s/c) (2a + 2g)/t d wa
TEST(ContextParallel, UlyssesSendsQueriesKeysValuesAndOutput) {
  const LayerClass kind{false, false, 1};
  Case one("llama-3.1-8b", 131'072);
  one.layout.context = 8;
  one.layout.context_method = ContextMethod::kUlysses;
  constexpr std::int64_t kBuffers = 16'384 * (2 * 32 + 2 * 8) * 128 * 2;
  EXPECT_EQ(sent(forward_layers(one.inputs(), kind, 1), Purpose::kContext), kBuffers / 8 * 7);
}

TEST(ExpertParallel, DispatchesWhatTheDispatchersSend) {
  const LayerClass kind{true, false, 1};
  Case one("deepseek-v3", 4096);
  one.layout.expert = 64;
  one.layout.shard = 64;
  EXPECT_EQ(layer_sizes(one.inputs(), kind).dispatch_bytes, 469'762'048);
  one.layout.dtype.dispatch = Dtype::kFp8;
  EXPECT_EQ(layer_sizes(one.inputs(), kind).dispatch_bytes, 242'221'056);
  EXPECT_EQ(layer_sizes(one.inputs(), kind).combine_bytes, 469'762'048);
  one.layout.dispatcher = Dispatcher::kAllToAllDedup;
  one.layout.node_limited = false;
  EXPECT_NEAR(static_cast<double>(layer_sizes(one.inputs(), kind).dispatch_bytes), 232.4e6, 0.1e6);
  one.layout.expert = 8;  // by node, as the paper limits it: 3.629 of 8
  one.layout.node_limited = true;
  EXPECT_NEAR(static_cast<double>(layer_sizes(one.inputs(), kind).dispatch_bytes), 109.9e6, 0.1e6);
}

TEST(ExpertParallel, GathersInsteadOfDispatching) {
  const LayerClass kind{true, false, 1};
  Case one("gpt-oss-120b", 8192);
  one.layout.expert = 64;
  one.layout.shard = 64;
  EXPECT_EQ(layer_sizes(one.inputs(), kind).dispatch_bytes, 188'743'680);
  one.layout.dispatcher = Dispatcher::kAllGather;
  const Program gathered = forward_layers(one.inputs(), kind, 1);
  EXPECT_EQ(bytes_sent(Move::kAllGather, 64, bytes_of_one(gathered, "dispatch")), 2'972'712'960);
  one.layout.expert = 8;
  one.layout.shard = 8;
  EXPECT_EQ(bytes_sent(Move::kAllGather, 8,
                       bytes_of_one(forward_layers(one.inputs(), kind, 1), "dispatch")),
            330'301'440);
  Case qwen("qwen3-235b-a22b", 4096);
  qwen.layout.expert = 64;
  qwen.layout.shard = 64;
  EXPECT_EQ(layer_sizes(qwen.inputs(), kind).dispatch_bytes, 268'435'456);
}

TEST(ExpertParallel, ExchangesFourTimesALayerAndSixWithRecomputation) {
  const LayerClass kind{true, false, 1};
  Case one("deepseek-v3", 4096);
  one.layout.expert = 64;
  one.layout.shard = 64;
  const auto exchanges = [&] {
    int count = 0;
    for (const Program& program :
         {forward_layers(one.inputs(), kind, 1), backward_layers(one.inputs(), kind, 1)}) {
      for (const Collected& collective : program.collectives) {
        const bool rows = collective.what != "routing weights";
        count += collective.move == Move::kAllToAll && rows ? 1 : 0;
      }
    }
    return count;
  };
  EXPECT_EQ(exchanges(), 4);
  one.layout.recompute = Recompute::kFull;
  EXPECT_EQ(exchanges(), 6);
}

TEST(ExpertParallel, OnOneRankExchangesNothing) {
  const LayerClass kind{true, false, 1};
  Case one("gpt-oss-120b", 4096);
  one.layout.shard = 8;
  const Program program = forward_layers(one.inputs(), kind, 1);
  EXPECT_EQ(sent(program, Purpose::kExpert), 0);
}

TEST(Groups, LieOverTheRanksInTheirOrder) {
  Layout layout;
  layout.tensor = 4;
  layout.shard = 6;
  layout.pipeline = 3;
  layout.expert = 12;
  const Groups groups = groups_of(layout);
  EXPECT_EQ(groups.tensor.axes[0], (Axis{4, 1}));
  EXPECT_EQ(groups.shard.axes[0], (Axis{6, 4}));
  EXPECT_EQ(groups.stages.axes[0], (Axis{3, 24}));
  EXPECT_EQ(groups.expert.axes[0], (Axis{12, 1}));
  EXPECT_EQ(groups.expert_shard.axes[0], (Axis{2, 12}));
  layout.pipeline_innermost = true;
  const Groups inner = groups_of(layout);
  EXPECT_EQ(inner.stages.axes[0], (Axis{3, 4}));
  EXPECT_EQ(inner.shard.axes[0], (Axis{6, 12}));
  EXPECT_EQ(inner.expert.axes[0], (Axis{4, 1}));   // within the tensor ranks,
  EXPECT_EQ(inner.expert.axes[1], (Axis{3, 12}));  // then over the stages' width
}

}  // namespace
}  // namespace workload
