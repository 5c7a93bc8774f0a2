// SPDX-License-Identifier: GPL-2.0-only
// Layout: how a model is cut over ranks and what a step consists of, in TorchTitan's terms. A
// Layout that `fault_in` has passed divides the model evenly where it must; what remains uneven
// (layers over stages) is spread as evenly as it goes, the first stages getting one layer more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/workload/chip.h"
#include "scenarios/workload/model.h"

namespace workload {

enum class Phase : std::uint8_t { kTraining, kPrefill, kDecode };
enum class Schedule : std::uint8_t { kGpipe, k1f1b, kInterleaved, kZb1p, kZbv, kDualPipeV };
enum class Sharding : std::uint8_t { kNone, kOptimizer, kGradients, kParameters };  // ZeRO 0 to 3
enum class Recompute : std::uint8_t { kNone, kSelective, kFull };
enum class Dispatcher : std::uint8_t { kAllToAll, kAllGather, kAllToAllDedup };
enum class ContextMethod : std::uint8_t { kRing, kAllGather, kUlysses };
// kBlocking: compute waits for every collective. kAsync: beside whatever does not depend on it.
// kChunked: also cut into parts that hide behind the product that feeds or needs them.
enum class Overlap : std::uint8_t { kBlocking, kAsync, kChunked };
enum class Routing : std::uint8_t { kBalanced, kUniform, kZipf, kHot };

// What a collective is for; also the kinds by which exposed communication is reported.
enum class Purpose : std::uint8_t { kTensor, kExpert, kPipeline, kContext, kData };
inline constexpr std::size_t kPurposes = 5;
[[nodiscard]] std::string_view name_of(Purpose purpose);  // "TP"

struct Dtypes {
  Dtype compute = Dtype::kBf16;  // operands of matrix products
  Dtype weights = Dtype::kBf16;
  Dtype activations = Dtype::kBf16;
  Dtype gradients = Dtype::kFp32;  // as they are reduced and kept
  Dtype dispatch = Dtype::kBf16;   // tokens on their way to experts
  Dtype combine = Dtype::kBf16;    // and back
  Dtype cache = Dtype::kBf16;      // keys and values
};

struct Layout {
  Phase phase = Phase::kTraining;
  std::int64_t tensor = 1;
  bool sequence_parallel = true;
  std::int64_t context = 1;
  ContextMethod context_method = ContextMethod::kRing;
  std::int64_t expert = 1;
  std::int64_t expert_tensor = 1;
  std::int64_t pipeline = 1;
  Schedule schedule = Schedule::k1f1b;
  std::int64_t virtual_stages = 1;  // model chunks of a rank
  std::int64_t shard = 1;           // data parallel, sharded
  std::int64_t replicate = 1;       // data parallel, whole copies
  Sharding sharding = Sharding::kParameters;
  bool reshard = true;            // kParameters: gathered again for the backward pass
  std::int64_t micro_batch = 1;   // sequences (decode: of a rank of data parallelism)
  std::int64_t global_batch = 1;  // sequences of a step
  std::int64_t sequence = 1;      // tokens (decode: tokens in the cache)
  std::int64_t speculative = 1;   // decode: tokens of one sequence in a step
  Recompute recompute = Recompute::kNone;
  Dispatcher dispatcher = Dispatcher::kAllToAll;
  Dtypes dtype;
  std::array<Overlap, kPurposes> overlap{Overlap::kAsync, Overlap::kBlocking, Overlap::kAsync,
                                         Overlap::kAsync, Overlap::kAsync};
  Routing routing = Routing::kBalanced;
  double skew = 1;                  // zipf: exponent; hot: busiest rank against the mean
  bool node_limited = true;         // routing obeys the model's groups
  bool pipeline_innermost = false;  // rank order: the stages of a pipeline are neighbours

  [[nodiscard]] std::int64_t data() const { return shard * replicate; }
  [[nodiscard]] std::int64_t ranks() const { return tensor * context * pipeline * data(); }
  [[nodiscard]] std::int64_t micro_batches() const {
    return phase == Phase::kTraining ? global_batch / (micro_batch * data()) : 1;
  }
  // Tokens that the ranks of one tensor-parallel group work on in one micro-batch.
  [[nodiscard]] std::int64_t tokens() const {
    if (phase == Phase::kDecode) return micro_batch * speculative;
    return micro_batch * (sequence / context);
  }
  // Ranks that hold different micro-batches or parts of one: experts are spread over them.
  [[nodiscard]] std::int64_t expert_data() const {
    return tensor * context * data() / (expert * expert_tensor);
  }
  [[nodiscard]] Overlap overlap_of(Purpose purpose) const {
    return overlap[static_cast<std::size_t>(purpose)];
  }
  // "tp 8, pp 4, dp 12": the degrees other than 1.
  [[nodiscard]] std::string text() const;
};

// Layers of stage chunk c (0 .. pipeline x virtual_stages - 1) as [first, last).
struct LayerRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
[[nodiscard]] LayerRange chunk_layers(const Model& model, const Layout& layout, std::int64_t chunk);
// The rank (of the pipeline) that holds a chunk: V-shaped schedules fold back.
[[nodiscard]] std::int64_t stage_of_chunk(const Layout& layout, std::int64_t chunk);

// What stops a layout from serving a model on so many ranks: the key at fault, why, and what would
// do. Empty when nothing does.
struct LayoutFault {
  std::string key;
  std::string what;
  std::string expected;
};
[[nodiscard]] std::optional<LayoutFault> fault_in(const Model& model, const Layout& layout,
                                                  std::int64_t ranks);

// Layouts near one that does not work, by the least change of degrees; at most `most`.
[[nodiscard]] std::vector<Layout> nearest_layouts(const Model& model, const Layout& layout,
                                                  std::int64_t ranks, std::size_t most);

[[nodiscard]] std::vector<std::int64_t> divisors(std::int64_t n);

}  // namespace workload
