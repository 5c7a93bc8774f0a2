// SPDX-License-Identifier: GPL-2.0-only
// What is not as it should be while a case runs: links that lose, damage, hold up or go down, other
// jobs and background load on the same network. Only the packet level models it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/placement.h"
#include "sim/fabric/fabric.h"
#include "sim/schedule/schedule.h"

namespace sim {

struct DownTime {
  Time from;
  Time to = Time(std::numeric_limits<std::int64_t>::max());  // the largest: for good
};

struct LinkFault {
  LinkId link{};
  std::int64_t loss = 0;        // parts per billion of packets
  std::int64_t corruption = 0;  // the same
  std::int64_t bit_errors = 0;  // of 1e15 bits
  std::int64_t late = 0;        // parts per billion of packets
  Time lateness;
  std::vector<DownTime> down = {};
};

struct BackgroundLoad {
  LinkId link{};
  std::int64_t share_ppb = 0;  // of what the link can carry
};

// Runs again and again until the case is done.
struct OtherJob {
  const Schedule* schedule = nullptr;
  const Placement* placement = nullptr;
};

struct Conditions {
  std::vector<LinkFault> links = {};
  std::vector<BackgroundLoad> loads = {};
  std::vector<OtherJob> jobs = {};

  [[nodiscard]] bool others() const { return !loads.empty() || !jobs.empty(); }
};

}  // namespace sim
