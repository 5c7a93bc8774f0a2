// SPDX-License-Identifier: GPL-2.0-only
// The run as a whole: what begins when, and what is held before and after.
#include "sim/schedule/verify.h"

#include <fmt/format.h>

#include <ranges>

#include "sim/base/check.h"
#include "sim/base/random.h"
#include "sim/schedule/verifier.h"

namespace sim {
namespace symbolic {
namespace {

constexpr std::size_t kMostInFlight = 1U << 16U;  // bounds the memory touched at a time
constexpr std::uint64_t kSlowOneIn = 8;

}  // namespace

Verifier::Verifier(const Schedule& schedule)
    : schedule_(schedule),
      sizes_(schedule.layout().sizes),
      bundles_(schedule.layout().traffic ? 2 * sizes_.parts() : sizes_.blocks()),
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
  const bool any = std::ranges::any_of(std::views::iota(Rank{0}, schedule_.ranks()), waits) ||
                   schedule_.layout().merged_in_network;
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
    for (Rank server = 0; layout.traffic && server < layout.traffic->servers(); ++server) {
      const std::uint32_t block = bundles_ + rank * layout.traffic->servers() + server;
      contents_[index(rank, block)] = {block, contributors_.only(rank)};
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
      if (at.op.kind == OpKind::kInSwitch && !all_offer(at)) continue;
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

// True when this was the last rank to offer: the switch has all it needs.
bool Verifier::all_offer(const Place& at) {
  std::vector<OpId>& offered = offered_[at.op.target];
  offered.push_back(at.id);
  return offered.size() == schedule_.ranks();
}

void Verifier::end_in_switch(const Place& last) {
  const std::vector<OpId>& members = offered_[last.op.target];
  for_each_pair(last.op.blocks, 0, [&](std::uint32_t block, std::uint32_t) {
    Content sum = read(last, block);
    for (const OpId id : members) {
      if (id != last.id) sum = merged(last, sum, read(place(id), block));
    }
    for (const OpId id : members) {
      if (place(id).op.blocks != last.op.blocks) {
        return fault(
            fmt::format("{} offers other blocks than {}", name_of(place(id)), name_of(last)));
      }
      contents_[index(place(id).rank, block)] = sum;
      locks_[index(place(id).rank, block)] = 0;
    }
  });
  for (const OpId id : members) {
    if (id != last.id) release_dependents(id);
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
  for (const auto& [number, members] : offered_) {
    if (members.size() == schedule_.ranks()) continue;
    at_ = members.front();
    return fault(fmt::format("{} waits for {} ranks that offer nothing", name_of(place(*at_)),
                             schedule_.ranks() - members.size()));
  }
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

}  // namespace symbolic

std::optional<Fault> find_fault(const Schedule& schedule, std::uint64_t seed) {
  CHECK(schedule.groups() == 1);
  return symbolic::Verifier(schedule).run(seed);
}

std::optional<std::string> verify(const Schedule& schedule, std::uint64_t seed) {
  const std::optional<Fault> fault = find_fault(schedule, seed);
  return fault ? std::optional(fault->what) : std::nullopt;
}

}  // namespace sim
