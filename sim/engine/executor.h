// SPDX-License-Identifier: GPL-2.0-only
// Executor: starts what is ready, waits for the Network, notes when each op began and ended and which
// of its waits came last. Checks that every byte owed arrived exactly once. One Executor plays one
// Schedule once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/costs.h"
#include "sim/engine/network.h"
#include "sim/engine/placement.h"
#include "sim/schedule/schedule.h"

namespace sim {

struct OpTimes {
  std::vector<Time> begin;             // by op; -1 ps: never began
  std::vector<Time> end;               // -1 ps: never ended
  std::vector<OpId> released_by;       // the op whose end let this one begin; own number: none
};

class Executor final : public Sink {
 public:
  Executor(const Schedule& schedule, const Placement& placement, const EndCosts& costs,
           Network& network);
  ~Executor() override;

  void run();

  [[nodiscard]] bool finished() const;                 // every op ended
  [[nodiscard]] Time time() const;                     // end of the last op; launch included
  [[nodiscard]] const OpTimes& times() const { return times_; }
  // Who waits for what, at most `most` lines; empty when finished.
  [[nodiscard]] std::vector<std::string> waiting(std::size_t most) const;

  void delivered(std::uint32_t id) override;
  void woken(std::uint32_t id) override;

 private:
  struct Dependents;

  void begin(OpId op);
  void finish(OpId op);
  void release(OpId dependent, OpId by);

  const Schedule& schedule_;
  const Placement& placement_;
  const EndCosts& costs_;
  Network& network_;
  std::vector<std::uint32_t> open_waits_;      // by op
  std::vector<std::uint32_t> first_dependent_; // by op, CSR: own ops that wait for it or its arrival
  std::vector<OpId> dependents_;
  std::vector<Rank> rank_of_;
  std::vector<Bytes> received_;                // by rank
  std::uint64_t ended_ = 0;
  OpTimes times_;
};

}  // namespace sim
