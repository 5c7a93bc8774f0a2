// SPDX-License-Identifier: GPL-2.0-only
// One step of a model in a layout on a cluster: how long it takes and where the time goes. Layers
// are alike, so a program is played for one or a few of each class and the rest follows; a pipeline
// is played task by task (exact) or estimated by its closed form (searches).
#pragma once

#include <string>
#include <vector>

#include "scenarios/workload/layer_program.h"
#include "scenarios/workload/memory.h"
#include "scenarios/workload/pipeline.h"

namespace workload {

// The machine as a step sees it.
struct Machine {
  const Chip* chip = nullptr;
  std::int64_t ranks = 0;  // of the cluster; a layout may leave some idle
  std::int64_t ranks_per_chip = 1;
  double margin = 0;  // part of the memory kept free
  CollectivePrice* price = nullptr;
};

struct CollectiveLine {
  Purpose purpose = Purpose::kTensor;
  std::string_view what;
  Move move = Move::kAllReduce;
  std::int64_t ranks = 0;
  std::int64_t bytes = 0;
  std::int64_t times = 0;  // in a step, of one rank of the busiest stage
  std::int64_t each = 0;   // ps
  std::string_view algorithm;
};

struct Step {
  // Times in ps; on the stage that works longest where stages differ.
  std::int64_t total = 0;
  std::int64_t compute = 0;
  ByPurpose exposed{};      // disjoint moments: their sum is part of `total`
  ByPurpose collectives{};  // all of it, hidden or not
  std::int64_t bubble = 0;
  std::int64_t optimizer = 0;
  double tokens = 0;                        // of all ranks, in a step
  double model_flops = 0;                   // of the step, by Megatron's convention
  double all_flops = 0;                     // by TorchTitan's convention
  double recomputed_share = 0;              // operations computed again, against the model's own
  std::array<TierBytes, kPurposes> sent{};  // by one rank, by purpose and place
  std::int64_t busiest_stage = 0;
  MemoryTable memory;
  std::vector<CollectiveLine> lines;

  [[nodiscard]] std::int64_t exposed_sum() const;
  [[nodiscard]] std::int64_t collectives_sum() const;
  [[nodiscard]] double tokens_per_second(std::int64_t chips) const;  // of each chip
  [[nodiscard]] double flops_per_second(std::int64_t chips) const;   // model's own, of each chip
};

enum class Depth : std::uint8_t { kEstimate, kExact };

// `layout` has been found without fault for the model. Memory that overflows does not stop it: the
// caller looks at Step::memory.
[[nodiscard]] Step evaluate(const Model& model, const Layout& layout, const Machine& machine,
                            Depth depth);

}  // namespace workload
