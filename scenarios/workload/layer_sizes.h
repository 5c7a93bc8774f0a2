// SPDX-License-Identifier: GPL-2.0-only
// Sizes and times of the parts of one layer on one rank, for one micro-batch: products, streams and
// the buffers of collectives. All that a layer program is made of, worked out once per layer class.
#pragma once

#include <cstdint>

#include "scenarios/workload/layer_program.h"

namespace workload {

struct LayerSizes {
  // Times in ps.
  std::int64_t norm = 0;
  std::int64_t residual = 0;
  std::int64_t qkv = 0;  // MLA: all of its projections
  std::int64_t out = 0;
  std::int64_t attention_forward = 0;
  std::int64_t attention_backward = 0;
  std::int64_t up = 0;  // gate included
  std::int64_t activation = 0;
  std::int64_t down = 0;
  std::int64_t router = 0;
  std::int64_t permute = 0;
  std::int64_t expert_up = 0;
  std::int64_t expert_activation = 0;
  std::int64_t expert_down = 0;
  std::int64_t shared = 0;
  std::int64_t lookup = 0;
  std::int64_t head = 0;
  std::int64_t loss = 0;
  // Operations of the forward pass on this rank.
  double qkv_flops = 0;
  double out_flops = 0;
  double attention_flops = 0;
  double up_flops = 0;
  double down_flops = 0;
  double router_flops = 0;
  double expert_flops = 0;
  double shared_flops = 0;
  double head_flops = 0;
  // Bytes, as the collectives count them.
  std::int64_t full = 0;        // activations of all tokens of the tensor-parallel group
  std::int64_t ring_bytes = 0;  // keys and values of one context rank
  std::int64_t ulysses_in = 0;
  std::int64_t ulysses_out = 0;
  std::int64_t loss_bytes = 0;
  std::int64_t logit_bytes = 0;
  std::int64_t count_bytes = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t routing_map_bytes = 0;
  std::int64_t dispatch_bytes = 0;  // of one rank's tokens (allgather: its share of the gathered)
  std::int64_t combine_bytes = 0;
  std::int64_t expert_rows_bytes = 0;
  std::int64_t parameter_bytes = 0;  // dense ones of the layer on a rank before sharding
  std::int64_t gradient_bytes = 0;
  std::int64_t expert_parameter_bytes = 0;
  std::int64_t expert_gradient_bytes = 0;
  double hottest = 1;

  [[nodiscard]] double layer_flops(bool moe) const {
    const double half = moe ? router_flops + expert_flops + shared_flops : up_flops + down_flops;
    return qkv_flops + out_flops + attention_flops + half;
  }
};

[[nodiscard]] LayerSizes layer_sizes(const StepInputs& inputs, const LayerClass& kind);

// Dense parameters of a layer, or of an end of the model, that a rank holds before data sharding.
[[nodiscard]] std::int64_t dense_on_rank(const Model& model, const Layout& layout, bool moe);
[[nodiscard]] std::int64_t experts_on_rank(const Model& model, const Layout& layout);

}  // namespace workload
