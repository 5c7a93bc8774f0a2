// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/schedule.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/check.h"

namespace sim {
namespace {

// Every wait points back: to an earlier op of the same rank, or to an arrival slot it has.
void check_waits(const RankProgram& program) {
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    CHECK(std::size_t{op.first_wait} + op.wait_count <= program.waits.size());
    for (const Wait wait : program.waits_of(op)) {
      CHECK(wait.index() < (wait.is_arrival() ? program.slots : i));
    }
  }
}

// Every send goes to another rank, and to an arrival slot that no other send uses.
void check_sends(const std::vector<RankProgram>& programs) {
  std::vector<std::vector<bool>> used;
  for (const RankProgram& program : programs) used.emplace_back(program.slots, false);
  for (Rank rank = 0; rank < programs.size(); ++rank) {
    for (const Op& op : programs[rank].ops) {
      if (!op.transfers()) continue;
      CHECK(op.peer < programs.size() && op.peer != rank);
      if (op.kind != OpKind::kSend) continue;
      CHECK(op.slot < programs[op.peer].slots);
      CHECK(!used[op.peer][op.slot]);
      used[op.peer][op.slot] = true;
    }
  }
}

}  // namespace

Schedule::Schedule(Layout layout, std::string algorithm, std::vector<RankProgram> programs)
    : layout_(std::move(layout)), algorithm_(std::move(algorithm)), programs_(std::move(programs)) {
  CHECK(layout_.ranks > 0 && !programs_.empty() && programs_.size() % layout_.ranks == 0);
  std::uint64_t ops = 0;
  for (const RankProgram& program : programs_) {
    first_op_.push_back(static_cast<OpId>(ops));
    ops += program.ops.size();
    CHECK(ops < std::numeric_limits<OpId>::max());
    check_waits(program);
    for (const Op& op : program.ops) sends_ += op.transfers() ? 1U : 0U;
  }
  first_op_.push_back(static_cast<OpId>(ops));
  check_sends(programs_);
}

Schedule side_by_side(const Schedule& schedule, Rank groups) {
  CHECK(schedule.groups() == 1 && groups > 0);
  std::uint32_t merges = 0;  // numbers of reductions in a switch
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (const Op& op : schedule.program(rank).ops) {
      if (op.kind == OpKind::kInSwitch) merges = std::max(merges, op.target + 1);
    }
  }
  std::vector<RankProgram> programs;
  programs.reserve(std::size_t{schedule.ranks()} * groups);
  for (Rank group = 0; group < groups; ++group) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      programs.push_back(schedule.program(rank));
      for (Op& op : programs.back().ops) {
        if (op.transfers()) op.peer += group * schedule.ranks();
        if (op.kind == OpKind::kInSwitch) op.target += group * merges;
      }
    }
  }
  return {schedule.layout(), schedule.algorithm(), std::move(programs)};
}

Rank Schedule::rank_of(OpId op) const {
  CHECK(op < ops());
  const auto after = std::upper_bound(first_op_.begin(), first_op_.end(), op);
  return static_cast<Rank>(after - first_op_.begin() - 1);
}

const Op& Schedule::op(OpId id) const {
  const Rank rank = rank_of(id);
  return programs_[rank].ops[id - first_op_[rank]];
}

Bytes Schedule::bytes_sent(Rank rank) const {
  Bytes sum;
  for (const Op& op : programs_[rank].ops) {
    if (op.transfers()) sum += bytes(op);
  }
  return sum;
}

}  // namespace sim
