// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/layer_sizes.h"

#include <algorithm>
#include <cmath>

namespace workload {
namespace {

double d(std::int64_t value) { return static_cast<double>(value); }

// Works the sizes out step by step. Lives only during `layer_sizes`.
class Sizer {
 public:
  Sizer(const StepInputs& inputs, const LayerClass& kind)
      : model_(*inputs.model),
        layout_(*inputs.layout),
        roofline_(*inputs.roofline),
        kind_(kind),
        tokens_(d(layout_.tokens())),
        own_(layout_.sequence_parallel ? tokens_ / d(layout_.tensor) : tokens_),
        wide_(d(bytes_of(layout_.dtype.activations, 1 << 10)) / (1 << 10)) {}

  LayerSizes run() {
    const double h = d(model_.hidden);
    sizes_.norm = roofline_.stream(2 * own_ * h * wide_);
    sizes_.residual = roofline_.stream(3 * own_ * h * wide_);
    sizes_.full = bytes_of(layout_.dtype.activations, layout_.tokens() * model_.hidden);
    projections();
    attention();
    if (kind_.moe) {
      routing();
      experts();
    } else {
      mlp();
    }
    ends();
    parameters();
    return sizes_;
  }

 private:
  [[nodiscard]] std::int64_t product(double rows, double columns, double inner) const {
    return roofline_.product(rows, columns, inner, layout_.dtype.compute,
                             layout_.dtype.activations);
  }

  [[nodiscard]] double kv_heads() const {
    return std::max(d(model_.attention.kv_heads) / d(layout_.tensor), 1.0);
  }

  void projections() {
    const Attention& a = model_.attention;
    const double h = d(model_.hidden);
    const double t = d(layout_.tensor);
    const double queries = d(a.heads * a.head_dim) / t;
    const double values = d(a.heads * a.value_dim) / t;
    if (a.latent) {
      sizes_.qkv = product(own_, d(a.kv_lora + a.rope), h) +
                   product(tokens_, d(a.heads * (a.nope + a.value_dim)) / t, d(a.kv_lora));
      sizes_.qkv_flops = 2 * own_ * d(a.kv_lora + a.rope) * h +
                         2 * tokens_ * d(a.heads * (a.nope + a.value_dim)) / t * d(a.kv_lora);
      if (a.q_lora > 0) {
        sizes_.qkv += product(own_, d(a.q_lora), h) + product(tokens_, queries, d(a.q_lora));
        sizes_.qkv_flops += 2 * own_ * d(a.q_lora) * h + 2 * tokens_ * queries * d(a.q_lora);
      } else {
        sizes_.qkv += product(tokens_, queries, h);
        sizes_.qkv_flops += 2 * tokens_ * queries * h;
      }
    } else {
      const double columns = queries + 2 * kv_heads() * d(a.head_dim);
      sizes_.qkv = product(tokens_, columns, h);
      sizes_.qkv_flops = 2 * tokens_ * columns * h;
    }
    sizes_.out = product(tokens_, h, values);
    sizes_.out_flops = 2 * tokens_ * h * values;
    if (model_.video && model_.extra.context_tokens > 0) {  // cross-attention: queries and output
      sizes_.qkv += product(tokens_, queries, h);
      sizes_.out += product(tokens_, h, values);
      sizes_.qkv_flops += 2 * tokens_ * queries * h;
      sizes_.out_flops += 2 * tokens_ * values * h;
    }
  }

  // Tokens that one query sees on average.
  [[nodiscard]] double seen() const {
    const Attention& a = model_.attention;
    const double all = d(layout_.sequence);
    if (layout_.phase == Phase::kDecode) return kind_.windowed ? std::min(all, d(a.window)) : all;
    if (kind_.windowed && d(a.window) < all) return d(a.window);
    return a.causal ? all / 2 : all;
  }

