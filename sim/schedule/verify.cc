// SPDX-License-Identifier: GPL-2.0-only
// An op begins as soon as all it waits for has ended, and ends at a random later time. In between,
// the blocks it reads may not be written and the blocks it writes (at the peer, for a send) may not
// be touched, as a DMA engine in flight demands. Beginning early makes these intervals as long as
// they can be, so they cover all orders in which it would begin later. Some ops are slow: they end
// only when no other can. Blocks of zero bytes hold nothing and are skipped.
#include "sim/schedule/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/random.h"
#include "sim/schedule/contributors.h"
#include "sim/schedule/holdings.h"

namespace sim {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kWriting = 0x8000'0000U;
constexpr std::size_t kMostInFlight = 1U << 16U;  // bounds the memory touched at a time
constexpr std::uint64_t kSlowOneIn = 8;

struct Content {
  std::uint32_t part = kNone;  // kNone: nothing
  Contributors::Id from = 0;
  bool operator==(const Content&) const = default;
};

class Verifier {
 public:
  explicit Verifier(const Schedule& schedule);
  std::optional<Fault> run(std::uint64_t seed);

 private:
  struct Place {  // an op with its rank
    OpId id;
    Rank rank;
    const Op& op;
  };

  [[nodiscard]] Place place(OpId id) const;
  [[nodiscard]] std::size_t index(Rank rank, std::uint32_t block) const;
  [[nodiscard]] OpId& sender(Rank rank, std::uint32_t slot);
  [[nodiscard]] OpId awaited(Rank rank, Wait wait);
  [[nodiscard]] bool fits(const Blocks& blocks) const;

  void find_senders();
  void check_shape(const Place& at);
  void check_landed(const Place& at);
  void index_dependents();
  void place_start();
  void play(std::uint64_t seed);
  void play_at_once();
  void release_dependents(OpId ended);
  void check_all_ended();
  void check_end_state();
  [[nodiscard]] Content content_of(const Holding& held) const;

  void begin(const Place& at);
  void end(const Place& at);
  void end_send(const Place& at);
  void end_landed(const Place& at);
  void end_local(const Place& at);
  [[nodiscard]] static bool apart(const Op& op);
  void lock_reads(const Place& at, const Blocks& blocks);
  [[nodiscard]] const std::vector<Content>* landed(
      const Place& at);  // null, and a fault: not there
  void lock_read(const Place& at, std::uint32_t block);
  void lock_write(const Place& at, Rank owner, std::uint32_t block);
  [[nodiscard]] Content read(const Place& at, std::uint32_t block);
  [[nodiscard]] Content merged(const Place& at, std::uint32_t block, Content added);
  void expect(Rank rank, std::uint32_t block, Content wanted);

  [[nodiscard]] std::string name_of(const Place& at) const;
  [[nodiscard]] std::string describe(Content content) const;
  void fault(std::string text);

  // Visits the pairs (from, to) of two sets of one shape whose `from` is not of zero bytes.
  template <class Visit>
  void for_each_pair(const Blocks& from, std::uint32_t to_first, Visit visit) const {
    from.for_each([&](std::uint32_t block) {
      if (!zero_[block]) visit(block, block - from.first + to_first);
    });
  }
  template <class Visit>
  void for_each_op(Visit visit) const {
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      OpId id = schedule_.first_op(rank);
      for (const Op& op : schedule_.program(rank).ops) visit(Place{id++, rank, op});
    }
  }

  const Schedule& schedule_;
  const BlockSizes& sizes_;
  Contributors contributors_;
  std::optional<Fault> fault_;
  std::optional<OpId> at_;            // the op looked at
  std::vector<bool> zero_;            // by block: holds zero bytes
  std::vector<Content> contents_;     // by rank and block
  std::vector<std::uint32_t> locks_;  // by rank and block: readers, or kWriting
  std::unordered_map<OpId, std::vector<Content>> landed_;  // by send, until its reduce
  std::vector<std::size_t> first_slot_;                    // by rank, into senders_
  std::vector<OpId> senders_;                              // by rank and slot
  std::vector<Rank> rank_of_;                              // by op
  std::vector<std::uint32_t> open_waits_;                  // by op, where anything waits
  std::vector<OpId> first_dependent_;  // by op, into dependents_, one more than ops
  std::vector<OpId> dependents_;
  std::vector<bool> begun_;     // by op
  std::vector<OpId> ready_;     // in the order they became ready
  std::size_t next_ready_ = 0;  // of ready_, the next to begin
  std::vector<OpId> fast_;      // in flight
  std::vector<OpId> slow_;      // in flight, to end only when no fast one is
  OpId ended_ = 0;
};

