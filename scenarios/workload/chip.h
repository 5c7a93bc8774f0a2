// SPDX-License-Identifier: GPL-2.0-only
// Chip: what computes, as far as a roofline needs it. The files of scenarios/chips hold the facts,
// each with range, grade and source. Rates are those of a whole chip; a rank that is a logical core
// has its share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/parameter.h"

namespace workload {

enum class Dtype : std::uint8_t { kFp32, kBf16, kFp8, kMxfp8, kMxfp4 };
inline constexpr std::size_t kDtypes = 5;

[[nodiscard]] std::string_view name_of(Dtype dtype);  // "bf16"
[[nodiscard]] const std::vector<std::string>& dtype_names();
[[nodiscard]] Dtype dtype_of(std::string_view name);  // CHECKs that it is one
// Bytes of so many elements, block scales included (MX formats add 8 bits to every 32), rounded up.
[[nodiscard]] std::int64_t bytes_of(Dtype dtype, std::int64_t elements);

struct Chip {
  std::string name;
  std::string title;
  std::vector<std::string> hardware;   // presets whose chips these are
  std::int64_t cores = 1;              // physical
  std::int64_t memory = 0;             // bytes of HBM
  double memory_rate = 0;              // bytes per second
  double memory_share = 0;             // of it that streaming operations reach
  std::array<double, kDtypes> peak{};  // FLOP/s; 0: the chip does not compute in this type
  double gemm_share = 0;               // of the peak that the largest matrix products reach
  std::vector<double> curve_side;      // side of the cube of equal volume, ascending,
  std::vector<double> curve_share;     // and what it reaches of gemm_share
  double attention_share = 0;          // of the peak that the attention core reaches
  double grouped_share = 0;            // of what one matrix product reaches, for grouped ones
  std::int64_t tile = 1;               // rows and columns are computed in multiples of it
  sim::Time launch;                    // of one operation
  double beside = 0;                   // share of compute lost while a collective runs beside it
  std::vector<sim::Parameter> facts;   // all of the above, for the manifest
};

[[nodiscard]] std::vector<std::string> chip_names();
[[nodiscard]] std::optional<Chip> find_chip(std::string_view name);
// The chip of a hardware preset ("trn3-gen2"); empty when no file names it.
[[nodiscard]] std::optional<Chip> chip_of_hardware(std::string_view preset);

// The declared facts of a chip, in the order of the file.
[[nodiscard]] const std::vector<sim::Key>& chip_fact_keys();
// Replaces one fact ("gemm.share") by a value that its key accepts.
void set_fact(Chip& chip, const std::string& name, const sim::Quantity& value);

}  // namespace workload
