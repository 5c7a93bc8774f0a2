// SPDX-License-Identifier: GPL-2.0-only
// The time of one collective on one placed group as a function of its size, for sweeps: times grow
// in nearly straight pieces, so a few evaluations give a line through all others within a stated
// tolerance. Built once per collective, group and algorithm; asking it costs a binary search.
#pragma once

#include <functional>
#include <vector>

#include "sim/base/units.h"

namespace sim::analytic {

class Curve {
 public:
  using Evaluate = std::function<Time(Bytes)>;

  // Between `least` and `most` (least < most). Pieces are halved until the middle of each is known
  // within `parts_per_million` of what `evaluate` says, or no piece is longer than one byte.
  Curve(const Evaluate& evaluate, Bytes least, Bytes most, std::int64_t parts_per_million);

  // CHECKs that the size lies within.
  [[nodiscard]] Time operator()(Bytes bytes) const;
  [[nodiscard]] std::size_t points() const { return bytes_.size(); }

 private:
  void refine(const Evaluate& evaluate, Bytes first, Time at_first, Bytes last, Time at_last);

  std::int64_t tolerance_;
  std::vector<std::int64_t> bytes_;  // increasing
  std::vector<std::int64_t> time_;
};

}  // namespace sim::analytic
