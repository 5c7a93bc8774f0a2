// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/max_min.h"

#include <algorithm>
#include <bit>

#include "sim/base/check.h"

namespace sim::flow {
namespace {

// Head-room for the sums of mid-repair; where it is not enough, overloaded links are repaired
// first.
constexpr unsigned kRoomBits = 12;

// The engine is considered anew after so many repairs.
constexpr std::uint64_t kConsider = 64;
// Dense where a repair changes more than one link in so many, local where it changes far fewer.
constexpr std::uint64_t kBusy = 3;
constexpr std::uint64_t kCalm = 12;
// A change of engine costs about as much as touching so many loads per flow.
constexpr std::uint64_t kTouchesPerFlow = 100;

unsigned bits_for(std::uint64_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

// Rates in 2^-q byte/ps.
unsigned unit_of(std::span<const LinkRate> links, std::uint64_t largest_weight, Bandwidth most) {
  auto largest = static_cast<unsigned __int128>(std::max<std::int64_t>(1, most.value));
  for (const LinkRate& link : links) {
    largest = std::max(largest, static_cast<unsigned __int128>(link.rate.value) * link.scale);
  }
  const unsigned room = kRoomBits + bits_for(largest_weight);
  CHECK(room < 40);
  const unsigned __int128 limit = (static_cast<unsigned __int128>(1) << (62 - room)) *
                                  static_cast<unsigned __int128>(kPicosecondsPerSecond);
  unsigned q = 0;
  while (q < 61 && (largest << (q + 1)) <= limit) ++q;
  return q;
}

SolverCounts sum(const SolverCounts& a, const SolverCounts& b) {
  return {a.repairs + b.repairs, a.evaluations + b.evaluations, a.level_changes + b.level_changes,
          a.moved + b.moved, a.touched + b.touched};
}

}  // namespace

MaxMin::MaxMin(std::span<const LinkRate> links, std::uint64_t largest_weight, Bandwidth most_rate,
               Way way)
    : links_(links.begin(), links.end()), way_(way) {
  // Without links nothing ever flows: a job whose ranks keep everything.
  q_ = unit_of(links, std::max<std::uint64_t>(largest_weight, 1), most_rate);
  if (way == Way::kDense) {
    dense_ = std::make_unique<DenseSolver>(links_, q_, Time(0));
  } else {
    local_ = std::make_unique<LocalSolver>(links_, q_);
  }
}

void MaxMin::attach(std::uint32_t tag, std::span<const Share> route, Bytes bytes,
                    std::uint32_t weight) {
  CHECK(bytes.value > 0 && weight > 0 && !route.empty());
  const Clock all = static_cast<Clock>(bytes.value) << q_;
  const Clock amount = (all + weight - 1) / weight;
  local_ ? local_->attach(tag, route, amount, weight) : dense_->attach(tag, route, amount, weight);
}

void MaxMin::repair() {
  local_ ? local_->repair() : dense_->repair();
  const SolverCounts& counts = local_ ? local_->counts() : dense_->counts();
  if (way_ == Way::kByItself && counts.repairs - seen_.repairs >= kConsider) consider();
}

// Counts decide, never the clock: equal input, equal output.
void MaxMin::consider() {
  const SolverCounts& counts = local_ ? local_->counts() : dense_->counts();
  const std::uint64_t repairs = counts.repairs - seen_.repairs;
  const std::uint64_t changes = counts.level_changes - seen_.level_changes;
  seen_ = counts;
  if (local_) {
    const bool paid = counts.touched > kTouchesPerFlow * active();
    if (paid && links_.size() <= DenseSolver::kMostLinks &&
        changes * kBusy > repairs * links_.size()) {
      to_dense();
    }
  } else if (changes * kCalm < repairs * links_.size() || active() == 0) {
    to_local();
  }
}

void MaxMin::to_dense() {
  auto dense = std::make_unique<DenseSolver>(links_, q_, local_->now());
  local_->hand_over([&](std::uint32_t tag, std::span<const Share> route, Clock left) {
    dense->attach(tag, route, left, 1);
  });
  before_ = sum(before_, local_->counts());
  local_.reset();
  dense_ = std::move(dense);
  dense_->repair();
  seen_ = {};
  ++changes_of_engine_;
}

void MaxMin::to_local() {
  auto local = std::make_unique<LocalSolver>(links_, q_);
  local->advance(dense_->now());
  dense_->hand_over([&](std::uint32_t tag, std::span<const Share> route, Clock left) {
    local->attach(tag, route, left, 1);
  });
  before_ = sum(before_, dense_->counts());
  dense_.reset();
  local_ = std::move(local);
  local_->repair();
  seen_ = {};
  ++changes_of_engine_;
}

void MaxMin::set_rate(std::uint32_t link, const LinkRate& rate) {
  links_[link] = rate;
  local_ ? local_->set_rate(link, rate) : dense_->set_rate(link, rate);
}

double MaxMin::rate_of(std::uint32_t tag) const {
  return local_ ? local_->rate_of(tag) : dense_->rate_of(tag);
}

double MaxMin::level_of(std::uint32_t link) const {
  return local_ ? local_->level_of(link) : dense_->level_of(link);
}

SolverCounts MaxMin::counts() const {
  return sum(before_, local_ ? local_->counts() : dense_->counts());
}

}  // namespace sim::flow
