// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/dependencies.h"

#include <limits>

#include "sim/base/check.h"

namespace sim {
namespace {

constexpr OpId kNoSender = std::numeric_limits<OpId>::max();

// Which send arrives in a slot, for all ranks.
class Arrivals {
 public:
  explicit Arrivals(const Schedule& schedule) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      first_.push_back(static_cast<std::uint32_t>(sender_.size()));
      sender_.resize(sender_.size() + schedule.program(rank).slots, kNoSender);
    }
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      OpId id = schedule.first_op(rank);
      for (const Op& op : schedule.program(rank).ops) {
        if (op.kind == OpKind::kSend) sender_[first_[op.peer] + op.slot] = id;
        ++id;
      }
    }
  }
  [[nodiscard]] OpId sender(Rank rank, std::uint32_t slot) const {
    const OpId op = sender_[first_[rank] + slot];
    CHECK(op != kNoSender);  // a wait for an arrival that nobody sends
    return op;
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<OpId> sender_;
};

// Calls visit(waiter, awaited) for every wait of the schedule.
template <class Visit>
void for_each_wait(const Schedule& schedule, const Arrivals& arrivals, Visit visit) {
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const RankProgram& program = schedule.program(rank);
    OpId id = schedule.first_op(rank);
    for (const Op& op : program.ops) {
      for (const Wait wait : program.waits_of(op)) {
        visit(id, wait.is_arrival() ? arrivals.sender(rank, wait.index())
                                    : schedule.first_op(rank) + wait.index());
      }
      ++id;
    }
  }
}

}  // namespace

Dependencies::Dependencies(const Schedule& schedule)
    : waits_(schedule.ops(), 0), first_(schedule.ops() + 1, 0) {
  const Arrivals arrivals(schedule);
  for_each_wait(schedule, arrivals, [&](OpId waiter, OpId awaited) {
    ++waits_[waiter];
    ++first_[awaited + 1];
  });
  for (OpId op = 0; op < schedule.ops(); ++op) first_[op + 1] += first_[op];
  dependents_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for_each_wait(schedule, arrivals,
                [&](OpId waiter, OpId awaited) { dependents_[next[awaited]++] = waiter; });
}

}  // namespace sim
