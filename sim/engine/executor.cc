// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace sim {
namespace {

constexpr std::uint32_t kLaunch = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Executor::Executor(const Schedule& schedule, const Placement& placement, const EndCosts& costs,
                   Network& network, RankStarts starts)
    : schedule_(schedule),
      placement_(placement),
      costs_(costs),
      network_(network),
      depends_(schedule),
      open_waits_(depends_.waits()),
      starts_(std::move(starts)) {
  CHECK(placement.ranks() == schedule.ranks());
  if (!placement.arrival.empty()) {
    CHECK(starts_.begin.empty() && placement.arrival.size() == schedule.ranks());
    for (const Time late : placement.arrival) starts_.begin.push_back(costs.launch + late);
    starts_.issue = starts_.begin;
    forwards_early_ = false;
  }
  const OpId ops = schedule.ops();
  times_.begin.assign(ops, OpTimes::kNotYet);
  times_.issue.assign(ops, OpTimes::kNotYet);
  next_issue_.resize(schedule.ranks());
  times_.end.assign(ops, OpTimes::kNotYet);
  times_.released_by.resize(ops);
  rank_of_.reserve(ops);
  owed_.assign(schedule.ranks(), 0);
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (const Op& op : schedule.program(rank).ops) {
      times_.released_by[rank_of_.size()] = static_cast<OpId>(rank_of_.size());
      rank_of_.push_back(rank);
      if (op.transfers()) owed_[op.peer] += schedule.bytes(op).value;
    }
  }
}

bool Executor::waits_for_start(OpId op, const RankProgram& program) const {
  const Op& what = program.ops[op - schedule_.first_op(rank_of_[op])];
  bool forwards = false;
  for (const Wait wait : program.waits_of(what)) {
    if (!wait.is_arrival()) return false;
    forwards = forwards_early_ && what.transfers();
  }
  return !forwards;
}

// The rank's own wait of its first ops ends; its number follows those of the ops.
void Executor::start_rank(Rank rank) {
  const RankProgram& program = schedule_.program(rank);
  OpId op = schedule_.first_op(rank);
  for (std::size_t i = 0; i < program.ops.size(); ++i, ++op) {
    if (waits_for_start(op, program) && --open_waits_[op] == 0) ready_.push_back(op);
  }
}

void Executor::run() {
  if (starts_.begin.empty()) {
    network_.wake_at(costs_.launch, kLaunch);
  } else {
    CHECK(starts_.begin.size() == schedule_.ranks() && starts_.issue.size() == schedule_.ranks());
    CHECK(schedule_.ops() < kLaunch - schedule_.ranks());
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      const RankProgram& program = schedule_.program(rank);
      for (OpId op = schedule_.first_op(rank); op < schedule_.first_op(rank + 1); ++op) {
        if (waits_for_start(op, program)) ++open_waits_[op];
      }
      next_issue_[rank] = starts_.issue[rank];
      network_.wake_at(starts_.begin[rank], schedule_.ops() + rank);
    }
  }
  network_.run(*this);
  if (!finished()) return;
  for (const std::int64_t bytes : owed_) CHECK(bytes == 0);
}

Time Executor::local_cost(Rank rank, const Op& op) const {
  const Bandwidth rate = op.reduces() ? costs_.reduce : costs_.copy;
  if (rate.value == 0) return Time(0);
  return transfer_time(schedule_.bytes(op), at_pace(rate, placement_, rank));
}

void Executor::begin(OpId id) {
  CHECK(times_.begin[id] == OpTimes::kNotYet);
  times_.begin[id] = network_.now();
  const Rank rank = rank_of_[id];
  const Op& op = schedule_.program(rank).ops[id - schedule_.first_op(rank)];
  if (op.transfers()) {
    const Time at = std::max(network_.now(), next_issue_[rank]);
    next_issue_[rank] = at + costs_.issue_gap;
    if (at > network_.now()) return network_.wake_at(at, id);
    return issue(id);
  }
  if (op.kind == OpKind::kCompute && op.duration().value > 0) {
    return network_.wake_at(compute_until(rank, op), id);
  }
  const Time cost = local_cost(rank, op);
  if (cost.value == 0) return end(id);
  network_.wake_at(network_.now() + cost, id);
}

