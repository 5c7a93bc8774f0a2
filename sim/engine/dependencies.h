// SPDX-License-Identifier: GPL-2.0-only
// Which op waits for which, over all ranks of a schedule: for each op how many ends it waits for,
// and which ops its own end may release.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/schedule/schedule.h"

namespace sim {

class Dependencies {
 public:
  explicit Dependencies(const Schedule& schedule);

  [[nodiscard]] const std::vector<std::uint32_t>& waits() const { return waits_; }  // by op
  [[nodiscard]] std::span<const OpId> dependents(OpId op) const {
    return {dependents_.data() + first_[op], first_[op + 1] - first_[op]};
  }

 private:
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> first_;  // by op, into dependents_; one more than ops
  std::vector<OpId> dependents_;
};

}  // namespace sim
