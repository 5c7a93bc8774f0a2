// SPDX-License-Identifier: GPL-2.0-only
// An op begins as soon as all it waits for has ended, and ends at a random later time. In between,
// the blocks it reads may not be written and the blocks it writes (at the peer, for a send) may not
// be touched: that is what a DMA engine in flight demands. Beginning early makes these intervals as
// long as they can be, so they cover all orders in which it would begin later. Some ops are slow:
// they end only when no other can, which makes what should have waited for them overtake them.
// Blocks of zero bytes hold nothing and are skipped.
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
  std::optional<std::string> run(std::uint64_t seed);

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
  void check_reduce(const Place& at);
  void index_dependents();
  void place_start();
  void play(std::uint64_t seed);
  void play_at_once();
  void release_dependents(OpId ended);
  void check_all_ended();
  void check_end_state();
  [[nodiscard]] Rank owner(std::uint32_t part) const;
  [[nodiscard]] std::optional<Content> wanted(Rank rank, std::uint32_t part) const;

  void begin(const Place& at);
  void end(const Place& at);
  void end_send(const Place& at);
  void end_reduce(const Place& at);
  void end_copy(const Place& at);
  [[nodiscard]] const std::vector<Content>* landed(
      const Place& at);  // null, and a fault: not there
  void lock_read(const Place& at, std::uint32_t block);
  void lock_write(const Place& at, Rank owner, std::uint32_t block);
  [[nodiscard]] Content read(const Place& at, std::uint32_t block);
  void merge(const Place& at, std::uint32_t block, Content landed);
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
  std::optional<std::string> fault_;
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

std::optional<std::string> Verifier::run(std::uint64_t seed) {
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
  const Op& op = at.op;
  const bool moves = op.kind == OpKind::kCopy || (op.kind == OpKind::kSend && !op.land);
  if (!fits(op.blocks) || (moves && !fits(op.blocks.moved_to(op.target)))) {
    return fault(
        fmt::format("{} names blocks beyond the last one, {}", name_of(at), sizes_.blocks() - 1));
  }
  for (const Wait wait : schedule_.program(at.rank).waits_of(op)) {
    if (awaited(at.rank, wait) == kNone) {
      return fault(
          fmt::format("{} waits for arrival {}, which nobody sends", name_of(at), wait.index()));
    }
  }
  if (op.kind == OpKind::kReduce) check_reduce(at);
}

void Verifier::check_reduce(const Place& at) {
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
  const Rank ranks = schedule_.ranks();
  const std::uint32_t parts = sizes_.parts();
  const Collective kind = schedule_.layout().collective;
  const bool gathers = kind == Collective::kAllGather || kind == Collective::kGather;
  const bool spreads = kind == Collective::kBroadcast || kind == Collective::kScatter;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (spreads && rank != schedule_.layout().root) continue;
    for (std::uint32_t part = 0; part < parts; ++part) {
      if (gathers && owner(part) != rank) continue;
      contents_[index(rank, part)] = {part, contributors_.only(rank)};
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
      return fault(fmt::format("{} ops wait for each other: {} waits for {}, which never begins",
                               schedule_.ops() - ended_, name_of(at), name_of(place(cause))));
    }
  });
}

Rank Verifier::owner(std::uint32_t part) const {
  return static_cast<Rank>(std::uint64_t{part} * schedule_.ranks() / sizes_.parts());
}

// What a rank has to hold in the end as `part` of its result; nothing: whatever it likes.
std::optional<Content> Verifier::wanted(Rank rank, std::uint32_t part) const {
  const Layout& layout = schedule_.layout();
  const bool owned = owner(part) == rank;
  const bool root = layout.root == rank;
  const Content reduced{part, contributors_.all()};
  const std::uint32_t each = sizes_.parts() / layout.ranks;
  switch (layout.collective) {
    case Collective::kAllReduce:
    case Collective::kBarrier:
      return reduced;
    case Collective::kReduce:
      return root ? std::optional(reduced) : std::nullopt;
    case Collective::kReduceScatter:
      return owned ? std::optional(reduced) : std::nullopt;
    case Collective::kAllGather:
      return Content{part, contributors_.only(owner(part))};
    case Collective::kGather:
      return root ? std::optional(Content{part, contributors_.only(owner(part))}) : std::nullopt;
    case Collective::kBroadcast:
      return Content{part, contributors_.only(layout.root)};
    case Collective::kScatter:
      return owned ? std::optional(Content{part, contributors_.only(layout.root)}) : std::nullopt;
    case Collective::kAllToAll:
      return Content{rank * each + part % each, contributors_.only(owner(part))};
    case Collective::kSendRecv:
    case Collective::kPermute: {
      const auto source = std::ranges::find(layout.targets, rank);
      if (source == layout.targets.end()) return std::nullopt;
      return Content{part, static_cast<Rank>(source - layout.targets.begin())};
    }
  }
  return std::nullopt;
}