Verifier::Verifier(const Schedule& schedule)
    : schedule_(schedule),
      sizes_(schedule.layout().sizes),
      contributors_(schedule.ranks()),
      zero_(sizes_.blocks()),
      contents_(std::size_t{schedule.ranks()} * sizes_.blocks()),
      locks_(contents_.size()),
      rank_of_(schedule.ops()) {
  for (std::uint32_t block = 0; block < zero_.size(); ++block) {
    zero_[block] = sizes_.bytes_of({block, 1, 1, 1}).value == 0;
  }
  for_each_op([&](const Place& at) { rank_of_[at.id] = at.rank; });
}

std::optional<Fault> Verifier::run(std::uint64_t seed) {
  find_senders();
  for_each_op([&](const Place& at) { check_shape(at); });
  if (fault_) return fault_;
  place_start();
  index_dependents();
  first_dependent_.empty() ? play_at_once() : play(seed);
  if (!fault_) check_all_ended();
  if (!fault_) check_end_state();
  return fault_;
}

void Verifier::find_senders() {
  std::size_t slots = 0;
  for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
    first_slot_.push_back(slots);
    slots += schedule_.program(rank).slots;
  }
  senders_.assign(slots, kNone);
  for_each_op([&](const Place& at) {
    if (at.op.kind == OpKind::kSend) sender(at.op.peer, at.op.slot) = at.id;
  });
}

void Verifier::check_shape(const Place& at) {
  at_ = at.id;
  const Op& op = at.op;
  const bool moves = op.kind == OpKind::kCopy || op.kind == OpKind::kReduceInto ||
                     op.kind == OpKind::kReduceOwn || (op.kind == OpKind::kSend && !op.land);
  const bool named = op.kind == OpKind::kCompute || fits(op.blocks);
  if (!named || (moves && !fits(op.blocks.moved_to(op.target)))) {
    return fault(
        fmt::format("{} names blocks beyond the last one, {}", name_of(at), sizes_.blocks() - 1));
  }
  for (const Wait wait : schedule_.program(at.rank).waits_of(op)) {
    if (awaited(at.rank, wait) == kNone) {
      return fault(
          fmt::format("{} waits for arrival {}, which nobody sends", name_of(at), wait.index()));
    }
  }
  if (op.uses_landed()) check_landed(at);
}

void Verifier::check_landed(const Place& at) {
  const OpId from =
      at.op.slot < schedule_.program(at.rank).slots ? sender(at.rank, at.op.slot) : kNone;
  if (from == kNone) {
    return fault(fmt::format("{} merges arrival {}, which nobody sends", name_of(at), at.op.slot));
  }
  const Op& send = place(from).op;
  if (!send.land || send.blocks.size() != at.op.blocks.size() ||
      schedule_.bytes(send) != schedule_.bytes(at.op)) {
    fault(fmt::format("{} merges what {} does not land for it", name_of(at), name_of(place(from))));
  }
}

void Verifier::index_dependents() {
  const auto waits = [this](Rank rank) { return !schedule_.program(rank).waits.empty(); };
  const bool any = std::ranges::any_of(std::views::iota(Rank{0}, schedule_.ranks()), waits);
  if (!any && schedule_.ops() <= kMostInFlight) return;  // see play_at_once
  open_waits_.resize(schedule_.ops());
  first_dependent_.resize(schedule_.ops() + std::size_t{1});
  begun_.resize(schedule_.ops());
  const auto for_each_wait = [&](auto visit) {
    for_each_op([&](const Place& at) {
      for (const Wait wait : schedule_.program(at.rank).waits_of(at.op)) {
        visit(awaited(at.rank, wait), at.id);
      }
    });
  };
  for_each_wait([&](OpId cause, OpId) { ++first_dependent_[cause + 1]; });
  for (OpId op = 0; op < schedule_.ops(); ++op) first_dependent_[op + 1] += first_dependent_[op];
  dependents_.resize(first_dependent_.back());
  std::vector<OpId> next(first_dependent_.begin(), first_dependent_.end() - 1);
  for_each_wait([&](OpId cause, OpId dependent) {
    dependents_[next[cause]++] = dependent;
    ++open_waits_[dependent];
  });
}

