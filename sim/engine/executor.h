// SPDX-License-Identifier: GPL-2.0-only
// Executor: starts what is ready, waits for the Network, notes when each op began and ended and
// which of its waits came last. Checks that every byte owed arrived exactly once. One Executor
// plays one Schedule once. A send ends when its last byte is in the peer's memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/costs.h"
#include "sim/engine/dependencies.h"
#include "sim/engine/network.h"
#include "sim/engine/placement.h"
#include "sim/schedule/schedule.h"

namespace sim {

struct OpTimes {
  static constexpr Time kNotYet = Time(-1);

  std::vector<Time> begin;  // by op: its waits are over
  std::vector<Time> issue;  // sends: handed to the network, an issue gap after the one before
  std::vector<Time> end;
  std::vector<OpId> released_by;  // the op whose end let this one begin; its own number: the launch
};

// When each rank may begin, and from when on it may hand over a transfer; empty: all after the
// launch. A rank's ops that wait for none of its own ops wait for its beginning, but for sends that
// forward an arrival. Ranks that come late (Placement::arrival) do not forward before they are
// there; what others send to them is in their memory then.
struct RankStarts {
  std::vector<Time> begin;
  std::vector<Time> issue;

  auto operator<=>(const RankStarts&) const = default;
};

class Executor final : public Sink {
 public:
  Executor(const Schedule& schedule, const Placement& placement, const EndCosts& costs,
           Network& network, RankStarts starts = {});

  void run();

  [[nodiscard]] bool finished() const { return ended_ == schedule_.ops(); }
  // Launch included, from the arrival of the first rank on.
  [[nodiscard]] Time time() const { return schedule_.ops() == 0 ? costs_.launch : last_end_; }
  [[nodiscard]] OpId last() const { return last_op_; }  // the op that ended last
  [[nodiscard]] const OpTimes& times() const { return times_; }
  [[nodiscard]] OpId sends_done() const { return sends_done_; }
  // Who waits for what, at most `most` lines; empty when finished.
  [[nodiscard]] std::vector<std::string> waiting(std::size_t most) const;

  void delivered(std::uint32_t id) override;
  void woken(std::uint32_t id) override;

 private:
  void begin(OpId op);
  void issue(OpId op);
  void end(OpId op);
  void work_off();
  [[nodiscard]] Time local_cost(Rank rank, const Op& op) const;
  [[nodiscard]] std::string describe(OpId op) const;
  [[nodiscard]] bool waits_for_start(OpId op, const RankProgram& program) const;
  void start_rank(Rank rank);
  [[nodiscard]] Time compute_until(Rank rank, const Op& op);
  void end_in_switch(OpId op);

  const Schedule& schedule_;
  const Placement& placement_;
  const EndCosts& costs_;
  Network& network_;
  const Dependencies depends_;
  std::vector<std::uint32_t> open_waits_;  // by op
  RankStarts starts_;
  bool forwards_early_ = true;                                   // before the rank begins
  std::vector<Rank> rank_of_;                                    // by op
  std::vector<OpId> ready_;                                      // ops to begin now, in order
  std::vector<Time> next_issue_;                                 // by rank
  std::vector<std::int64_t> owed_;                               // bytes still to come, by rank
  std::map<std::pair<Rank, std::uint32_t>, Time> stream_free_;   // by rank and stream that computes
  std::map<std::uint32_t, std::vector<OpId>> merged_in_switch_;  // by number: those arrived
  OpTimes times_;
  OpId ended_ = 0;
  OpId sends_done_ = 0;
  OpId last_op_ = 0;
  Time last_end_;
};

}  // namespace sim
