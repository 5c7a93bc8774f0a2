// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/sampler.h"

#include <algorithm>

#include "sim/engine/case_figures.h"

namespace sim::packet {

Sampler::Sampler(const Fabric& fabric, const Ports& ports, std::int64_t period)
    : fabric_(fabric), ports_(ports), period_(period) {
  CHECK(period > 0);
}

std::vector<std::int64_t> Sampler::busy_by_class() const {
  std::vector<std::int64_t> busy(fabric_.classes().size(), 0);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    busy[index(fabric_.link(LinkId(i)).kind)] += ports_.use(i).busy_ps;
  }
  return busy;
}

void Sampler::take() {
  samples_.push_back(busy_by_class());
  if (samples_.size() < kMostSamples) return;
  for (std::size_t i = 0; i < kMostSamples / 2; ++i) samples_[i] = samples_[2 * i + 1];
  samples_.resize(kMostSamples / 2);
  period_ *= 2;
}

// A port counts a packet when it begins: what reaches beyond a period is carried to the next.
std::vector<LevelCurve> Sampler::curves() const {
  std::vector<std::int64_t> links(fabric_.classes().size(), 0);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    if (ports_.use(i).packets > 0) ++links[index(fabric_.link(LinkId(i)).kind)];
  }
  std::vector<std::vector<std::int64_t>> samples = samples_;
  samples.push_back(busy_by_class());  // the last period may be a part of one
  std::vector<LevelCurve> curves;
  for (std::size_t kind = 0; kind < links.size(); ++kind) {
    if (links[kind] == 0) continue;
    LevelCurve curve{fabric_.classes()[kind].name, period_, {}};
    const std::int64_t most = period_ * links[kind];
    std::int64_t told = 0;
    for (const std::vector<std::int64_t>& sample : samples) {
      const std::int64_t busy = std::min(sample[kind] - told, most);
      told += busy;
      curve.busy_ppb.push_back(parts_per_billion(busy, most));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace sim::packet
