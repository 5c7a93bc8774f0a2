// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/memory.h"

#include <algorithm>
#include <cmath>

#include "scenarios/workload/layer_program.h"
#include "scenarios/workload/layer_sizes.h"
#include "sim/base/check.h"

namespace workload {
namespace {

constexpr std::int64_t kMasterBytes = 4;  // FP32 copy of a parameter
constexpr std::int64_t kMomentBytes = 8;  // Adam: two FP32 numbers

std::int64_t rounded(double value) { return std::llround(value); }

struct Held {
  std::int64_t dense = 0;  // parameters of a rank before data sharding
  std::int64_t experts = 0;
  std::int64_t largest_dense = 0;  // of one layer
  std::int64_t largest_experts = 0;
};

class Accounts {
 public:
  Accounts(const Model& model, const Layout& layout, std::int64_t stage)
      : model_(model), layout_(layout), stage_(stage) {}

  std::vector<MemoryTerm> run() {
    count_parameters();
    if (layout_.phase == Phase::kTraining) {
      training_states();
      activations();
    } else {
      add("weights", bytes_of(layout_.dtype.weights, held_.dense + held_.experts));
      serving_buffers();
    }
    add("collective buffers", collective_buffers());
    return std::move(terms_);
  }

 private:
  void add(std::string_view name, std::int64_t bytes) {
    if (bytes > 0) terms_.push_back({name, bytes});
  }

  [[nodiscard]] std::int64_t chunks() const { return layout_.pipeline * layout_.virtual_stages; }

  template <class Visit>
  void each_chunk(Visit visit) const {
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
      if (stage_of_chunk(layout_, chunk) == stage_) visit(chunk);
    }
  }

  void count_parameters() {
    each_chunk([&](std::int64_t chunk) {
      const LayerRange range = chunk_layers(model_, layout_, chunk);
      for (const LayerClass& one : layer_classes(model_, range.first, range.last)) {
        const std::int64_t dense = dense_on_rank(model_, layout_, one.moe);
        const std::int64_t experts = one.moe ? experts_on_rank(model_, layout_) : 0;
        held_.dense += one.count * dense;
        held_.experts += one.count * experts;
        held_.largest_dense = std::max(held_.largest_dense, dense);
        held_.largest_experts = std::max(held_.largest_experts, experts);
      }
      if (chunk == 0) held_.dense += embedding_parameters(model_) / layout_.tensor;
      if (chunk + 1 == chunks()) {
        held_.dense += head_parameters(model_) / layout_.tensor;
        const bool copy = model_.tied && chunks() > 1;
        if (copy) held_.dense += model_.vocabulary * model_.hidden / layout_.tensor;
      }
    });
    // DualPipe keeps both directions' weights; its folded form (V) does not.
  }

  [[nodiscard]] std::int64_t sharded(std::int64_t each, bool when) const {
    const Groups groups = groups_of(layout_);
    const std::int64_t over = when ? groups.shard.size() : 1;
    const std::int64_t experts_over = when ? groups.expert_shard.size() : 1;
    return (held_.dense * each + over - 1) / over +
           (held_.experts * each + experts_over - 1) / experts_over;
  }

  void training_states() {
    const bool whole = layout_.sharding != Sharding::kParameters;
    if (whole) {
      add("weights", bytes_of(layout_.dtype.weights, held_.dense + held_.experts));
    } else {
      // Two blocks gathered at a time, or all of them until the backward pass.
      const std::int64_t dense =
          layout_.reshard ? std::min(2 * held_.largest_dense, held_.dense) : held_.dense;
      const std::int64_t experts =
          layout_.reshard ? std::min(2 * held_.largest_experts, held_.experts) : held_.experts;
      add("gathered parameters", bytes_of(layout_.dtype.weights, dense + experts));
    }
    const std::int64_t gradient = bytes_of(layout_.dtype.gradients, 1);
    add("gradients", sharded(gradient, layout_.sharding >= Sharding::kGradients));
    const std::int64_t master = layout_.dtype.weights == Dtype::kFp32 && whole ? 0 : kMasterBytes;
    add("optimizer", sharded(master + kMomentBytes, layout_.sharding >= Sharding::kOptimizer));
  }

  void activations() {
    double all = 0;
    double largest = 0;
    each_chunk([&](std::int64_t chunk) {
      const LayerRange range = chunk_layers(model_, layout_, chunk);
      for (const LayerClass& one : layer_classes(model_, range.first, range.last)) {
        const auto each = static_cast<double>(activation_bytes(model_, layout_, one.moe));
        all += each * static_cast<double>(one.count);
        largest = std::max(largest, each);
      }
    });
    if (layout_.recompute == Recompute::kFull) all += largest / in_flight(layout_, stage_);
    add("activations", rounded(all * in_flight(layout_, stage_)));
    bool last = false;
    each_chunk([&](std::int64_t chunk) { last = last || chunk + 1 == chunks(); });
    if (last && !model_.video) {  // FP32 logits and their gradient in the type of activations
      const std::int64_t logits = layout_.tokens() * (model_.vocabulary / layout_.tensor);
      add("logits", 4 * logits + bytes_of(layout_.dtype.activations, logits));
    }
  }

