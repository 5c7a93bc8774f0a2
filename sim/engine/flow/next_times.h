// SPDX-License-Identifier: GPL-2.0-only
// The earliest of many times that change a few at a time: minima over blocks of 64, and over blocks
// of those. No heap: most keys would move at every event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace sim::flow {

class NextTimes {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t kBlock = 64;

  explicit NextTimes(std::size_t size)
      : times_(rounded(size), kNever),
        blocks_(rounded(times_.size() / kBlock), kNever),
        outer_(blocks_.size() / kBlock, kNever),
        is_stale_(blocks_.size(), 0),
        outer_is_stale_(outer_.size(), 0) {}

  [[nodiscard]] std::int64_t at(std::uint32_t index) const { return times_[index]; }
  // Becomes visible in `least` with the next `refresh`.
  void set(std::uint32_t index, std::int64_t time) {
    times_[index] = time;
    note(index / kBlock, is_stale_, stale_);
  }
  void refresh() {
    for (const std::size_t block : stale_) {
      is_stale_[block] = 0;
      blocks_[block] = least_of(times_, block);
      note(block / kBlock, outer_is_stale_, outer_stale_);
    }
    stale_.clear();
    for (const std::size_t block : outer_stale_) {
      outer_is_stale_[block] = 0;
      outer_[block] = least_of(blocks_, block);
    }
    outer_stale_.clear();
    least_ = *std::min_element(outer_.begin(), outer_.end());
  }
  [[nodiscard]] std::int64_t least() const { return least_; }
  // Calls visit(index) for every time at or before `time`, in order of index.
  template <class Visit>
  void for_each_due(std::int64_t time, Visit visit) const {
    for (std::size_t o = 0; o < outer_.size(); ++o) {
      if (outer_[o] > time) continue;
      for (std::size_t b = o * kBlock; b < (o + 1) * kBlock; ++b) {
        if (blocks_[b] > time) continue;
        for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; ++i) {
          if (times_[i] <= time) visit(static_cast<std::uint32_t>(i));
        }
      }
    }
  }

 private:
  static std::size_t rounded(std::size_t size) {
    return std::max<std::size_t>(1, (size + kBlock - 1) / kBlock) * kBlock;
  }
  static void note(std::size_t block, std::vector<std::uint8_t>& known,
                   std::vector<std::size_t>& list) {
    if (known[block] != 0) return;
    known[block] = 1;
    list.push_back(block);
  }
  static std::int64_t least_of(const std::vector<std::int64_t>& values, std::size_t block) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
    return *std::min_element(first, first + kBlock);
  }

  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> blocks_;
  std::vector<std::int64_t> outer_;
  std::vector<std::uint8_t> is_stale_;
  std::vector<std::uint8_t> outer_is_stale_;
  std::vector<std::size_t> stale_;
  std::vector<std::size_t> outer_stale_;
  std::int64_t least_ = kNever;
};

}  // namespace sim::flow
