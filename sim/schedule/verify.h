// SPDX-License-Identifier: GPL-2.0-only
// Proves by symbolic run that every rank ends with exactly the wanted data: each block holds a part
// and the set of ranks whose contribution is in it; a reduction of overlapping sets, a read of a
// block that holds nothing, a missing contribution, or ops that wait for each other are faults,
// told by rank, op and block. Runs the ops in a seeded random order that respects their waits, so
// that a missing dependency shows as a fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/schedule/schedule.h"

namespace sim {

struct Fault {
  std::string what;             // in a sentence
  std::optional<OpId> op = {};  // where it showed; none: in the end state
};

// Empty when the schedule, of one group, is right; else the first fault found.
[[nodiscard]] std::optional<Fault> find_fault(const Schedule& schedule, std::uint64_t seed = 1);

// Empty when the schedule is right; else the first fault found, in a sentence.
[[nodiscard]] std::optional<std::string> verify(const Schedule& schedule, std::uint64_t seed = 1);

}  // namespace sim
