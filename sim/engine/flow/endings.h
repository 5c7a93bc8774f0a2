// SPDX-License-Identifier: GPL-2.0-only
// What both engines of the max-min solver share: routes, rates in units of 2^-q byte/ps, the clock
// of a link (the integral of its level, in 2^-q bytes), and the heap of the flows that it limits by
// the reading of its clock at which each ends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sim/base/units.h"

namespace sim::flow {

// One link of a route: the flow loads it with its rate times `weight`.
struct Share {
  std::uint32_t link = 0;
  std::uint32_t weight = 1;

  bool operator==(const Share&) const = default;
};

// A link lets sum(weight x rate) <= rate x scale through. Pinned: it limits each flow by itself to
// `rate`, whatever the others do (a cap).
struct LinkRate {
  Bandwidth rate;
  std::uint32_t scale = 1;
  bool pinned = false;
};

struct SolverCounts {
  std::uint64_t repairs = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t level_changes = 0;
  std::uint64_t moved = 0;    // flows that changed owner
  std::uint64_t touched = 0;  // loads that changed with a level
};

using Clock = unsigned __int128;  // 2^-q bytes

constexpr std::int64_t kInfiniteLevel = std::int64_t{1} << 62;
constexpr std::int64_t kNeverEnds = std::numeric_limits<std::int64_t>::max();

inline std::int64_t rate_units(const LinkRate& rate, unsigned q) {
  const auto scaled = static_cast<unsigned __int128>(rate.rate.value) * rate.scale << q;
  return static_cast<std::int64_t>(scaled / static_cast<unsigned __int128>(kPicosecondsPerSecond));
}

inline double bytes_per_second(std::int64_t level, unsigned q) {
  return static_cast<double>(level) / static_cast<double>(std::uint64_t{1} << q) *
         static_cast<double>(kPicosecondsPerSecond);
}

// When a flow ends of which `left` remains at `at`. The one formula for both the next time and what
// is due at it. A completion up to 2^-9 ps after a whole picosecond is at it: levels are rounded
// down, so times that are whole on paper come out a hair late.
inline std::int64_t finish_time(std::int64_t at, Clock left, std::int64_t level) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 62;  // ps
  if (left == 0) return at;
  if (level <= 0) return kNeverEnds;
  const double quotient = static_cast<double>(left) / static_cast<double>(level);
  if (quotient < 0x1p40) {
    const double after = std::ceil(quotient - 0x1p-9);
    return at + std::max<std::int64_t>(0, static_cast<std::int64_t>(after));
  }
  if (quotient > static_cast<double>(kLongest / 4)) return kLongest;
  const Clock whole = (left + static_cast<Clock>(level) - 1) / static_cast<Clock>(level);
  return at + static_cast<std::int64_t>(whole);
}

struct Ending {  // of an own flow: where the clock stands when it has moved all
  std::uint64_t high;
  std::uint64_t low;
  std::uint32_t flow;

  static Ending at(Clock key, std::uint32_t flow) {
    return {static_cast<std::uint64_t>(key >> 64U), static_cast<std::uint64_t>(key), flow};
  }
  [[nodiscard]] Clock key() const { return Clock{high} << 64U | low; }
  [[nodiscard]] bool before(const Ending& other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
};

// Heaps of Endings, earliest first. `flows[i].place` is kept: where flow i stands in its heap.
template <class Flows>
void sift_up(Flows& flows, std::vector<Ending>& heap, std::uint32_t place, Ending item) {
  while (place > 0 && item.before(heap[(place - 1) / 2])) {
    heap[place] = heap[(place - 1) / 2];
    flows[heap[place].flow].place = place;
    place = (place - 1) / 2;
  }
  heap[place] = item;
  flows[item.flow].place = place;
}

template <class Flows>
void sift_down(Flows& flows, std::vector<Ending>& heap, std::uint32_t place, Ending item) {
  for (std::size_t child = 2 * std::size_t{place} + 1; child < heap.size();
       child = 2 * std::size_t{place} + 1) {
    if (child + 1 < heap.size() && heap[child + 1].before(heap[child])) ++child;
    if (!heap[child].before(item)) break;
    heap[place] = heap[child];
    flows[heap[place].flow].place = place;
    place = static_cast<std::uint32_t>(child);
  }
  heap[place] = item;
  flows[item.flow].place = place;
}

template <class Flows>
void push_ending(Flows& flows, std::vector<Ending>& heap, Clock key, std::uint32_t flow) {
  const Ending item = Ending::at(key, flow);
  heap.push_back(item);
  sift_up(flows, heap, static_cast<std::uint32_t>(heap.size() - 1), item);
}

template <class Flows>
void remove_ending(Flows& flows, std::vector<Ending>& heap, std::uint32_t place) {
  const Ending last = heap.back();
  heap.pop_back();
  if (place == heap.size()) return;
  if (place > 0 && last.before(heap[(place - 1) / 2])) return sift_up(flows, heap, place, last);
  sift_down(flows, heap, place, last);
}

}  // namespace sim::flow