  void attention() {
    const Attention& a = model_.attention;
    const double heads = d(a.heads) / d(layout_.tensor);
    const double cache = d(bytes_of(layout_.dtype.cache, 1 << 10)) / (1 << 10);
    const std::int64_t rows = layout_.micro_batch * (layout_.sequence / layout_.context);
    if (layout_.phase == Phase::kDecode) {
      // Absorbed form of MLA: heads share one latent key and value.
      const double width = a.latent ? d(2 * a.kv_lora + a.rope) : d(a.head_dim + a.value_dim);
      sizes_.attention_flops = 2 * tokens_ * seen() * heads * width;
      const double line = a.latent ? d(a.kv_lora + a.rope) : 2 * kv_heads() * d(a.head_dim);
      sizes_.attention_forward = roofline_.attention(
          sizes_.attention_flops, d(layout_.micro_batch) * seen() * line * cache);
      return;
    }
    sizes_.attention_flops = 2 * tokens_ * seen() * heads * d(a.head_dim + a.value_dim);
    if (model_.extra.context_tokens > 0) {
      sizes_.attention_flops +=
          2 * tokens_ * d(model_.extra.context_tokens) * heads * d(a.head_dim + a.value_dim);
    }
    const double moved = 2 * tokens_ * heads * d(a.head_dim + a.value_dim) * wide_;
    sizes_.attention_forward = roofline_.attention(sizes_.attention_flops, moved);
    // Five products instead of two: scores are computed again.
    sizes_.attention_backward = roofline_.attention(2.5 * sizes_.attention_flops, 2 * moved);
    const auto per_rank = static_cast<std::int64_t>(
        std::ceil(a.latent ? heads * d(a.head_dim + a.value_dim) : 2 * kv_heads() * d(a.head_dim)));
    sizes_.ring_bytes = bytes_of(layout_.dtype.activations, rows * per_rank);
    const auto queries = static_cast<std::int64_t>(heads * d(a.head_dim));
    sizes_.ulysses_in = bytes_of(layout_.dtype.activations, rows * (queries + per_rank));
    sizes_.ulysses_out = bytes_of(layout_.dtype.activations,
                                  rows * static_cast<std::int64_t>(heads * d(a.value_dim)));
  }

  void mlp() {
    const double h = d(model_.hidden);
    const double width = d(model_.mlp.width) / d(layout_.tensor);
    const double columns = model_.mlp.gated ? 2 * width : width;
    sizes_.up = product(tokens_, columns, h);
    sizes_.down = product(tokens_, h, width);
    sizes_.activation = roofline_.stream(tokens_ * (columns + width) * wide_);
    sizes_.up_flops = 2 * tokens_ * columns * h;
    sizes_.down_flops = 2 * tokens_ * h * width;
  }

  void routing() {
    const Moe& m = model_.moe;
    const std::int64_t own = routed_tokens(layout_);
    const auto rows =
        static_cast<std::int64_t>(std::llround(d(own) * rows_per_token(model_, layout_)));
    sizes_.hottest = hottest_rank(model_, layout_);
    sizes_.router = roofline_.product(d(own), d(m.experts), d(model_.hidden), Dtype::kFp32,
                                      layout_.dtype.activations);
    sizes_.router_flops = 2 * d(own) * d(m.experts) * d(model_.hidden);
    sizes_.permute = roofline_.stream(2 * d(own * m.top_k * model_.hidden) * wide_);
    sizes_.count_bytes = layout_.expert * m.experts * 4;
    sizes_.weight_bytes = own * m.top_k * 4;
    sizes_.routing_map_bytes = layout_.expert * own * m.experts * 4;
    const bool all = layout_.dispatcher == Dispatcher::kAllGather;
    const std::int64_t sent = all ? own : rows;
    // FP8 carries a 4-byte scale for every 128 elements: as much as the MX scales of blocks of 32.
    const Dtype out =
        layout_.dtype.dispatch == Dtype::kFp8 ? Dtype::kMxfp8 : layout_.dtype.dispatch;
    sizes_.dispatch_bytes = bytes_of(out, sent * model_.hidden);
    sizes_.combine_bytes = bytes_of(layout_.dtype.combine, sent * model_.hidden);
  }

