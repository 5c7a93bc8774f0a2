// SPDX-License-Identifier: GPL-2.0-only
// What a run's processes share: which case is next, how large each case turned out, and per worker
// what it plays and its RunControl. Lives in memory that survives fork; all of it is atomic.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "scenarios/command/progress.h"
#include "sim/engine/run_control.h"

namespace scenarios {

inline constexpr std::int64_t kNoCase = -1;

struct Desk {
  sim::RunControl control;
  std::atomic<std::int64_t> playing{kNoCase};  // case number
};

class Board {
 public:
  Board(std::size_t cases, std::size_t desks);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  [[nodiscard]] std::size_t take_next() { return next_->fetch_add(1); }
  [[nodiscard]] bool more() const { return next_->load() < expected_.size(); }
  [[nodiscard]] std::span<std::atomic<std::uint64_t>> expected() { return expected_; }
  [[nodiscard]] std::span<Desk> desks() { return desks_; }
  void stop();

  // `done` tells by case; hops of cases that were not begun are judged by weight.
  [[nodiscard]] Snapshot snapshot(std::span<const std::uint64_t> weights,
                                  const std::function<bool(std::size_t)>& done) const;

 private:
  void* memory_;
  std::size_t bytes_;
  std::atomic<std::size_t>* next_;
  std::span<std::atomic<std::uint64_t>> expected_;  // packet-hops by case; 0: not known yet
  std::span<Desk> desks_;
};

}  // namespace scenarios
