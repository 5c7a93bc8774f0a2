// SPDX-License-Identifier: GPL-2.0-only
// Which endpoints send to which in a placed schedule.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/engine/flow/ways.h"
#include "sim/engine/placement.h"
#include "sim/schedule/schedule.h"

namespace sim::flow {

// Sorted, each once.
inline std::vector<EndPair> pairs_of(const Schedule& schedule, const Placement& placement) {
  std::vector<EndPair> pairs;
  std::vector<Rank> peers;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    peers.clear();
    for (const Op& op : schedule.program(rank).ops) {
      if (op.transfers() && (peers.empty() || peers.back() != op.peer)) {
        peers.push_back(op.peer);
      }
    }
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    for (const Rank peer : peers) {
      pairs.push_back({placement.endpoint_of[rank], placement.endpoint_of[peer]});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace sim::flow
