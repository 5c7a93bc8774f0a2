// SPDX-License-Identifier: GPL-2.0-only
// Steps of a schedule, counted from its waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/schedule/schedule.h"

namespace laws {

// The longest chain of sends that wait for each other, directly or through reduces and copies.
inline std::int64_t steps(const sim::Schedule& schedule) {
  std::vector<std::vector<sim::OpId>> sender(schedule.ranks());
  for (sim::Rank r = 0; r < schedule.ranks(); ++r) sender[r].resize(schedule.program(r).slots);
  for (sim::OpId id = 0; id < schedule.ops(); ++id) {
    const sim::Op& op = schedule.op(id);
    if (op.kind == sim::OpKind::kSend) sender[op.peer][op.slot] = id;
  }
  std::vector<std::int64_t> depth(schedule.ops(), -1);
  std::vector<sim::OpId> stack;
  for (sim::OpId root = 0; root < schedule.ops(); ++root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const sim::OpId id = stack.back();
      const sim::Rank rank = schedule.rank_of(id);
      const sim::Op& op = schedule.op(id);
      std::int64_t deepest = 0;
      bool known = true;
      for (const sim::Wait wait : schedule.program(rank).waits_of(op)) {
        const sim::OpId cause =
            wait.is_arrival() ? sender[rank][wait.index()] : schedule.first_op(rank) + wait.index();
        deepest = std::max(deepest, depth[cause]);
        if (depth[cause] < 0) stack.push_back(cause), known = false;
      }
      if (!known) continue;
      depth[id] = deepest + (op.transfers() ? 1 : 0);
      stack.pop_back();
    }
  }
  return *std::max_element(depth.begin(), depth.end());
}

}  // namespace laws
