// SPDX-License-Identifier: GPL-2.0-only
// Programs of dense and MoE layers. Order of ops as Megatron issues them: the backward pass gathers
// the inputs of column-parallel products again beside the product for the input gradient, and
// scatters that gradient beside the product for the weight gradient.
#include "scenarios/workload/layer_program.h"

#include <algorithm>
#include <cmath>

#include "scenarios/workload/layer_sizes.h"
#include "scenarios/workload/moe_program.h"
#include "scenarios/workload/program_builder.h"

namespace workload {
namespace {

using Feeding = ProgramBuilder::Feeding;

Move gather_move(const Layout& layout) {
  return layout.sequence_parallel ? Move::kAllGather : Move::kAllReduce;
}

Move scatter_move(const Layout& layout) {
  return layout.sequence_parallel ? Move::kReduceScatter : Move::kAllReduce;
}

// Exchange of keys and values over context parallelism; returns the op to wait for.
std::int32_t exchange_context(ProgramBuilder& builder, const LayerSizes& sizes, bool backward) {
  const Layout& layout = builder.layout();
  const Group& group = builder.groups().context;
  if (layout.context == 1) return kNone;
  switch (layout.context_method) {
    case ContextMethod::kRing: {
      const std::int64_t bytes = backward ? 2 * sizes.ring_bytes : sizes.ring_bytes;
      return builder.repeated(Purpose::kContext, Move::kShift, group, bytes, layout.context - 1,
                              "keys and values");
    }
    case ContextMethod::kAllGather:
      if (backward) {
        builder.wait(Purpose::kContext, Move::kAllGather, group, sizes.ring_bytes * layout.context,
                     "keys and values");
        return builder.beside(Purpose::kContext, Move::kReduceScatter, group,
                              sizes.ring_bytes * layout.context, "their gradients");
      }
      builder.wait(Purpose::kContext, Move::kAllGather, group, sizes.ring_bytes * layout.context,
                   "keys and values");
      return kNone;
    case ContextMethod::kUlysses:
      builder.wait(Purpose::kContext, Move::kAllToAll, group, sizes.ulysses_in,
                   backward ? "output gradients" : "queries, keys, values");
      return kNone;
  }
  return kNone;
}

void finish_context(ProgramBuilder& builder, const LayerSizes& sizes, bool backward) {
  if (builder.layout().context == 1 || builder.layout().context_method != ContextMethod::kUlysses) {
    return;
  }
  builder.wait(Purpose::kContext, Move::kAllToAll, builder.groups().context, sizes.ulysses_out,
               backward ? "gradients of queries, keys, values" : "attention output");
}

void attention_core(ProgramBuilder& builder, const LayerSizes& sizes, bool backward) {
  const bool overlaps = builder.layout().overlap_of(Purpose::kContext) != Overlap::kBlocking;
  const std::int32_t exchange = exchange_context(builder, sizes, backward);
  if (!overlaps) builder.join(exchange);
  builder.compute(backward ? sizes.attention_backward : sizes.attention_forward);
  builder.count_flops(sizes.attention_flops * (backward ? 2 : 1));
  builder.join(exchange);
  finish_context(builder, sizes, backward);
}

void attention_forward(ProgramBuilder& builder, const LayerSizes& sizes) {
  const Layout& layout = builder.layout();
  builder.compute(sizes.norm);
  const bool gathers = layout.sequence_parallel;
  builder.product_between({Move::kAllGather, gathers ? sizes.full : 0, "gather input of QKV"},
                          sizes.qkv, {});
  builder.count_flops(sizes.qkv_flops);
  attention_core(builder, sizes, false);
  builder.product_between({}, sizes.out,
                          {scatter_move(layout), sizes.full, "sum attention output"});
  builder.count_flops(sizes.out_flops);
  builder.compute(sizes.residual);
}

void mlp_forward(ProgramBuilder& builder, const LayerSizes& sizes) {
  const Layout& layout = builder.layout();
  builder.compute(sizes.norm);
  const bool gathers = layout.sequence_parallel;
  builder.product_between({Move::kAllGather, gathers ? sizes.full : 0, "gather input of MLP"},
                          sizes.up, {});
  builder.compute(sizes.activation);
  builder.product_between({}, sizes.down, {scatter_move(layout), sizes.full, "sum MLP output"});
  builder.count_flops(sizes.up_flops + sizes.down_flops);
  builder.compute(sizes.residual);
}

// The backward pass of a column- and a row-parallel product around something: `first` of the
// forward pass comes last.
struct Pair {
  std::int64_t column = 0;  // time of one product of each
  std::int64_t row = 0;
  std::int64_t between = 0;  // backward of what lies between; 0: done by the caller
};

void row_backward(ProgramBuilder& builder, const LayerSizes& sizes, std::int64_t product) {
  const Layout& layout = builder.layout();
  const bool gathers = layout.sequence_parallel;
  builder.product_between({Move::kAllGather, gathers ? sizes.full : 0, "gather output gradient"},
                          product, {});
  builder.compute(product);  // weight gradient
  builder.count_weight_time(product);
}

void column_backward(ProgramBuilder& builder, const LayerSizes& sizes, std::int64_t product) {
  const Layout& layout = builder.layout();
  const Group& group = builder.groups().tensor;
  std::int32_t again = kNone;
  if (layout.sequence_parallel) {
    again = builder.as_allowed(Purpose::kTensor, Move::kAllGather, group, sizes.full,
                               "gather input again");
  }
  builder.compute(product);  // input gradient
  const std::int32_t scatter = builder.as_allowed(Purpose::kTensor, scatter_move(layout), group,
                                                  sizes.full, "sum input gradient");
  builder.compute(product, again);  // weight gradient
  builder.count_weight_time(product);
  builder.join(scatter);
}

void attention_backward(ProgramBuilder& builder, const LayerSizes& sizes) {
  row_backward(builder, sizes, sizes.out);
  builder.count_flops(2 * sizes.out_flops);
  if (builder.layout().recompute == Recompute::kSelective) {
    builder.compute(sizes.attention_forward);
    builder.count_recomputed(sizes.attention_flops);
  }
  attention_core(builder, sizes, true);
  column_backward(builder, sizes, sizes.qkv);
  builder.count_flops(2 * sizes.qkv_flops);
  builder.compute(2 * sizes.norm + sizes.residual);
}

void mlp_backward(ProgramBuilder& builder, const LayerSizes& sizes) {
  row_backward(builder, sizes, sizes.down);
  builder.compute(2 * sizes.activation);
  column_backward(builder, sizes, sizes.up);
  builder.count_flops(2 * (sizes.up_flops + sizes.down_flops));
  builder.compute(2 * sizes.norm + sizes.residual);
}

bool shards_parameters(const Layout& layout) {
  return layout.phase == Phase::kTraining && layout.sharding == Sharding::kParameters;
}

// Parameters of one layer, gathered on the lane of data parallelism beside what runs.
std::int32_t gather_parameters(ProgramBuilder& builder, const LayerSizes& sizes) {
  const Groups& groups = builder.groups();
  const auto ask = [&](const Group& group, std::int64_t bytes, const char* what) {
    return builder.as_allowed(Purpose::kData, Move::kAllGather, group, bytes, what);
  };
  const std::int32_t dense = ask(groups.shard, sizes.parameter_bytes, "parameters");
  const std::int32_t experts =
      ask(groups.expert_shard, sizes.expert_parameter_bytes, "parameters of experts");
  return experts != kNone ? experts : dense;
}

void reduce_gradients(ProgramBuilder& builder, const LayerSizes& sizes) {
  const Groups& groups = builder.groups();
  builder.as_allowed(Purpose::kData, Move::kReduceScatter, groups.shard, sizes.gradient_bytes,
                     "gradients");
  builder.as_allowed(Purpose::kData, Move::kReduceScatter, groups.expert_shard,
                     sizes.expert_gradient_bytes, "gradients of experts");
}

void layer_forward(ProgramBuilder& builder, const LayerSizes& sizes, bool moe) {
  attention_forward(builder, sizes);
  if (moe) {
    moe_forward(builder, sizes);
  } else {
    mlp_forward(builder, sizes);
  }
}

// What full recomputation repeats; its operations are no model operations.
void recompute_layer(ProgramBuilder& builder, const LayerSizes& sizes, bool moe) {
  const double flops = sizes.layer_flops(moe);
  layer_forward(builder, sizes, moe);
  builder.count_flops(-flops);
  builder.count_recomputed(flops);
}

}  // namespace

bool runs_ahead(const Program& program) {
  return std::ranges::any_of(program.collectives,
                             [](const Collected& one) { return one.purpose == Purpose::kData; });
}

Program forward_layers(const StepInputs& inputs, const LayerClass& kind, std::int64_t repeats) {
  ProgramBuilder builder(inputs);
  const LayerSizes sizes = layer_sizes(inputs, kind);
  const bool sharded = shards_parameters(*inputs.layout);
  std::int32_t parameters = sharded ? gather_parameters(builder, sizes) : kNone;
  for (std::int64_t i = 0; i < repeats; ++i) {
    builder.join(parameters);
    if (sharded && i + 1 < repeats) {
      builder.compute(0);  // the next gather starts when this layer does
      parameters = gather_parameters(builder, sizes);
    } else {
      parameters = kNone;
    }
    layer_forward(builder, sizes, kind.moe);
  }
  return std::move(builder).take();
}

Program backward_layers(const StepInputs& inputs, const LayerClass& kind, std::int64_t repeats) {
  ProgramBuilder builder(inputs);
  const Layout& layout = *inputs.layout;
  const LayerSizes sizes = layer_sizes(inputs, kind);
  const bool sharded = shards_parameters(layout);
  const bool gathers = sharded && layout.reshard;
  std::int32_t parameters = gathers ? gather_parameters(builder, sizes) : kNone;
  for (std::int64_t i = 0; i < repeats; ++i) {
    builder.join(parameters);
    parameters = kNone;
    if (gathers && i + 1 < repeats) {
      builder.compute(0);
      parameters = gather_parameters(builder, sizes);
    }
    if (layout.recompute == Recompute::kFull) recompute_layer(builder, sizes, kind.moe);
    if (kind.moe) {
      moe_backward(builder, sizes);
    } else {
      mlp_backward(builder, sizes);
    }
    attention_backward(builder, sizes);
    if (sharded || layout.sharding == Sharding::kGradients) reduce_gradients(builder, sizes);
  }
  return std::move(builder).take();
}

Program embedding_forward(const StepInputs& inputs) {
  ProgramBuilder builder(inputs);
  const LayerSizes sizes = layer_sizes(inputs, {});
  builder.compute(sizes.lookup);
  builder.wait(Purpose::kTensor, scatter_move(*inputs.layout), builder.groups().tensor, sizes.full,
               "sum embeddings");
  return std::move(builder).take();
}

Program embedding_backward(const StepInputs& inputs) {
  ProgramBuilder builder(inputs);
  const LayerSizes sizes = layer_sizes(inputs, {});
  if (inputs.layout->sequence_parallel) {
    builder.wait(Purpose::kTensor, Move::kAllGather, builder.groups().tensor, sizes.full,
                 "gather embedding gradient");
  }
  builder.compute(sizes.lookup);
  return std::move(builder).take();
}

Program head_forward(const StepInputs& inputs) {
  ProgramBuilder builder(inputs);
  const Layout& layout = *inputs.layout;
  const LayerSizes sizes = layer_sizes(inputs, {});
  const Group& group = builder.groups().tensor;
  builder.compute(sizes.norm);
  if (layout.sequence_parallel) {
    builder.wait(Purpose::kTensor, gather_move(layout), group, sizes.full, "gather input of head");
  }
  builder.compute(sizes.head);
  builder.count_flops(sizes.head_flops);
  if (layout.phase == Phase::kTraining) {
    builder.compute(sizes.loss);
    for (const char* what : {"row maximum", "target logit", "sum of exponentials"}) {
      builder.wait(Purpose::kTensor, Move::kAllReduce, group, sizes.loss_bytes, what);
    }
  } else {
    builder.wait(Purpose::kTensor, Move::kAllGather, group, sizes.logit_bytes, "logits");
  }
  return std::move(builder).take();
}

Program head_backward(const StepInputs& inputs) {
  ProgramBuilder builder(inputs);
  const LayerSizes sizes = layer_sizes(inputs, {});
  builder.compute(sizes.loss + sizes.head);
  const std::int32_t scatter =
      builder.as_allowed(Purpose::kTensor, scatter_move(*inputs.layout), builder.groups().tensor,
                         sizes.full, "sum gradient of head input");
  builder.compute(sizes.head);
  builder.count_weight_time(sizes.head);
  builder.count_flops(2 * sizes.head_flops);
  builder.join(scatter);
  builder.compute(sizes.norm);
  return std::move(builder).take();
}

}  // namespace workload
