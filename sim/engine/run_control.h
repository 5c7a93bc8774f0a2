// SPDX-License-Identifier: GPL-2.0-only
// What the outside may tell and ask a running engine: stop, and how far it is. Shared memory safe,
// so that a worker process can be watched by its parent. Limits stop a run with a verdict, never
// silently.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/base/units.h"

namespace sim {

struct RunControl {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> packet_hops{0};  // done so far, updated now and then
  std::atomic<std::int64_t> now_ps{0};
};

struct RunLimits {
  std::uint64_t packet_hops = 100'000'000'000;
  Time simulated_time = Time(3600 * kPicosecondsPerSecond);
};

enum class RunEnd : std::uint8_t { kDone, kStopped, kHopLimit, kTimeLimit };

}  // namespace sim
