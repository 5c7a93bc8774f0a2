// SPDX-License-Identifier: GPL-2.0-only
// One end of every domain exchanging with the same end of the others: the links are their NICs.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/composed.h"
#include "sim/engine/executor.h"
#include "sim/engine/flow/ways.h"

namespace sim::flow {

// The slow ones among the ends of this number of the first `domains` domains.
[[nodiscard]] std::vector<SlowPort> slow_ports(const Outline& outline, std::uint32_t end,
                                               std::uint32_t domains);

// The ways of the exchange of `end`; domains are the endpoints.
[[nodiscard]] FlowWays column_ways(const Outline& outline, std::uint32_t end,
                                   const Schedule& schedule);

// When each rank of a circulation has all, from its start; one pass over flat arrays. Exact as long
// as no rank starts to send before its last send has left: if one does, `fault` says so.
struct Circulated {
  std::string fault;
  std::vector<Time> ready;   // by rank
  std::vector<Time> issued;  // by rank: when the last send was handed to the network
};
[[nodiscard]] Circulated circulate(const Composed& composed, const Circulation& work,
                                   std::uint32_t end, const RankStarts& starts);

}  // namespace sim::flow
