// SPDX-License-Identifier: GPL-2.0-only
// A program of one rank on its lanes: compute, and one lane of collectives per purpose. Each lane
// takes its operations in the order given; an operation also waits for those it names. Compute that
// runs beside collectives is slowed by a share (they use the same memory and DMA engines).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scenarios/workload/layout.h"

namespace workload {

inline constexpr std::int32_t kNone = -1;
inline constexpr std::size_t kLanes =
    kPurposes + 1;  // lane 0 computes, lane p + 1 serves purpose p

struct LaneOp {
  std::uint8_t lane = 0;
  std::int64_t time = 0;         // ps, alone
  std::array<std::int32_t, 3> after{kNone, kNone, kNone};
  std::int16_t collective = -1;  // its place in Program::collectives; -1: compute
};

using ByPurpose = std::array<std::int64_t, kPurposes>;

struct LaneTimes {
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> end;
  std::int64_t compute_end = 0;  // of lane 0
  std::int64_t last_end = 0;     // of all lanes
  // Time before compute_end in which compute stands still while collectives run: the union of
  // intervals, each moment counted once, for the first purpose (in Purpose's order) that runs then.
  ByPurpose exposed{};
  ByPurpose total{};  // time of the collectives of each purpose
  std::int64_t compute = 0;
};

// `ops` name only earlier ones. `beside`: share of compute lost beside collectives.
// `exposed`, where it is wanted: the moments themselves.
struct Exposed {
  Purpose purpose = Purpose::kTensor;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
[[nodiscard]] LaneTimes play(const std::vector<LaneOp>& ops, double beside,
                             std::vector<Exposed>* exposed = nullptr);

// Two programs on the same lanes, each in its own order; whichever can start earlier goes first.
[[nodiscard]] LaneTimes play_both(const std::vector<LaneOp>& one, const std::vector<LaneOp>& other,
                                  double beside);

}  // namespace workload