  void experts() {
    const Moe& m = model_.moe;
    const double h = d(model_.hidden);
    const double width = d(m.width) / d(layout_.expert_tensor);
    const double columns = model_.mlp.gated ? 2 * width : width;
    const double local = d(m.experts / layout_.expert);
    // Rows that reach a rank of the expert group, those of its ETP partners included.
    const double rows =
        d(routed_tokens(layout_) * m.top_k) * sizes_.hottest * d(layout_.expert_tensor);
    // A token misses an expert with chance 1 - k/E.
    const double all = d(routed_tokens(layout_) * layout_.expert);
    const double touched =
        local * (1 - std::pow(1 - d(m.top_k) / d(m.experts), std::max(all, 1.0)));
    const double each = rows / local;
    sizes_.expert_up = roofline_.grouped(local, each, touched, columns, h, layout_.dtype.compute,
                                         layout_.dtype.activations);
    sizes_.expert_down = roofline_.grouped(local, each, touched, h, width, layout_.dtype.compute,
                                           layout_.dtype.activations);
    sizes_.expert_activation = roofline_.stream(rows * (columns + width) * wide_);
    sizes_.expert_flops = 2 * rows / sizes_.hottest * (columns + width) * h;
    sizes_.expert_rows_bytes =
        bytes_of(layout_.dtype.activations, static_cast<std::int64_t>(rows) * model_.hidden);
    if (m.shared == 0) return;
    const double shared = d(m.shared * m.shared_width) / d(layout_.tensor);
    const double inner = model_.mlp.gated ? 2 * shared : shared;
    sizes_.shared = product(tokens_, inner, h) + product(tokens_, h, shared);
    sizes_.shared_flops = 2 * tokens_ * (inner + shared) * h;
  }

  void ends() {
    const double h = d(model_.hidden);
    const std::int64_t columns = model_.video ? model_.extra.out_patch : model_.vocabulary;
    const double own = d(columns) / d(layout_.tensor);
    sizes_.lookup = roofline_.stream(2 * tokens_ * h * wide_);
    sizes_.head = product(tokens_, own, h);
    sizes_.head_flops = 2 * tokens_ * own * h;
    sizes_.loss = model_.video ? 0 : roofline_.stream(2 * tokens_ * own * 4);
    sizes_.loss_bytes = model_.video ? 0 : layout_.tokens() * 4;
    const std::int64_t last =
        layout_.phase == Phase::kDecode ? layout_.tokens() : layout_.micro_batch;
    sizes_.logit_bytes = last * columns * 4;
  }

  void parameters() {
    const std::int64_t dense = dense_on_rank(model_, layout_, kind_.moe);
    sizes_.parameter_bytes = bytes_of(layout_.dtype.weights, dense);
    sizes_.gradient_bytes = bytes_of(layout_.dtype.gradients, dense);
    if (!kind_.moe) return;
    const std::int64_t routed = experts_on_rank(model_, layout_);
    sizes_.expert_parameter_bytes = bytes_of(layout_.dtype.weights, routed);
    sizes_.expert_gradient_bytes = bytes_of(layout_.dtype.gradients, routed);
  }

  const Model& model_;
  const Layout& layout_;
  const Roofline& roofline_;
  const LayerClass& kind_;
  double tokens_;
  double own_;   // tokens of norms and additions
  double wide_;  // bytes of an activation
  LayerSizes sizes_;
};

}  // namespace

LayerSizes layer_sizes(const StepInputs& inputs, const LayerClass& kind) {
  return Sizer(inputs, kind).run();
}

std::int64_t dense_on_rank(const Model& model, const Layout& layout, bool moe) {
  const LayerParameters all = layer_parameters(model, moe);
  std::int64_t tensor = all.tensor / layout.tensor;
  // Beyond one rank per key/value head, K and V are whole again on every rank.
  const std::int64_t heads = model.attention.kv_heads;
  if (layout.tensor > heads) tensor += all.key_value / heads - all.key_value / layout.tensor;
  return tensor + all.replicated;
}

std::int64_t experts_on_rank(const Model& model, const Layout& layout) {
  return model.moe.experts * expert_parameters(model) / (layout.expert * layout.expert_tensor);
}

}  // namespace workload
