// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/board.h"

#include <sys/mman.h>

#include <memory>
#include <new>

#include "sim/base/check.h"

namespace scenarios {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

// Room for the counter and the desks to stand apart from each other.
constexpr std::size_t kLine = 128;

std::size_t rounded(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

Board::Board(std::size_t cases, std::size_t desks) {
  const std::size_t expected_at = kLine;
  const std::size_t desks_at = rounded(expected_at + cases * sizeof(std::uint64_t));
  bytes_ = desks_at + desks * sizeof(Desk);
  memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory_ != MAP_FAILED);
  auto* bytes = static_cast<std::byte*>(memory_);
  next_ = new (bytes) std::atomic<std::size_t>(0);
  auto* expected = reinterpret_cast<std::atomic<std::uint64_t>*>(bytes + expected_at);
  std::uninitialized_value_construct_n(expected, cases);
  expected_ = {expected, cases};
  auto* first_desk = reinterpret_cast<Desk*>(bytes + desks_at);
  std::uninitialized_value_construct_n(first_desk, desks);
  desks_ = {first_desk, desks};
}

Board::~Board() { ::munmap(memory_, bytes_); }

void Board::stop() {
  for (Desk& desk : desks_) desk.control.stop = true;
}

Snapshot Board::snapshot(std::span<const std::uint64_t> weights,
                         const std::function<bool(std::size_t)>& done) const {
  Snapshot snapshot;
  snapshot.cases = expected_.size();
  double known_hops = 0;
  double known_weight = 0;
  double all_weight = 0;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    const auto hops = static_cast<double>(expected_[i].load());
    all_weight += static_cast<double>(weights[i]);
    if (hops > 0) {
      known_hops += hops;
      known_weight += static_cast<double>(weights[i]);
    }
    if (!done(i)) continue;
    ++snapshot.cases_done;
    snapshot.hops_done += hops;
  }
  for (const Desk& desk : desks_) {
    const std::int64_t playing = desk.playing.load();
    if (playing == kNoCase || done(static_cast<std::size_t>(playing))) continue;
    snapshot.hops_done += static_cast<double>(desk.control.packet_hops.load());
  }
  if (known_weight > 0) snapshot.hops_expected = known_hops * all_weight / known_weight;
  return snapshot;
}

}  // namespace scenarios