void Verifier::check_end_state() {
  const Collective kind = schedule_.layout().collective;
  const bool moves = kind == Collective::kAllToAll || has_pairs(kind);
  const std::uint32_t result = moves ? sizes_.parts() : 0;  // its first block
  for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
    for (std::uint32_t part = 0; part < sizes_.parts() && !fault_; ++part) {
      if (const auto content = wanted(rank, part)) expect(rank, result + part, *content);
    }
  }
}

void Verifier::begin(const Place& at) {
  const Op& op = at.op;
  switch (op.kind) {
    case OpKind::kSend:
      for_each_pair(op.blocks, op.target, [&](std::uint32_t from, std::uint32_t to) {
        lock_read(at, from);
        if (!op.land) lock_write(at, op.peer, to);
      });
      break;
    case OpKind::kReduce:
      if (landed(at) == nullptr) return;
      for_each_pair(op.blocks, 0,
                    [&](std::uint32_t block, std::uint32_t) { lock_write(at, at.rank, block); });
      break;
    case OpKind::kCopy:
      for_each_pair(op.blocks.moved_to(op.target), op.blocks.first,
                    [&](std::uint32_t from, std::uint32_t to) {
                      lock_read(at, from);
                      lock_write(at, at.rank, to);
                    });
      break;
  }
}

void Verifier::end(const Place& at) {
  switch (at.op.kind) {
    case OpKind::kSend:
      return end_send(at);
    case OpKind::kReduce:
      return end_reduce(at);
    case OpKind::kCopy:
      return end_copy(at);
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

void Verifier::end_reduce(const Place& at) {
  const std::vector<Content>* arrived = landed(at);
  if (arrived == nullptr) return;
  std::size_t next = 0;
  for_each_pair(at.op.blocks, 0, [&](std::uint32_t block, std::uint32_t) {
    if (next < arrived->size()) merge(at, block, (*arrived)[next++]);
    locks_[index(at.rank, block)] = 0;
  });
  landed_.erase(sender(at.rank, at.op.slot));
}

const std::vector<Content>* Verifier::landed(const Place& at) {
  const auto found = landed_.find(sender(at.rank, at.op.slot));
  if (found != landed_.end()) return &found->second;
  fault(fmt::format("{} merges arrival {}, which is not there (not waited for, or merged before)",
                    name_of(at), at.op.slot));
  return nullptr;
}

void Verifier::end_copy(const Place& at) {
  for_each_pair(at.op.blocks.moved_to(at.op.target), at.op.blocks.first,
                [&](std::uint32_t from, std::uint32_t to) {
                  contents_[index(at.rank, to)] = read(at, from);
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

void Verifier::merge(const Place& at, std::uint32_t block, Content landed) {
  const Content here = read(at, block);
  if (fault_) return;
  if (here.part != landed.part) {
    return fault(fmt::format("{} merges {} into block {}, which holds {}", name_of(at),
                             describe(landed), block, describe(here)));
  }
  const bool signals = schedule_.layout().collective == Collective::kBarrier;
  const auto both = signals ? std::optional(contributors_.united(here.from, landed.from))
                            : contributors_.merged(here.from, landed.from);
  if (!both) {
    return fault(fmt::format("{} merges {} into block {}, which holds {}: some count twice",
                             name_of(at), describe(landed), block, describe(here)));
  }
  contents_[index(at.rank, block)].from = *both;
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
  switch (at.op.kind) {
    case OpKind::kSend:
      return fmt::format("rank {} op {} (send to rank {})", at.rank, number, at.op.peer);
    case OpKind::kReduce:
      return fmt::format("rank {} op {} (reduce)", at.rank, number);
    case OpKind::kCopy:
      break;
  }
  return fmt::format("rank {} op {} (copy)", at.rank, number);
}

std::string Verifier::describe(Content content) const {
  if (content.part == kNone) return "nothing";
  return fmt::format("part {} of rank {}", content.part, contributors_.to_text(content.from));
}

void Verifier::fault(std::string text) {
  if (!fault_) fault_ = std::move(text);
}

}  // namespace

std::optional<std::string> verify(const Schedule& schedule, std::uint64_t seed) {
  return Verifier(schedule).run(seed);
}

}  // namespace sim
