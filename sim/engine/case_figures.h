// SPDX-License-Identifier: GPL-2.0-only
// What every engine says of a finished case in the same words: names, bandwidths, bound,
// bottleneck, fingerprint.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/units.h"
#include "sim/engine/engines.h"
#include "sim/engine/executor.h"
#include "sim/results/outcome.h"

namespace sim {

// part / whole in parts per billion; 0 of nothing.
[[nodiscard]] std::int64_t parts_per_billion(std::int64_t part, std::int64_t whole);

// The outcome of a case that has not begun: collective, algorithm, ranks, bytes.
[[nodiscard]] CaseOutcome outcome_of(const Case& c);

// Time, bandwidths, bound and share of the bound. CHECKs that the time does not beat the bound.
void fill_rates(CaseOutcome& outcome, const Case& c, Time time);

// What rules the time, from breakdown and levels: "twin link, 97 % busy".
[[nodiscard]] std::string bottleneck_of(const CaseOutcome& outcome);

// Of all op times, 16 hex digits.
[[nodiscard]] std::string fingerprint_of(const OpTimes& times);

}  // namespace sim
