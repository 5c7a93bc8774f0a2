// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/planner.h"

#include <algorithm>
#include <limits>

#include "sim/base/check.h"

namespace sim {
namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

// Returns unused memory, where there is enough of it to be worth a copy.
template <class T>
void give_back(std::vector<T>& list) {
  constexpr std::size_t kEighth = 8;
  if (list.capacity() - list.size() > list.size() / kEighth) list.shrink_to_fit();
}

}  // namespace

Planner::Planner(Rank rank, const BlockSizes& sizes)
    : rank_(rank),
      sizes_(sizes),
      writer_(sizes.blocks(), kNobody),
      reader_(sizes.blocks(), kNobody),
      last_send_(kNobody) {
  // Most programs have an op for each part at least; where parts are pairs of ranks, far fewer.
  constexpr std::uint32_t kMostReserved = 1U << 14U;
  program_.ops.reserve(std::min(sizes.parts(), kMostReserved));
  readers_.reserve(std::min(sizes.parts(), kMostReserved));
}

void Planner::send(Rank peer, const Blocks& blocks, std::uint32_t target, std::uint32_t slot) {
  Op op;
  op.target = target;
  op.slot = slot;
  add_send(peer, blocks, op);
}

void Planner::send_to_reduce(Rank peer, const Blocks& blocks, std::uint32_t slot) {
  Op op;
  op.slot = slot;
  op.land = true;
  add_send(peer, blocks, op);
}

void Planner::receive(const Blocks& blocks, std::uint32_t slot) {
  if (!empty(blocks)) note_write(blocks, Wait::arrival(slot));
}

void Planner::receive_and_reduce(const Blocks& blocks, std::uint32_t slot) {
  if (empty(blocks)) return;
  Op op;
  op.kind = OpKind::kReduce;
  op.blocks = blocks;
  op.slot = slot;
  waits_.push_back(Wait::arrival(slot).what);
  wait_for_writers(blocks);
  wait_for_readers(blocks);
  note_write(blocks, Wait::op(next_op()));
  add(op);
}

void Planner::copy(const Blocks& blocks, std::uint32_t source) {
  if (empty(blocks)) return;
  Op op;
  op.kind = OpKind::kCopy;
  op.blocks = blocks;
  op.target = source;
  wait_for_writers(blocks.moved_to(source));
  wait_for_writers(blocks);
  wait_for_readers(blocks);
  note_read(blocks.moved_to(source));
  note_write(blocks, Wait::op(next_op()));
  add(op);
}

void Planner::reduce_in_switch(Rank next, const Blocks& blocks, std::uint32_t number) {
  if (empty(blocks)) return;
  Op op;
  op.kind = OpKind::kInSwitch;
  op.blocks = blocks;
  op.peer = next;
  op.target = number;
  wait_for_writers(blocks);
  wait_for_readers(blocks);
  note_write(blocks, Wait::op(next_op()));
  add(op);
}

void Planner::after_last_send() {
  if (last_send_ != kNobody) waits_.push_back(Wait::op(last_send_).what);
}

RankProgram Planner::take(std::uint32_t slots) && {
  program_.slots = slots;
  give_back(program_.ops);
  give_back(program_.waits);
  return std::move(program_);
}

void Planner::add_send(Rank peer, const Blocks& blocks, Op op) {
  if (empty(blocks)) return waits_.clear();
  op.kind = OpKind::kSend;
  op.blocks = blocks;
  op.peer = peer;
  wait_for_writers(blocks);
  note_read(blocks);
  last_send_ = next_op();
  add(op);
}

void Planner::add(Op op) {
  std::sort(waits_.begin(), waits_.end());
  waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
  CHECK(waits_.size() <= std::numeric_limits<std::uint16_t>::max());
  op.first_wait = static_cast<std::uint32_t>(program_.waits.size());
  op.wait_count = static_cast<std::uint16_t>(waits_.size());
  for (const std::uint32_t what : waits_) program_.waits.push_back(Wait{what});
  waits_.clear();
  program_.ops.push_back(op);
}

void Planner::wait_for_writers(const Blocks& blocks) {
  std::uint32_t previous = kNobody;  // a range of blocks mostly has one writer
  blocks.for_each([&](std::uint32_t block) {
    const std::uint32_t writer = writer_[block];
    if (writer != previous && writer != kNobody) waits_.push_back(writer);
    previous = writer;
  });
}

void Planner::wait_for_readers(const Blocks& blocks) {
  blocks.for_each([&](std::uint32_t block) {
    for (std::uint32_t r = reader_[block]; r != kNobody; r = readers_[r].next) {
      waits_.push_back(Wait::op(readers_[r].op).what);
    }
  });
}

void Planner::note_read(const Blocks& blocks) {
  const std::uint32_t op = next_op();
  blocks.for_each([&](std::uint32_t block) {
    readers_.push_back({op, reader_[block]});
    reader_[block] = static_cast<std::uint32_t>(readers_.size() - 1);
  });
}

void Planner::note_write(const Blocks& blocks, Wait writer) {
  blocks.for_each([&](std::uint32_t block) {
    writer_[block] = writer.what;
    reader_[block] = kNobody;
  });
}

bool Planner::empty(const Blocks& blocks) const { return sizes_.bytes_of(blocks).value == 0; }

std::uint32_t Planner::next_op() const { return static_cast<std::uint32_t>(program_.ops.size()); }

}  // namespace sim