void Verifier::place_start() {
  const Layout& layout = schedule_.layout();
  for (Rank rank = 0; rank < layout.ranks; ++rank) {
    for (std::uint32_t part = 0; part < sizes_.parts(); ++part) {
      if (const auto held = held_before(layout, rank, part)) {
        contents_[index(rank, layout.first_block + part)] = content_of(*held);
      }
    }
  }
}

// With nothing to wait for and room for all, every op is in flight before the first ends: each pair
// overlaps, whatever the order of the ends.
void Verifier::play_at_once() {
  for_each_op([&](const Place& at) { begin(at); });
  for_each_op([&](const Place& at) { end(at); });
  ended_ = schedule_.ops();
}

void Verifier::play(std::uint64_t seed) {
  Random random(seed, "verify");
  for (OpId op = 0; op < schedule_.ops(); ++op) {
    if (open_waits_[op] == 0) ready_.push_back(op);
  }
  while (!fault_) {
    while (next_ready_ < ready_.size() && fast_.size() + slow_.size() < kMostInFlight) {
      const Place at = place(ready_[next_ready_++]);
      begun_[at.id] = true;
      begin(at);
      (random.below(kSlowOneIn) == 0 ? slow_ : fast_).push_back(at.id);
    }
    std::vector<OpId>& in_flight = fast_.empty() ? slow_ : fast_;
    if (in_flight.empty()) return;
    std::swap(in_flight[random.below(in_flight.size())], in_flight.back());
    const Place at = place(in_flight.back());
    in_flight.pop_back();
    end(at);
    release_dependents(at.id);
  }
}

void Verifier::release_dependents(OpId ended) {
  ++ended_;
  for (OpId d = first_dependent_[ended]; d < first_dependent_[ended + 1]; ++d) {
    if (--open_waits_[dependents_[d]] == 0) ready_.push_back(dependents_[d]);
  }
}

void Verifier::check_all_ended() {
  if (ended_ == schedule_.ops()) return;
  for_each_op([&](const Place& at) {
    if (fault_ || begun_[at.id]) return;
    for (const Wait wait : schedule_.program(at.rank).waits_of(at.op)) {
      const OpId cause = awaited(at.rank, wait);
      if (begun_[cause]) continue;
      at_ = at.id;
      return fault(fmt::format("{} ops wait for each other: {} waits for {}, which never begins",
                               schedule_.ops() - ended_, name_of(at), name_of(place(cause))));
    }
  });
}

Content Verifier::content_of(const Holding& held) const {
  return {held.part, held.from ? contributors_.only(*held.from) : contributors_.all()};
}

void Verifier::check_end_state() {
  at_.reset();
  const Layout& layout = schedule_.layout();
  const std::uint32_t result = first_result(layout);
  for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
    for (std::uint32_t part = 0; part < sizes_.parts() && !fault_; ++part) {
      if (const auto held = held_after(layout, rank, part)) {
        expect(rank, result + part, content_of(*held));
      }
    }
  }
}

void Verifier::begin(const Place& at) {
  at_ = at.id;
  const Op& op = at.op;
  switch (op.kind) {
    case OpKind::kSend:
      for_each_pair(op.blocks, op.target, [&](std::uint32_t from, std::uint32_t to) {
        lock_read(at, from);
        if (!op.land) lock_write(at, op.peer, to);
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
  if (fault_) return here;
  if (here.part != added.part) {
    fault(fmt::format("{} merges {} into block {}, which holds {}", name_of(at), describe(added),
                      block, describe(here)));
    return here;
  }
  const bool signals = schedule_.layout().collective == Collective::kBarrier;
  const auto both = signals ? std::optional(contributors_.united(here.from, added.from))
                            : contributors_.merged(here.from, added.from);
  if (both) return {here.part, *both};
  fault(fmt::format("{} merges {} into block {}, which holds {}: some count twice", name_of(at),
                    describe(added), block, describe(here)));
  return here;
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

}  // namespace

std::optional<Fault> find_fault(const Schedule& schedule, std::uint64_t seed) {
  return Verifier(schedule).run(seed);
}

std::optional<std::string> verify(const Schedule& schedule, std::uint64_t seed) {
  const std::optional<Fault> fault = find_fault(schedule, seed);
  return fault ? std::optional(fault->what) : std::nullopt;
}

}  // namespace sim
