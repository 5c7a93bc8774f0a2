// SPDX-License-Identifier: GPL-2.0-only
// Sampler: how busy each link class was, from period to period, read off the ports while a recorded
// case runs. The periods double when there are too many, so that any run fits in the same room.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/packet/ports.h"
#include "sim/results/recording.h"

namespace sim::packet {

class Sampler {
 public:
  // `period`: ps, > 0, to begin with.
  Sampler(const Fabric& fabric, const Ports& ports, std::int64_t period);

  [[nodiscard]] std::int64_t period() const { return period_; }
  // At the end of each period.
  void take();
  [[nodiscard]] std::vector<LevelCurve> curves() const;

 private:
  static constexpr std::size_t kMostSamples = 256;

  [[nodiscard]] std::vector<std::int64_t> busy_by_class() const;

  const Fabric& fabric_;
  const Ports& ports_;
  std::int64_t period_;
  std::vector<std::vector<std::int64_t>> samples_;  // by period and class: ps sent so far, summed
};

}  // namespace sim::packet
