// SPDX-License-Identifier: GPL-2.0-only
// What a layout keeps in the memory of one rank, term by term, on the stage that needs most.
// Sources of the terms: Megatron's activation formulas (arXiv 2205.05198), ZeRO (1910.02054), and
// their extension to gated, grouped and MoE layers, per token: 8h + 4(a+g)d + 6f + 4a for dense
// layers and 8h + 4(a+g)d + k(2h + 6fe) + 4E + 4a + 6fs for MoE layers, in bytes at two bytes an
// element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/workload/layout.h"

namespace workload {

struct MemoryTerm {
  std::string_view name;
  std::int64_t bytes = 0;
};

struct MemoryTable {
  std::int64_t stage = 0;  // of the pipeline
  std::vector<MemoryTerm> terms;
  std::int64_t sum = 0;
  std::int64_t capacity = 0;  // of the rank, after the margin

  [[nodiscard]] bool fits() const { return sum <= capacity; }
  // The largest term: the one to cut first when it does not fit.
  [[nodiscard]] const MemoryTerm& largest() const;
};

// Bytes of activations that the backward pass of one layer needs, per micro-batch, on one rank.
[[nodiscard]] std::int64_t activation_bytes(const Model& model, const Layout& layout, bool moe);
// Micro-batches whose activations stage `stage` holds at once, in units of a whole rank's layers.
[[nodiscard]] double in_flight(const Layout& layout, std::int64_t stage);

// `capacity`: bytes of the rank; `margin`: part of it kept free (runtime, fragments, DMA rings).
[[nodiscard]] MemoryTable memory_of(const Model& model, const Layout& layout, std::int64_t capacity,
                                    double margin);

}  // namespace workload
