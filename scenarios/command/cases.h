// SPDX-License-Identifier: GPL-2.0-only
// One case of a scenario, planned, proved and played. Never throws: what goes wrong is in the
// verdict.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "scenarios/loader/scenario.h"
#include "sim/engine/run_control.h"
#include "sim/results/outcome.h"
#include "sim/schedule/schedule.h"

namespace scenarios {

// Schedules of at most this many ops are proved before they are played: cheap beside playing.
inline constexpr std::uint32_t kMostVerifiedOps = 2'000'000;
inline constexpr std::uint64_t kMostVerifiedBlocks = 32'000'000;  // over all ranks, 12 bytes each

// The schedule of a case: of all its groups, where several run at once.
[[nodiscard]] sim::Result<sim::Schedule> planned(const CaseSpec& spec);

// Work that needs no planning to be known: larger cases have larger weights, roughly as
// packet-hops.
[[nodiscard]] std::uint64_t weight_of(const CaseSpec& spec);

// Packet-hops (transfers where there are no packets) that the case will take, or why it cannot be
// planned.
[[nodiscard]] sim::Result<std::uint64_t> hops_of(const Scenario& scenario, const CaseSpec& spec);

// `expected` gets the packet-hops as soon as they are known.
[[nodiscard]] sim::CaseOutcome play_case(const Scenario& scenario, const CaseSpec& spec,
                                         sim::RunControl& control,
                                         std::atomic<std::uint64_t>& expected);

[[nodiscard]] sim::CaseOutcome failed_case(const CaseSpec& spec, std::string why);

}  // namespace scenarios
