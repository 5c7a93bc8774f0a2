// SPDX-License-Identifier: GPL-2.0-only
// Model: the architecture of a transformer, as far as it decides what is computed, stored and sent.
// Sizes are counts of elements; nothing here knows how the model is sharded. Parameter counts are
// exact: presets are held to their published totals to the last digit (tests/scenarios/workload).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace workload {

struct Attention {
  bool latent = false;  // MLA of DeepSeek: low-rank queries, one compressed key/value per token
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // groups of GQA; equal to heads for MHA and MLA
  std::int64_t head_dim = 0;  // of a query (MLA: nope + rope)
  std::int64_t value_dim = 0;
  std::int64_t q_lora = 0;  // MLA only; 0: queries are projected directly
  std::int64_t kv_lora = 0;
  std::int64_t nope = 0;
  std::int64_t rope = 0;
  bool qkv_bias = false;
  bool out_bias = false;
  std::int64_t qk_norm = 0;  // elements of each of the two norms, 0: none
  std::int64_t sinks = 0;    // learned sink logits of a layer
  bool causal = true;
  std::int64_t window = 0;        // tokens that a sliding-window layer sees, 0: no such layers
  std::int64_t window_every = 2;  // one layer in so many has the window, the first one on
};

struct Mlp {
  std::int64_t width = 0;
  bool gated = true;  // three matrices (SwiGLU) or two
  bool bias = false;
};

struct Moe {
  std::int64_t experts = 0;  // 0: the model is dense
  std::int64_t top_k = 0;
  std::int64_t width = 0;
  std::int64_t shared = 0;        // experts that every token visits
  std::int64_t shared_width = 0;  // of each
  std::int64_t first_dense = 0;   // leading layers with the dense MLP
  std::int64_t every = 1;         // of the others, one in so many has experts
  bool expert_bias = false;
  bool router_bias = false;
  bool correction_bias = false;  // DeepSeek's loss-free balancing: one number per expert
  std::int64_t groups = 1;       // node-limited routing: experts stand in groups,
  std::int64_t top_groups = 1;   // of which a token may use so many
};

// What a video transformer (DiT) has beside its blocks; all zero for language models.
struct Video {
  std::int64_t context_tokens = 0;  // text tokens of the cross-attention; 0: it has none
  std::int64_t modulation = 0;      // rows of hidden size that shift and scale each block
  std::int64_t patch = 0;           // latent elements of one token: channels x patch volume
  std::int64_t out_patch = 0;
  std::int64_t text_dim = 0;
  std::int64_t frequency_dim = 0;
  std::int64_t double_blocks = 0;  // HunyuanVideo: blocks with two streams of weights,
  std::int64_t single_blocks = 0;  // and blocks with one fused stream
};

struct Model {
  std::string name;
  std::string family;
  bool video = false;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  bool tied = false;  // input embedding and output head share their weights
  std::int64_t learned_positions = 0;
  bool layer_norm = false;  // two numbers per element (scale and shift) where RMSNorm has one
  Attention attention;
  Mlp mlp;
  Moe moe;
  Video extra;
  std::int64_t predicted_layers = 0;  // multi-token prediction, outside the parameter totals
  std::string source;                 // where the architecture comes from, for the answer

  [[nodiscard]] bool is_moe() const { return moe.experts > 0; }
};

// Layers that are alike: what they hold and cost differs by nothing but the place in the model.
struct LayerClass {
  bool moe = false;
  bool windowed = false;
  std::int64_t count = 0;
};
// The classes of layers [first, last), in order of first appearance.
[[nodiscard]] std::vector<LayerClass> layer_classes(const Model& model, std::int64_t first,
                                                    std::int64_t last);

// Parameters of one layer, by how parallelism divides them.
struct LayerParameters {
  std::int64_t tensor = 0;      // matrices that tensor parallelism divides
  std::int64_t key_value = 0;   // of these, K and V: whole again on each rank beyond kv_heads ranks
  std::int64_t replicated = 0;  // norms, router, MLA down-projections
  std::int64_t experts = 0;     // routed experts, all of them

  [[nodiscard]] std::int64_t total() const { return tensor + replicated + experts; }
};
[[nodiscard]] LayerParameters layer_parameters(const Model& model, bool moe);
[[nodiscard]] std::int64_t attention_parameters(const Model& model);
[[nodiscard]] std::int64_t expert_parameters(const Model& model);  // of one routed expert

// Parameters outside the layers.
[[nodiscard]] std::int64_t embedding_parameters(const Model& model);  // input table and positions
[[nodiscard]] std::int64_t head_parameters(const Model& model);       // 0 when tied, norm included
[[nodiscard]] std::int64_t total_parameters(const Model& model);
// What one token passes through: routed experts beyond the top k left out, both vocabulary
// matrices counted.
[[nodiscard]] std::int64_t active_parameters(const Model& model);

// Floating-point operations of a forward pass, per token, a multiplication and an addition counted
// as two. `context`: tokens that attention sees; `causal_half`: on average half of them.
struct TokenFlops {
  double dense = 0;      // matrices of the layers, experts apart
  double experts = 0;    // the top k routed experts
  double attention = 0;  // scores and weighted values
  double head = 0;

  [[nodiscard]] double sum() const { return dense + experts + attention + head; }
};
[[nodiscard]] TokenFlops token_flops(const Model& model, std::int64_t context, bool causal_half);

// Conventions of published throughputs; both are three forward passes per trained token.
[[nodiscard]] double megatron_flops(const Model& model, std::int64_t sequence);    // causal half
[[nodiscard]] double torchtitan_flops(const Model& model, std::int64_t sequence);  // all of it

// Bytes of keys and values that one more token adds over all layers, and once the windows are full.
[[nodiscard]] std::int64_t cache_bytes(const Model& model, std::int64_t element_bytes);
[[nodiscard]] std::int64_t cache_bytes_beyond_window(const Model& model,
                                                     std::int64_t element_bytes);

// Expected number of distinct groups, of n equal ones, that the top k of E experts fall into when
// drawn evenly without replacement: n (1 - C(E - E/n, k) / C(E, k)).
[[nodiscard]] double distinct_groups(std::int64_t experts, std::int64_t top_k, std::int64_t n);

}  // namespace workload
