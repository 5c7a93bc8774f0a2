// SPDX-License-Identifier: GPL-2.0-only
// The program of one layer for one micro-batch, forward and backward: which products a rank
// computes, which collectives it takes part in, with how many bytes, and what waits for what. The
// bytes follow Megatron (arXiv 1909.08053, 2205.05198), ZeRO (1910.02054), FSDP, ring attention
// (2310.01889), Ulysses (2309.14509) and the MoE dispatchers of Megatron, DeepEP and vLLM.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/workload/layout.h"
#include "scenarios/workload/price.h"
#include "scenarios/workload/roofline.h"
#include "scenarios/workload/timeline.h"

namespace workload {

// The groups of a layout.
struct Groups {
  Group tensor;
  Group context;
  Group expert;  // dispatch and combine
  Group expert_tensor;
  Group shard;  // dense parameters are sharded over it (context ranks included)
  Group replicate;
  Group expert_shard;  // as shard, for routed experts
  Group expert_replicate;
  Group stages;  // next stage of the pipeline
};
[[nodiscard]] Groups groups_of(const Layout& layout);

// One collective of the program, for tests and tables.
struct Collected {
  Purpose purpose = Purpose::kTensor;
  Move move = Move::kAllReduce;
  Group group;
  std::int64_t bytes = 0;
  std::string_view what;  // "gather input", "dispatch", ...
};

struct Program {
  std::vector<LaneOp> ops;
  std::vector<Collected> collectives;
  std::array<TierBytes, kPurposes> sent{};
  double flops = 0;              // of matrix products and attention, recomputation apart
  double recomputed = 0;         // of these computed again
  std::int64_t weight_time = 0;  // of the products for weight gradients
};

// Its collectives may begin before the layer before it has ended (parameters gathered ahead), so
// that layers in a row are more than one layer several times.
[[nodiscard]] bool runs_ahead(const Program& program);

// What a step is computed of; the members outlive the programs.
struct StepInputs {
  const Model* model = nullptr;
  const Layout* layout = nullptr;
  const Roofline* roofline = nullptr;
  CollectivePrice* price = nullptr;
};

// How much more than the mean the busiest rank of the expert group gets.
[[nodiscard]] double hottest_rank(const Model& model, const Layout& layout);
// Rows that a token sends to other ranks: top k, or fewer when copies to one rank are merged.
[[nodiscard]] double rows_per_token(const Model& model, const Layout& layout);
// Tokens that one rank of an expert group brings.
[[nodiscard]] std::int64_t routed_tokens(const Layout& layout);

// `repeats` layers of one class, one after another.
[[nodiscard]] Program forward_layers(const StepInputs& inputs, const LayerClass& kind,
                                     std::int64_t repeats);
[[nodiscard]] Program backward_layers(const StepInputs& inputs, const LayerClass& kind,
                                      std::int64_t repeats);

// What the first and the last stage do beside their layers.
[[nodiscard]] Program embedding_forward(const StepInputs& inputs);
[[nodiscard]] Program embedding_backward(const StepInputs& inputs);
[[nodiscard]] Program head_forward(const StepInputs& inputs);
[[nodiscard]] Program head_backward(const StepInputs& inputs);

}  // namespace workload
