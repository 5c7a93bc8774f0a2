// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/timeline.h"

#include <algorithm>
#include <cmath>

namespace workload {
namespace {

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
using Intervals = std::array<std::vector<Interval>, kPurposes>;

// Places operations one by one. Lives only during one play.
class Player {
 public:
  Player(std::size_t ops, double beside, std::vector<Exposed>* exposed = nullptr)
      : beside_(beside), exposed_(exposed) {
    times_.begin.reserve(ops);
    times_.end.reserve(ops);
  }

  [[nodiscard]] std::int64_t earliest(const LaneOp& op,
                                      const std::vector<std::int32_t>& number) const {
    std::int64_t at = free_[op.lane];
    for (const std::int32_t after : op.after) {
      if (after == kNone) continue;
      at = std::max(at,
                    times_.end[static_cast<std::size_t>(number[static_cast<std::size_t>(after)])]);
    }
    return at;
  }

  void place(const LaneOp& op, std::int64_t at) {
    std::int64_t time = op.time;
    if (op.lane == 0) {
      time += std::llround(beside_ * static_cast<double>(busy_beside(at, at + op.time)));
      if (at > free_[0]) gaps_.push_back({free_[0], at});
      times_.compute += time;
    } else {
      const std::size_t purpose = op.lane - 1U;
      times_.total[purpose] += time;
      if (time > 0) busy_[purpose].push_back({at, at + time});
    }
    free_[op.lane] = at + time;
    times_.begin.push_back(at);
    times_.end.push_back(at + time);
  }

  LaneTimes finish() {
    times_.compute_end = free_[0];
    times_.last_end = *std::ranges::max_element(free_);
    expose();
    return std::move(times_);
  }

 private:
  // Longest time that one lane of collectives is busy in [begin, end).
  [[nodiscard]] std::int64_t busy_beside(std::int64_t begin, std::int64_t end) const {
    std::int64_t most = 0;
    for (const std::vector<Interval>& lane : busy_) {
      std::int64_t sum = 0;
      for (auto one = lane.rbegin(); one != lane.rend() && one->end > begin; ++one) {
        sum += std::max<std::int64_t>(std::min(end, one->end) - std::max(begin, one->begin), 0);
      }
      most = std::max(most, sum);
    }
    return most;
  }

  // Takes what one purpose covers out of the gaps that are left and counts it.
  void expose() {
    std::vector<Interval> open = std::move(gaps_);
    for (std::size_t purpose = 0; purpose < kPurposes; ++purpose) {
      std::vector<Interval> left;
      std::size_t next = 0;
      for (const Interval& gap : open) {
        std::int64_t at = gap.begin;
        const std::vector<Interval>& lane = busy_[purpose];
        while (next < lane.size() && lane[next].end <= gap.begin) ++next;
        for (std::size_t i = next; i < lane.size() && lane[i].begin < gap.end; ++i) {
          const std::int64_t begin = std::max(lane[i].begin, at);
          const std::int64_t end = std::min(lane[i].end, gap.end);
          if (begin > at) left.push_back({at, begin});
          times_.exposed[purpose] += std::max<std::int64_t>(end - begin, 0);
          if (exposed_ != nullptr && end > begin) {
            exposed_->push_back({static_cast<Purpose>(purpose), begin, end});
          }
          at = std::max(at, end);
        }
        if (at < gap.end) left.push_back({at, gap.end});
      }
      open = std::move(left);
    }
  }

  double beside_;
  std::vector<Exposed>* exposed_;
  std::array<std::int64_t, kLanes> free_{};
  Intervals busy_;
  std::vector<Interval> gaps_;
  LaneTimes times_;
};

LaneTimes play_with(Player player, const std::vector<LaneOp>& one,
                    const std::vector<LaneOp>& other) {
  const std::array<const std::vector<LaneOp>*, 2> programs{&one, &other};
  std::array<std::vector<std::int32_t>, 2> number;  // of each op among all that were placed
  std::int32_t placed = 0;
  while (number[0].size() < one.size() || number[1].size() < other.size()) {
    std::size_t chosen = 2;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      if (number[i].size() == programs[i]->size()) continue;
      const LaneOp& op = (*programs[i])[number[i].size()];
      const std::int64_t earliest = player.earliest(op, number[i]);
      if (chosen == 2 || earliest < at) chosen = i, at = earliest;
    }
    player.place((*programs[chosen])[number[chosen].size()], at);
    number[chosen].push_back(placed++);
  }
  return player.finish();
}

}  // namespace

LaneTimes play(const std::vector<LaneOp>& ops, double beside, std::vector<Exposed>* exposed) {
  return play_with(Player(ops.size(), beside, exposed), ops, {});
}

LaneTimes play_both(const std::vector<LaneOp>& one, const std::vector<LaneOp>& other,
                    double beside) {
  return play_with(Player(one.size() + other.size(), beside), one, other);
}

}  // namespace workload
