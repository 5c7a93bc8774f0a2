// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace sim {
namespace {

constexpr std::uint32_t kLaunch = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Executor::Executor(const Schedule& schedule, const Placement& placement, const EndCosts& costs,
                   Network& network)
    : schedule_(schedule),
      placement_(placement),
      costs_(costs),
      network_(network),
      depends_(schedule),
      open_waits_(depends_.waits()) {
  CHECK(placement.ranks() == schedule.ranks());
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
      if (op.kind == OpKind::kSend) owed_[op.peer] += schedule.bytes(op).value;
    }
  }
}

void Executor::run() {
  network_.wake_at(costs_.launch, kLaunch);
  network_.run(*this);
  if (!finished()) return;
  for (const std::int64_t bytes : owed_) CHECK(bytes == 0);
}

void Executor::slow_down(Rank rank, std::int64_t times_ppb) {
  if (times_ppb_.empty()) times_ppb_.assign(schedule_.ranks(), kRatioOne);
  times_ppb_[rank] = times_ppb;
}

Time Executor::local_cost(Rank rank, const Op& op) const {
  const Bandwidth rate = op.kind == OpKind::kReduce ? costs_.reduce : costs_.copy;
  if (rate.value == 0) return Time(0);
  const Time cost = transfer_time(schedule_.bytes(op), rate);
  if (times_ppb_.empty()) return cost;
  return Time(
      static_cast<std::int64_t>(static_cast<__int128>(cost.value) * times_ppb_[rank] / kRatioOne));
}

void Executor::begin(OpId id) {
  CHECK(times_.begin[id] == OpTimes::kNotYet);
  times_.begin[id] = network_.now();
  const Rank rank = rank_of_[id];
  const Op& op = schedule_.program(rank).ops[id - schedule_.first_op(rank)];
  if (op.kind == OpKind::kSend) {
    const Time at = std::max(network_.now(), next_issue_[rank]);
    next_issue_[rank] = at + costs_.issue_gap;
    if (at > network_.now()) return network_.wake_at(at, id);
    return issue(id);
  }
  const Time cost = local_cost(rank, op);
  if (cost.value == 0) return end(id);
  network_.wake_at(network_.now() + cost, id);
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
  end(id);
  work_off();
}

void Executor::woken(std::uint32_t id) {
  if (id == kLaunch) {
    for (OpId op = 0; op < schedule_.ops(); ++op) {
      if (open_waits_[op] == 0) ready_.push_back(op);
    }
  } else if (schedule_.op(id).kind == OpKind::kSend) {
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
  const std::string_view what = op.kind == OpKind::kSend     ? "send"
                                : op.kind == OpKind::kReduce ? "reduce"
                                                             : "copy";
  return fmt::format("rank {}: op {} ({} of {} in {}) still waits for {} of its {} inputs", rank,
                     number, what, bytes, name_of(schedule_.layout().collective), open_waits_[id],
                     op.wait_count);
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
