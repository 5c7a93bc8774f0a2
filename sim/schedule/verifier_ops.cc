// SPDX-License-Identifier: GPL-2.0-only
// What each kind of op does to the blocks, when it begins and when it ends.
#include <fmt/format.h>

#include "sim/schedule/verifier.h"

namespace sim::symbolic {

// The pairs that come with a bundle written to `block`; none with any other block.
Blocks Verifier::pairs_with(std::uint32_t block) const {
  if (block < bundles_) return {0, 0, 1, 0};
  const Traffic& traffic = *schedule_.layout().traffic;
  const std::uint32_t number = block - bundles_;
  return TrafficBlocks(traffic.ranks)
      .held_of_server(number / traffic.servers(), number % traffic.servers(), traffic.server);
}

void Verifier::begin(const Place& at) {
  at_ = at.id;
  const Op& op = at.op;
  switch (op.kind) {
    case OpKind::kSend:
      for_each_pair(op.blocks, op.target, [&](std::uint32_t from, std::uint32_t to) {
        lock_read(at, from);
        if (op.land) return;
        lock_write(at, op.peer, to);
        pairs_with(to).for_each([&](std::uint32_t pair) { lock_write(at, op.peer, pair); });
      });
      break;
    case OpKind::kReduce:
    case OpKind::kTake:
    case OpKind::kReduceInto:
      if (landed(at) == nullptr) return;
      if (apart(op)) lock_reads(at, op.blocks.moved_to(op.target));
      for_each_pair(op.blocks, 0,
                    [&](std::uint32_t block, std::uint32_t) { lock_write(at, at.rank, block); });
      break;
    case OpKind::kCopy:
    case OpKind::kReduceOwn:
      for_each_pair(op.blocks.moved_to(op.target), op.blocks.first,
                    [&](std::uint32_t from, std::uint32_t to) {
                      lock_read(at, from);
                      lock_write(at, at.rank, to);
                    });
      break;
    case OpKind::kInSwitch:
      for_each_pair(op.blocks, 0,
                    [&](std::uint32_t block, std::uint32_t) { lock_write(at, at.rank, block); });
      break;
    case OpKind::kCompute:
      break;
  }
}

// A reduction that reads other blocks than it writes.
bool Verifier::apart(const Op& op) {
  return op.kind == OpKind::kReduceInto && op.target != op.blocks.first;
}

void Verifier::lock_reads(const Place& at, const Blocks& blocks) {
  for_each_pair(blocks, 0, [&](std::uint32_t block, std::uint32_t) { lock_read(at, block); });
}

void Verifier::end(const Place& at) {
  at_ = at.id;
  switch (at.op.kind) {
    case OpKind::kSend:
      return end_send(at);
    case OpKind::kReduce:
    case OpKind::kTake:
    case OpKind::kReduceInto:
      return end_landed(at);
    case OpKind::kCopy:
    case OpKind::kReduceOwn:
      return end_local(at);
    case OpKind::kInSwitch:
      return end_in_switch(at);
    case OpKind::kCompute:
      return;
  }
}

void Verifier::end_send(const Place& at) {
  const Op& op = at.op;
  std::vector<Content>* kept = op.land ? &landed_[at.id] : nullptr;
  for_each_pair(op.blocks, op.target, [&](std::uint32_t from, std::uint32_t to) {
    const Content content = read(at, from);
    --locks_[index(at.rank, from)];
    if (kept != nullptr) return kept->push_back(content);
    contents_[index(op.peer, to)] = content;
    locks_[index(op.peer, to)] = 0;
    pairs_with(to).for_each([&](std::uint32_t pair) {
      contents_[index(op.peer, pair)] = {pair - sizes_.parts(), content.from};
      locks_[index(op.peer, pair)] = 0;
    });
  });
}

void Verifier::end_landed(const Place& at) {
  const std::vector<Content>* arrived = landed(at);
  if (arrived == nullptr) return;
  const Op& op = at.op;
  const std::uint32_t source = op.kind == OpKind::kReduceInto ? op.target : op.blocks.first;
  std::size_t next = 0;
  for_each_pair(op.blocks, source, [&](std::uint32_t block, std::uint32_t from) {
    if (next >= arrived->size()) return;
    const Content content = (*arrived)[next++];
    contents_[index(at.rank, block)] =
        op.kind == OpKind::kTake ? content : merged(at, from, content);
    if (apart(op)) --locks_[index(at.rank, from)];
    locks_[index(at.rank, block)] = 0;
  });
  landed_.erase(sender(at.rank, op.slot));
}

const std::vector<Content>* Verifier::landed(const Place& at) {
  const auto found = landed_.find(sender(at.rank, at.op.slot));
  if (found != landed_.end()) return &found->second;
  fault(fmt::format("{} merges arrival {}, which is not there (not waited for, or merged before)",
                    name_of(at), at.op.slot));
  return nullptr;
}

void Verifier::end_local(const Place& at) {
  const bool reduces = at.op.kind == OpKind::kReduceOwn;
  for_each_pair(at.op.blocks.moved_to(at.op.target), at.op.blocks.first,
                [&](std::uint32_t from, std::uint32_t to) {
                  const Content content = read(at, from);
                  contents_[index(at.rank, to)] = reduces ? merged(at, to, content) : content;
                  --locks_[index(at.rank, from)];
                  locks_[index(at.rank, to)] = 0;
                });
}

void Verifier::lock_read(const Place& at, std::uint32_t block) {
  std::uint32_t& lock = locks_[index(at.rank, block)];
  if (lock == kWriting) {
    fault(fmt::format("{} reads block {} while it is being written", name_of(at), block));
  }
  ++lock;
}

void Verifier::lock_write(const Place& at, Rank owner, std::uint32_t block) {
  std::uint32_t& lock = locks_[index(owner, block)];
  if (lock != 0) {
    fault(fmt::format("{} writes block {} of rank {} while another op still {} it", name_of(at),
                      block, owner, lock == kWriting ? "writes" : "reads"));
  }
  lock = kWriting;
}

Content Verifier::read(const Place& at, std::uint32_t block) {
  const Content content = contents_[index(at.rank, block)];
  if (content.part == kNone) {
    fault(fmt::format("{} reads block {}, which holds nothing yet", name_of(at), block));
  }
  return content;
}

// What is in `block`, and `added` merged with it.
Content Verifier::merged(const Place& at, std::uint32_t block, Content added) {
  const Content here = read(at, block);
  return fault_ ? here : merged(at, here, added);
}

Content Verifier::merged(const Place& at, Content here, Content added) {
  const auto refuse = [&](const char* why) {
    fault(fmt::format("{} merges {} into {}{}", name_of(at), describe(added), describe(here), why));
    return here;
  };
  if (here.part != added.part || added.part == kNone) return refuse("");
  const bool signals = schedule_.layout().collective == Collective::kBarrier;
  const auto both = signals ? std::optional(contributors_.united(here.from, added.from))
                            : contributors_.merged(here.from, added.from);
  return both ? Content{here.part, *both} : refuse(": some count twice");
}

void Verifier::expect(Rank rank, std::uint32_t block, Content wanted) {
  if (zero_[wanted.part]) return;
  const Content here = contents_[index(rank, block)];
  if (here == wanted) return;
  fault(fmt::format("rank {} ends with {} in block {}, and should hold {}", rank, describe(here),
                    block, describe(wanted)));
}

Verifier::Place Verifier::place(OpId id) const {
  const Rank rank = rank_of_[id];
  return {id, rank, schedule_.program(rank).ops[id - schedule_.first_op(rank)]};
}

std::size_t Verifier::index(Rank rank, std::uint32_t block) const {
  return std::size_t{rank} * sizes_.blocks() + block;
}

OpId& Verifier::sender(Rank rank, std::uint32_t slot) { return senders_[first_slot_[rank] + slot]; }

OpId Verifier::awaited(Rank rank, Wait wait) {
  return wait.is_arrival() ? sender(rank, wait.index()) : schedule_.first_op(rank) + wait.index();
}

bool Verifier::fits(const Blocks& blocks) const {
  const std::uint64_t last_run = blocks.first + std::uint64_t{blocks.repeats - 1} * blocks.stride;
  return blocks.size() > 0 && last_run + blocks.run <= sizes_.blocks();
}

std::string Verifier::name_of(const Place& at) const {
  const OpId number = at.id - schedule_.first_op(at.rank);
  if (at.op.kind == OpKind::kSend) {
    return fmt::format("rank {} op {} (send to rank {})", at.rank, number, at.op.peer);
  }
  return fmt::format("rank {} op {} ({})", at.rank, number, sim::name_of(at.op.kind));
}

std::string Verifier::describe(Content content) const {
  if (content.part == kNone) return "nothing";
  return fmt::format("part {} of rank {}", content.part, contributors_.to_text(content.from));
}

void Verifier::fault(std::string text) {
  if (!fault_) fault_ = Fault{std::move(text), at_};
}

}  // namespace sim::symbolic