// A stream computes one thing after another, in the order in which they become ready.
Time Executor::compute_until(Rank rank, const Op& op) {
  Time& free = stream_free_[{rank, op.stream()}];
  const std::int64_t whole = kRatioOne;
  const std::int64_t pace = placement_.pace.empty() ? whole : placement_.pace[rank];
  const auto slowed =
      static_cast<__int128>(op.duration().value) * whole / std::max<std::int64_t>(pace, 1);
  free = std::max(free, network_.now()) + Time(static_cast<std::int64_t>(slowed));
  return free;
}

void Executor::issue(OpId id) {
  const Rank rank = rank_of_[id];
  const Op& op = schedule_.program(rank).ops[id - schedule_.first_op(rank)];
  times_.issue[id] = network_.now();
  network_.start(
      {id, placement_.endpoint_of[rank], placement_.endpoint_of[op.peer], schedule_.bytes(op)});
}

void Executor::end(OpId id) {
  CHECK(times_.end[id] == OpTimes::kNotYet);  // every op ends once
  times_.end[id] = last_end_ = network_.now();
  last_op_ = id;
  ++ended_;
  for (const OpId dependent : depends_.dependents(id)) {
    CHECK(open_waits_[dependent] > 0);
    if (--open_waits_[dependent] > 0) continue;
    times_.released_by[dependent] = id;
    ready_.push_back(dependent);
  }
}

// Begins what is ready; ops without cost end at once and may release more.
void Executor::work_off() {
  for (std::size_t i = 0; i < ready_.size(); ++i) begin(ready_[i]);
  ready_.clear();
}

void Executor::delivered(std::uint32_t id) {
  const Rank rank = rank_of_[id];
  const Op& op = schedule_.program(rank).ops[id - schedule_.first_op(rank)];
  owed_[op.peer] -= schedule_.bytes(op).value;
  CHECK(owed_[op.peer] >= 0);
  ++sends_done_;
  if (op.kind == OpKind::kInSwitch) {
    end_in_switch(id);
  } else {
    end(id);
  }
  work_off();
}

// The switch sends on what it has from all ranks: nobody has the result before the last has.
void Executor::end_in_switch(OpId id) {
  std::vector<OpId>& arrived = merged_in_switch_[schedule_.op(id).target];
  arrived.push_back(id);
  if (arrived.size() < schedule_.layout().ranks) return;
  for (const OpId one : arrived) end(one);
}

void Executor::woken(std::uint32_t id) {
  if (id == kLaunch) {
    for (OpId op = 0; op < schedule_.ops(); ++op) {
      if (open_waits_[op] == 0) ready_.push_back(op);
    }
  } else if (id >= schedule_.ops()) {
    start_rank(id - schedule_.ops());
  } else if (schedule_.op(id).transfers()) {
    issue(id);
  } else {
    end(id);
  }
  work_off();
}

std::string Executor::describe(OpId id) const {
  const Rank rank = rank_of_[id];
  const Op& op = schedule_.op(id);
  const std::uint32_t number = id - schedule_.first_op(rank);
  const std::string bytes = to_text(schedule_.bytes(op).value, Dimension::kBytes);
  if (times_.begin[id] != OpTimes::kNotYet) {
    return fmt::format("rank {}: op {} ({} of {} to rank {}) began at {} and has not arrived", rank,
                       number, name_of(schedule_.layout().collective), bytes, op.peer,
                       to_text(times_.begin[id].value, Dimension::kTime));
  }
  return fmt::format("rank {}: op {} ({} of {} in {}) still waits for {} of its {} inputs", rank,
                     number, name_of(op.kind), bytes, name_of(schedule_.layout().collective),
                     open_waits_[id], op.wait_count);
}

// Transfers under way first: they are the cause, ops that wait for them the consequence.
std::vector<std::string> Executor::waiting(std::size_t most) const {
  std::vector<std::string> lines;
  for (const bool under_way : {true, false}) {
    for (OpId op = 0; op < schedule_.ops() && lines.size() < most; ++op) {
      if (times_.end[op] != OpTimes::kNotYet) continue;
      if ((times_.begin[op] != OpTimes::kNotYet) == under_way) lines.push_back(describe(op));
    }
  }
  return lines;
}

}  // namespace sim
