// SPDX-License-Identifier: GPL-2.0-only
// What an executor knows of a finished case, as a Recording: spans and traffic. Links and curves
// come from the network that moved the bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/engines.h"
#include "sim/engine/executor.h"
#include "sim/results/recording.h"

namespace sim {

// Traffic by pair of ranks is kept up to this many ranks, links up to this many (the busiest).
inline constexpr Rank kMostTrafficRanks = 512;
inline constexpr std::size_t kMostRecordedLinks = 16'384;

// Spans of at most `c.most_spans` ops. `began`: by op, when a send's first bytes could leave; empty
// where the network does not tell, then it is when the send was handed over.
[[nodiscard]] Recording record(const Case& c, const Executor& executor,
                               const std::vector<Time>& began);

struct LinkLoad {
  LinkId link{};
  std::int64_t payload = 0;  // bytes
  std::int64_t busy_ps = 0;
};

// In the fabric's order. `time`: of the case.
[[nodiscard]] std::vector<LinkTraffic> record_links(const Fabric& fabric,
                                                    std::vector<LinkLoad> loads, Time time);

}  // namespace sim
