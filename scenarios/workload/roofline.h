// SPDX-License-Identifier: GPL-2.0-only
// Time of single operations on one rank: the longer of computing and moving memory, plus a launch.
// A matrix product reaches gemm_share x curve(side of the cube of its volume) of the peak; rows and
// columns are rounded up to the chip's tile, so narrow shards and few rows per expert pay for what
// they leave empty. Times in picoseconds.
#pragma once

#include <cstdint>

#include "scenarios/workload/chip.h"

namespace workload {

class Roofline {
 public:
  // A rank has 1 / ranks_per_chip of the chip's rates.
  Roofline(const Chip& chip, std::int64_t ranks_per_chip);

  // rows x columns += rows x inner times inner x columns; operands in `dtype`, the result and the
  // rows in `moved`.
  [[nodiscard]] std::int64_t product(double rows, double columns, double inner, Dtype dtype,
                                     Dtype moved) const;
  // `count` products of `rows` rows each in one operation; weights of `touched` of them are read.
  [[nodiscard]] std::int64_t grouped(double count, double rows, double touched, double columns,
                                     double inner, Dtype dtype, Dtype moved) const;
  // Attention core: so many operations over so many bytes of memory.
  [[nodiscard]] std::int64_t attention(double flops, double bytes) const;
  // Whatever only streams through memory: norms, activations, additions, copies.
  [[nodiscard]] std::int64_t stream(double bytes) const;

  [[nodiscard]] double peak(Dtype dtype) const;  // FLOP/s of a rank; BF16 where there is no other
  [[nodiscard]] double beside() const { return chip_.beside; }

 private:
  [[nodiscard]] double reached(double rows, double columns, double inner) const;
  [[nodiscard]] double tiled(double size) const;
  [[nodiscard]] std::int64_t longer(double compute_seconds, double bytes) const;

  const Chip& chip_;
  double share_;
};

}  // namespace workload
