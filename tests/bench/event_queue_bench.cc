// SPDX-License-Identifier: GPL-2.0-only
// Hold model: N events pending, each pop pushes a successor 0 to 2 us ahead. The ceiling of any
// packet rate; compare with std::priority_queue over the same records.
#include <benchmark/benchmark.h>

#include <queue>

#include "sim/base/random.h"
#include "sim/engine/packet/event_queue.h"

namespace sim::packet {
namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const { return b.before(a); }
};

std::int64_t delay(Random& random) { return static_cast<std::int64_t>(random.below(2'000'000)); }

void wheel(benchmark::State& state) {
  EventQueue queue;
  Random random(1, "bench");
  std::uint64_t order = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.push({delay(random), order++, 1, 0});
  for (auto _ : state) {
    const Event event = queue.pop();
    queue.push({event.time + delay(random), order++, 1, event.subject});
  }
  state.SetItemsProcessed(state.iterations());
}

void binary_heap(benchmark::State& state) {
  std::priority_queue<Event, std::vector<Event>, Later> queue;
  Random random(1, "bench");
  std::uint64_t order = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) queue.push({delay(random), order++, 1, 0});
  for (auto _ : state) {
    const Event event = queue.top();
    queue.pop();
    queue.push({event.time + delay(random), order++, 1, event.subject});
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(wheel)->Arg(1'000)->Arg(10'000)->Arg(100'000);
BENCHMARK(binary_heap)->Arg(1'000)->Arg(10'000)->Arg(100'000);

}  // namespace
}  // namespace sim::packet
