// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/event_queue.h"

#include <gtest/gtest.h>

#include <queue>

#include "sim/base/random.h"

namespace sim::packet {
namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const { return b.before(a); }
};

// Plays random pushes and pops on the wheel and on a binary heap and compares every pop. `spread`
// is how far ahead events lie: from inside one bucket to far beyond the horizon.
void compare_with_heap(std::int64_t spread, int events, std::uint64_t seed) {
  EventQueue wheel;
  std::priority_queue<Event, std::vector<Event>, Later> heap;
  Random random(seed, "event queue test");
  std::uint64_t order = 0;
  std::int64_t now = 0;
  for (int i = 0; i < events; ++i) {
    const std::uint64_t pushes = heap.empty() ? 3 : random.below(3);
    for (std::uint64_t p = 0; p < pushes; ++p) {
      const auto delay =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(spread)));
      const Event event{now + delay, order++, 1, static_cast<std::uint32_t>(i)};
      wheel.push(event);
      heap.push(event);
    }
    ASSERT_EQ(wheel.size(), heap.size());
    if (heap.empty()) continue;
    const Event expected = heap.top();
    heap.pop();
    const Event event = wheel.pop();
    ASSERT_EQ(event.time, expected.time);
    ASSERT_EQ(event.order, expected.order);
    now = event.time;
  }
  while (!heap.empty()) {
    ASSERT_EQ(wheel.pop().order, heap.top().order);
    heap.pop();
  }
  EXPECT_TRUE(wheel.empty());
}

TEST(EventQueue, PopsInExactOrderOfTimeAndSequenceAtEverySpread) {
  for (const std::int64_t spread : {1LL, 50LL, 5'000LL, 500'000LL, 50'000'000LL, 5'000'000'000LL,
                                    500'000'000'000LL, 50'000'000'000'000LL}) {
    compare_with_heap(spread, 40'000, static_cast<std::uint64_t>(spread));
  }
}

TEST(EventQueue, EqualTimesComeOutInInsertionOrder) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 1000; ++i) queue.push({5'000'000, i, 1, i});
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(queue.pop().subject, i);
}

TEST(EventQueue, AnEventAtTheCurrentTimeComesBeforeLaterOnesOfItsBucket) {
  EventQueue queue;
  queue.push({1'000, 0, 1, 0});
  queue.push({1'002, 1, 1, 1});
  EXPECT_EQ(queue.pop().subject, 0U);
  queue.push({1'000, 2, 1, 2});
  EXPECT_EQ(queue.pop().subject, 2U);
  EXPECT_EQ(queue.pop().subject, 1U);
}

TEST(EventQueue, MixedSpreadsKeepOrderWhileTheWidthTunesItself) {
  EventQueue wheel;
  std::priority_queue<Event, std::vector<Event>, Later> heap;
  Random random(7, "mixed");
  std::uint64_t order = 0;
  std::int64_t now = 0;
  for (int i = 0; i < 300'000; ++i) {
    const int phase = i / 60'000;  // crowded, sparse, crowded, ...
    const std::uint64_t spread = phase % 2 == 0 ? 3'000 : 3'000'000'000;
    const Event event{now + static_cast<std::int64_t>(random.below(spread)), order++, 1, 0};
    wheel.push(event);
    heap.push(event);
    if (heap.size() < 200) continue;
    ASSERT_EQ(wheel.pop().order, heap.top().order);
    now = heap.top().time;
    heap.pop();
  }
}

}  // namespace
}  // namespace sim::packet
