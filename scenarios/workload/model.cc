// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/model.h"

#include <algorithm>

namespace workload {
namespace {

std::int64_t norm_parameters(const Model& model, std::int64_t width) {
  return model.layer_norm ? 2 * width : width;
}

bool is_moe_layer(const Model& model, std::int64_t layer) {
  return model.is_moe() && layer >= model.moe.first_dense &&
         (layer - model.moe.first_dense) % model.moe.every == 0;
}

bool is_windowed(const Model& model, std::int64_t layer) {
  return model.attention.window > 0 && layer % model.attention.window_every == 0;
}

std::int64_t mlp_matrix(const Model& model, std::int64_t width, bool gated) {
  return (gated ? 3 : 2) * model.hidden * width;
}

// HunyuanVideo, hyvideo/modules/models.py: matrices in units of the squared hidden size. A double
// block has, for each of its two streams, modulation 6, QKV 3, output 1 and MLP 8; a single block
// modulation 3, fused input 7 and fused output 5.
std::int64_t hunyuan_matrices(const Model& model) {
  const std::int64_t square = model.hidden * model.hidden;
  return 36 * square * model.extra.double_blocks + 15 * square * model.extra.single_blocks;
}

// Patch, text and time embeddings of Wan 2.1 (wan/modules/model.py), each linear with its bias.
std::int64_t video_embeddings(const Model& model) {
  const std::int64_t h = model.hidden;
  const Video& video = model.extra;
  const auto linear = [](std::int64_t in, std::int64_t out) { return in * out + out; };
  return linear(video.patch, h) + linear(video.text_dim, h) + linear(h, h) +
         linear(video.frequency_dim, h) + linear(h, h) + linear(h, video.modulation * h);
}

double latent_projection_flops(const Attention& a, double h) {
  const double queries = a.q_lora > 0 ? h * static_cast<double>(a.q_lora) +
                                            static_cast<double>(a.q_lora * a.heads * a.head_dim)
                                      : h * static_cast<double>(a.heads * a.head_dim);
  return 2 * (queries + h * static_cast<double>(a.kv_lora + a.rope) +
              static_cast<double>(a.kv_lora * a.heads * (a.nope + a.value_dim)) +
              static_cast<double>(a.heads * a.value_dim) * h);
}

double projection_flops(const Model& model) {
  const Attention& a = model.attention;
  const auto h = static_cast<double>(model.hidden);
  if (a.latent) return latent_projection_flops(a, h);
  const auto queries = static_cast<double>(a.heads * a.head_dim);
  const auto keys = static_cast<double>(2 * a.kv_heads * a.head_dim);
  return 2 * h * (queries + keys) + 2 * queries * h;
}

double attention_flops(const Model& model, bool windowed, std::int64_t context, bool causal_half) {
  const Attention& a = model.attention;
  const auto width = static_cast<double>(a.heads * (a.head_dim + a.value_dim));
  const auto seen = static_cast<double>(context);
  const auto window = static_cast<double>(a.window);
  if (windowed && window < seen) return 2 * window * width;
  return 2 * seen * width * (a.causal && causal_half ? 0.5 : 1.0);
}

double training_flops(const Model& model, std::int64_t sequence, bool causal_half) {
  double flops = token_flops(model, sequence, causal_half).sum();
  // A predicted layer is one more layer of the last kind, its input projection and a further head.
  if (model.predicted_layers > 0) {
    const TokenFlops all = token_flops(model, sequence, causal_half);
    Model one = model;
    one.layers = 1;
    one.moe.first_dense = 0;
    const TokenFlops layer = token_flops(one, sequence, causal_half);
    const auto h = static_cast<double>(model.hidden);
    flops += static_cast<double>(model.predicted_layers) *
             (layer.dense + layer.experts + layer.attention + all.head + 4 * h * h);
  }
  return 3 * flops;
}

std::int64_t cache_of_layer(const Attention& a, std::int64_t element_bytes) {
  if (a.latent) return (a.kv_lora + a.rope) * element_bytes;
  return 2 * a.kv_heads * a.head_dim * element_bytes;
}

}  // namespace

std::vector<LayerClass> layer_classes(const Model& model, std::int64_t first, std::int64_t last) {
  std::vector<LayerClass> classes;
  for (std::int64_t layer = first; layer < last; ++layer) {
    const bool moe = is_moe_layer(model, layer);
    const bool windowed = is_windowed(model, layer);
    const auto same = std::ranges::find_if(
        classes, [&](const LayerClass& one) { return one.moe == moe && one.windowed == windowed; });
    if (same != classes.end()) {
      ++same->count;
    } else {
      classes.push_back({moe, windowed, 1});
    }
  }
  return classes;
}

std::int64_t attention_parameters(const Model& model) {
  const Attention& a = model.attention;
  const std::int64_t h = model.hidden;
  const std::int64_t queries = a.heads * a.head_dim;
  std::int64_t sum = a.heads * a.value_dim * h + (a.out_bias ? h : 0) + 2 * a.qk_norm + a.sinks;
  if (a.latent) {
    sum += a.q_lora > 0 ? h * a.q_lora + a.q_lora + a.q_lora * queries : h * queries;
    sum += h * (a.kv_lora + a.rope) + a.kv_lora + a.kv_lora * a.heads * (a.nope + a.value_dim);
    return sum;
  }
  const std::int64_t keys = 2 * a.kv_heads * a.head_dim;
  return sum + h * (queries + keys) + (a.qkv_bias ? queries + keys : 0);
}

std::int64_t expert_parameters(const Model& model) {
  const std::int64_t matrices = mlp_matrix(model, model.moe.width, model.mlp.gated);
  const std::int64_t inner = model.mlp.gated ? 2 * model.moe.width : model.moe.width;
  return matrices + (model.moe.expert_bias ? inner + model.hidden : 0);
}

LayerParameters layer_parameters(const Model& model, bool moe) {
  const Attention& a = model.attention;
  const std::int64_t h = model.hidden;
  LayerParameters sum;
  sum.replicated = 2 * norm_parameters(model, h) + 2 * a.qk_norm + (a.out_bias ? h : 0);
  if (a.latent) {
    sum.replicated += a.q_lora > 0 ? h * a.q_lora + a.q_lora : 0;
    sum.replicated += h * (a.kv_lora + a.rope) + a.kv_lora;
  } else {
    sum.key_value = 2 * a.kv_heads * a.head_dim * (h + (a.qkv_bias ? 1 : 0));
  }
  sum.tensor = attention_parameters(model) + 2 * norm_parameters(model, h) - sum.replicated;
  if (model.video && model.extra.context_tokens > 0) {
    sum.tensor += attention_parameters(model);  // cross-attention has the same shape
    sum.replicated += 2 * h;                    // its norm, scale and shift
  }
  if (model.video) {
    sum.replicated += model.extra.modulation * h - 2 * norm_parameters(model, h);
  }
  if (!moe) {
    const std::int64_t inner = model.mlp.gated ? 2 * model.mlp.width : model.mlp.width;
    sum.tensor += mlp_matrix(model, model.mlp.width, model.mlp.gated);
    if (model.mlp.bias) sum.tensor += inner, sum.replicated += h;
    return sum;
  }
  const Moe& m = model.moe;
  sum.tensor += m.shared * mlp_matrix(model, m.shared_width, model.mlp.gated);
  sum.replicated += h * m.experts + (m.router_bias ? m.experts : 0);
  sum.replicated += m.correction_bias ? m.experts : 0;
  sum.experts = m.experts * expert_parameters(model);
  return sum;
}

std::int64_t embedding_parameters(const Model& model) {
  if (model.video) return model.extra.patch > 0 ? video_embeddings(model) : 0;
  return (model.vocabulary + model.learned_positions) * model.hidden;
}

std::int64_t head_parameters(const Model& model) {
  const std::int64_t h = model.hidden;
  if (!model.video) {
    return norm_parameters(model, h) + (model.tied ? 0 : model.vocabulary * h);
  }
  if (model.extra.out_patch == 0) return 0;
  return h * model.extra.out_patch + model.extra.out_patch + 2 * h;  // and its modulation
}

std::int64_t total_parameters(const Model& model) {
  if (model.extra.double_blocks > 0) return hunyuan_matrices(model);
  std::int64_t sum = embedding_parameters(model) + head_parameters(model);
  for (const LayerClass& one : layer_classes(model, 0, model.layers)) {
    sum += one.count * layer_parameters(model, one.moe).total();
  }
  return sum;
}

std::int64_t active_parameters(const Model& model) {
  std::int64_t idle = 0;
  for (const LayerClass& one : layer_classes(model, 0, model.layers)) {
    if (one.moe) idle += one.count * (model.moe.experts - model.moe.top_k);
  }
  return total_parameters(model) - idle * (model.is_moe() ? expert_parameters(model) : 0);
}

TokenFlops token_flops(const Model& model, std::int64_t context, bool causal_half) {
  TokenFlops sum;
  const auto h = static_cast<double>(model.hidden);
  if (model.extra.double_blocks > 0) {
    // Modulation is computed once per sample, not per token; a token passes one of two streams.
    sum.dense =
        2 * h * h *
        static_cast<double>(12 * model.extra.double_blocks + 12 * model.extra.single_blocks);
    sum.attention = static_cast<double>(model.extra.double_blocks + model.extra.single_blocks) *
                    attention_flops(model, false, context, causal_half);
    return sum;
  }
  const double matrices = model.mlp.gated ? 3 : 2;
  for (const LayerClass& one : layer_classes(model, 0, model.layers)) {
    const auto count = static_cast<double>(one.count);
    sum.attention += count * attention_flops(model, one.windowed, context, causal_half);
    double dense = projection_flops(model);
    if (model.video && model.extra.context_tokens > 0) {
      dense += 4 * h * h;  // queries and output of the cross-attention; its keys are of the text
      sum.attention += count * 4 * static_cast<double>(model.extra.context_tokens) * h;
    }
    const Moe& m = model.moe;
    if (one.moe) {
      dense += 2 * h * static_cast<double>(m.experts);
      dense += 2 * matrices * h * static_cast<double>(m.shared * m.shared_width);
      sum.experts += count * 2 * matrices * h * static_cast<double>(m.top_k * m.width);
    } else {
      dense += 2 * matrices * h * static_cast<double>(model.mlp.width);
    }
    sum.dense += count * dense;
  }
  sum.head = 2 * h * static_cast<double>(model.video ? model.extra.out_patch : model.vocabulary);
  return sum;
}

double megatron_flops(const Model& model, std::int64_t sequence) {
  return training_flops(model, sequence, true);
}

double torchtitan_flops(const Model& model, std::int64_t sequence) {
  return training_flops(model, sequence, false);
}

std::int64_t cache_bytes(const Model& model, std::int64_t element_bytes) {
  return model.layers * cache_of_layer(model.attention, element_bytes);
}

std::int64_t cache_bytes_beyond_window(const Model& model, std::int64_t element_bytes) {
  std::int64_t growing = 0;
  for (const LayerClass& one : layer_classes(model, 0, model.layers)) {
    if (!one.windowed) growing += one.count;
  }
  return growing * cache_of_layer(model.attention, element_bytes);
}

double distinct_groups(std::int64_t experts, std::int64_t top_k, std::int64_t n) {
  if (n <= 1) return 1;
  double none = 1;  // chance that no choice falls into one given group
  const std::int64_t outside = experts - experts / n;
  for (std::int64_t i = 0; i < top_k; ++i) {
    none *= static_cast<double>(std::max<std::int64_t>(outside - i, 0)) /
            static_cast<double>(experts - i);
  }
  return static_cast<double>(n) * (1 - none);
}

}  // namespace workload