  void serving_buffers() {
    double cache = 0;
    double largest = 0;
    const auto sequences = static_cast<double>(layout_.micro_batch);
    each_chunk([&](std::int64_t chunk) {
      const LayerRange range = chunk_layers(model_, layout_, chunk);
      for (const LayerClass& one : layer_classes(model_, range.first, range.last)) {
        cache += static_cast<double>(one.count) * sequences * cache_of_sequence(one);
        largest =
            std::max(largest, static_cast<double>(activation_bytes(model_, layout_, one.moe)));
      }
    });
    add("KV cache", rounded(cache));
    add("activations", rounded(largest));
    const std::int64_t rows =
        layout_.phase == Phase::kDecode ? layout_.tokens() : layout_.micro_batch;
    add("logits", 4 * rows * (model_.vocabulary / layout_.tensor));
  }

  [[nodiscard]] double cache_of_sequence(const LayerClass& one) const {
    const Attention& a = model_.attention;
    std::int64_t tokens = layout_.sequence / layout_.context;
    if (layout_.phase == Phase::kDecode) tokens += layout_.speculative;
    if (one.windowed) tokens = std::min(tokens, a.window);
    const std::int64_t elements =
        a.latent ? a.kv_lora + a.rope
                 : 2 * std::max<std::int64_t>(a.kv_heads / layout_.tensor, 1) * a.head_dim;
    return static_cast<double>(bytes_of(layout_.dtype.cache, tokens * elements));
  }

  // Gathered tensors of tensor parallelism twice (one in use, one arriving), rows of experts twice.
  [[nodiscard]] std::int64_t collective_buffers() const {
    std::int64_t sum = 0;
    if (layout_.tensor > 1) {
      sum += 2 * bytes_of(layout_.dtype.activations, layout_.tokens() * model_.hidden);
    }
    if (model_.is_moe() && layout_.expert > 1) {
      const bool all = layout_.dispatcher == Dispatcher::kAllGather;
      const double rows =
          static_cast<double>(routed_tokens(layout_)) *
          (all ? static_cast<double>(layout_.expert)
               : static_cast<double>(model_.moe.top_k) * hottest_rank(model_, layout_));
      sum += 2 * bytes_of(layout_.dtype.activations, rounded(rows) * model_.hidden);
    }
    return sum;
  }

  const Model& model_;
  const Layout& layout_;
  std::int64_t stage_;
  Held held_;
  std::vector<MemoryTerm> terms_;
};

}  // namespace

const MemoryTerm& MemoryTable::largest() const {
  CHECK(!terms.empty());
  return *std::ranges::max_element(terms, {}, &MemoryTerm::bytes);
}

std::int64_t activation_bytes(const Model& model, const Layout& layout, bool moe) {
  const Attention& a = model.attention;
  const auto n = [](std::int64_t value) { return static_cast<double>(value); };
  const double h = n(model.hidden);
  const double wide = n(bytes_of(layout.dtype.activations, 1 << 10)) / (1 << 10) / 2;
  const double t = n(layout.tensor);
  const double tokens = n(layout.tokens());
  const double parts = layout.sequence_parallel ? t : 1;  // of what only SP divides
  if (layout.recompute == Recompute::kFull && layout.phase == Phase::kTraining) {
    return rounded(2 * h * wide * tokens / parts);
  }
  double heads = 4 * n((a.heads + a.kv_heads) * a.head_dim);
  if (a.latent) {
    heads = 2 * n(2 * a.heads * (a.head_dim + a.value_dim) + a.q_lora + a.kv_lora + a.rope);
  }
  double inner = heads * wide + 4 * n(a.heads);
  const double up = model.mlp.gated ? 6 : 4;
  if (moe) {
    const double hot = hottest_rank(model, layout);
    inner += hot * n(model.moe.top_k) * (2 * h + up * n(model.moe.width)) * wide;
    inner += 4 * n(model.moe.experts) + up * n(model.moe.shared * model.moe.shared_width) * wide;
  } else {
    inner += up * n(model.mlp.width) * wide;
  }
  return rounded(tokens * (8 * h * wide / parts + inner / t));
}

double in_flight(const Layout& layout, std::int64_t stage) {
  const auto p = static_cast<double>(layout.pipeline);
  const auto m = static_cast<double>(layout.micro_batches());
  const auto v = static_cast<double>(layout.virtual_stages);
  switch (layout.schedule) {
    case Schedule::kGpipe:
      return m;
    case Schedule::k1f1b:
      return std::min(m, p - static_cast<double>(stage));
    case Schedule::kInterleaved: {
      const double ahead = 2 * (p - static_cast<double>(stage) - 1) + (v - 1) * p + 1;
      return std::min(m, ahead / v);
    }
    case Schedule::kZb1p:
    case Schedule::kZbv:
      return std::min(m, p);
    case Schedule::kDualPipeV:
      return std::min(m, p + 1);
  }
  return m;
}

MemoryTable memory_of(const Model& model, const Layout& layout, std::int64_t capacity,
                      double margin) {
  MemoryTable worst;
  for (std::int64_t stage = 0; stage < layout.pipeline; ++stage) {
    // Between the ends stages differ by a layer and by what they hold in flight: the first of them
    // needs most.
    if (stage > 1 && stage + 1 < layout.pipeline) continue;
    std::vector<MemoryTerm> terms = Accounts(model, layout, stage).run();
    std::int64_t sum = 0;
    for (const MemoryTerm& term : terms) sum += term.bytes;
    if (sum <= worst.sum) continue;
    worst = {stage, std::move(terms), sum, 0};
  }
  worst.capacity = rounded(static_cast<double>(capacity) * (1 - margin));
  return worst;
}

}  // namespace workload
