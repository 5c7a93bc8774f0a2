// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/roofline.h"

#include <algorithm>
#include <cmath>

namespace workload {
namespace {

double bytes(Dtype dtype, double elements) {
  return elements * static_cast<double>(bytes_of(dtype, 1 << 20)) / (1 << 20);
}

// Piecewise linear in the logarithm of x.
double curve(const std::vector<double>& at, const std::vector<double>& value, double x) {
  if (x >= at.back()) return value.back();
  if (x <= at.front()) return value.front();
  std::size_t i = 1;
  while (at[i] < x) ++i;
  const double part = std::log(x / at[i - 1]) / std::log(at[i] / at[i - 1]);
  return value[i - 1] + part * (value[i] - value[i - 1]);
}

}  // namespace

Roofline::Roofline(const Chip& chip, std::int64_t ranks_per_chip)
    : chip_(chip), share_(1.0 / static_cast<double>(ranks_per_chip)) {}

double Roofline::peak(Dtype dtype) const {
  const double own = chip_.peak[static_cast<std::size_t>(dtype)];
  return (own > 0 ? own : chip_.peak[static_cast<std::size_t>(Dtype::kBf16)]) * share_;
}

double Roofline::tiled(double size) const {
  const auto tile = static_cast<double>(chip_.tile);
  return std::ceil(size / tile) * tile;
}

double Roofline::reached(double rows, double columns, double inner) const {
  return chip_.gemm_share *
         curve(chip_.curve_side, chip_.curve_share, std::cbrt(rows * columns * inner));
}

std::int64_t Roofline::longer(double compute_seconds, double moved) const {
  const double memory = moved / (chip_.memory_rate * share_ * chip_.memory_share);
  return chip_.launch.value + std::llround(std::max(compute_seconds, memory) * 1e12);
}

std::int64_t Roofline::product(double rows, double columns, double inner, Dtype dtype,
                               Dtype moved) const {
  if (rows <= 0 || columns <= 0 || inner <= 0) return 0;
  const double flops = 2 * tiled(rows) * tiled(columns) * inner;
  const double memory =
      bytes(dtype, columns * inner) + bytes(moved, rows * inner) + bytes(moved, rows * columns);
  return longer(flops / (peak(dtype) * reached(rows, columns, inner)), memory);
}

std::int64_t Roofline::grouped(double count, double rows, double touched, double columns,
                               double inner, Dtype dtype, Dtype moved) const {
  if (count <= 0 || rows <= 0) return 0;
  const double flops = 2 * count * tiled(rows) * tiled(columns) * inner;
  const double memory =
      bytes(dtype, touched * columns * inner) + bytes(moved, count * rows * (inner + columns));
  // The products run side by side, so the volume that counts is that of all of them.
  const double part = reached(count * rows, columns, inner) * chip_.grouped_share;
  return longer(flops / (peak(dtype) * part), memory);
}

std::int64_t Roofline::attention(double flops, double moved) const {
  return longer(flops / (peak(Dtype::kBf16) * chip_.attention_share), moved);
}

std::int64_t Roofline::stream(double moved) const { return moved <= 0 ? 0 : longer(0, moved); }

}  // namespace workload
