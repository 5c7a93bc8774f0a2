// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/analytic/curve.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/base/check.h"

namespace sim::analytic {
namespace {

Time between(Bytes first, Time at_first, Bytes last, Time at_last, Bytes at) {
  const auto rise = static_cast<__int128>((at_last - at_first).value) * (at - first).value;
  return at_first + Time(static_cast<std::int64_t>(rise / (last - first).value));
}

// Sizes are swept in powers: the middle is the geometric one.
Bytes middle(Bytes first, Bytes last) {
  const double root = std::sqrt(static_cast<double>(first.value) * static_cast<double>(last.value));
  return Bytes(std::clamp(static_cast<std::int64_t>(root), first.value + 1, last.value - 1));
}

}  // namespace

Curve::Curve(const Evaluate& evaluate, Bytes least, Bytes most, std::int64_t parts_per_million)
    : tolerance_(parts_per_million) {
  CHECK(least.value > 0 && least < most && parts_per_million > 0);
  const Time at_least = evaluate(least);
  const Time at_most = evaluate(most);
  bytes_.push_back(least.value);
  time_.push_back(at_least.value);
  refine(evaluate, least, at_least, most, at_most);
  bytes_.push_back(most.value);
  time_.push_back(at_most.value);
}

void Curve::refine(const Evaluate& evaluate, Bytes first, Time at_first, Bytes last, Time at_last) {
  if (last.value - first.value < 2) return;
  const Bytes half = middle(first, last);
  const Time found = evaluate(half);
  const Time line = between(first, at_first, last, at_last, half);
  const auto off = static_cast<__int128>(std::llabs((found - line).value)) * 1'000'000;
  // A first piece over many powers may cross the line by chance: look closer.
  const bool long_piece = last.value / first.value >= 16;
  if (!long_piece && off <= static_cast<__int128>(found.value) * tolerance_) return;
  refine(evaluate, first, at_first, half, found);
  bytes_.push_back(half.value);
  time_.push_back(found.value);
  refine(evaluate, half, found, last, at_last);
}

Time Curve::operator()(Bytes bytes) const {
  CHECK(bytes.value >= bytes_.front() && bytes.value <= bytes_.back());
  const auto after = std::lower_bound(bytes_.begin(), bytes_.end(), bytes.value);
  const auto i = static_cast<std::size_t>(after - bytes_.begin());
  if (*after == bytes.value) return Time(time_[i]);
  return between(Bytes(bytes_[i - 1]), Time(time_[i - 1]), Bytes(bytes_[i]), Time(time_[i]), bytes);
}

}  // namespace sim::analytic
