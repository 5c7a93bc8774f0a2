// SPDX-License-Identifier: GPL-2.0-only
// The max-min solver alone, on one switch of 50 GB/s ports: the work that tests/bench/peers gives
// to SimGrid too. Bars (one core): equal all-to-all 1,024 ends 0.7 s, unequal 144 ends 0.3 s and
// 576 ends 30 s, MoE skew 144 ends 0.06 s, ring of 4,096 ends with all 8,190 steps 6 s.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/base/random.h"
#include "sim/engine/flow/max_min.h"

namespace {

using sim::flow::MaxMin;
using sim::flow::Share;

constexpr std::int64_t kRate = 50'000'000'000;

MaxMin star(std::uint32_t ends) {
  return MaxMin(std::vector<sim::flow::LinkRate>(2 * ends, {sim::Bandwidth(kRate), 1, false}), 1);
}

// u in [0, 1) of a pair, the same on every machine.
double random_share(sim::Random& random) {
  return static_cast<double>(random.below(1'000'000)) / 1e6;
}

std::int64_t unequal(sim::Random& random) {
  return static_cast<std::int64_t>(65'536 * (1 - 0.5 * random_share(random)));
}

// Popularity of the destination by a power law of 0.6, each pair varied by 10 %.
std::int64_t skewed(sim::Random& random, std::uint32_t to) {
  const double popular = std::pow(static_cast<double>(to + 1), -0.6);
  return 1 + static_cast<std::int64_t>(262'144 * popular * (0.9 + 0.2 * random_share(random)));
}

void run_out(MaxMin& solver, benchmark::State& state) {
  std::vector<std::uint32_t> ended;
  solver.repair();
  while (solver.active() > 0) {
    solver.advance(solver.next());
    ended.clear();
    solver.take_due(ended);
    solver.repair();
  }
  state.counters["repairs"] = static_cast<double>(solver.counts().repairs);
  state.counters["evaluations"] = static_cast<double>(solver.counts().evaluations);
  state.counters["moved"] = static_cast<double>(solver.counts().moved);
  state.counters["us"] = static_cast<double>(solver.now().value) / 1e6;
}

template <class Size>
void all_to_all(benchmark::State& state, Size size) {
  const auto ends = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    sim::Random random(1, "sizes");
    MaxMin solver = star(ends);
    for (std::uint32_t from = 0; from < ends; ++from) {
      for (std::uint32_t to = 0; to < ends; ++to) {
        if (from == to) continue;
        const Share route[] = {{2 * from, 1}, {2 * to + 1, 1}};
        solver.attach(from * ends + to, route, sim::Bytes(size(random, to)));
      }
    }
    run_out(solver, state);
  }
  state.SetItemsProcessed(state.iterations() * ends * (ends - 1));
}

void BM_EqualAllToAll(benchmark::State& state) {
  all_to_all(state, [](sim::Random&, std::uint32_t) { return 65'536; });
}
BENCHMARK(BM_EqualAllToAll)->Arg(144)->Arg(1024)->Unit(benchmark::kMillisecond);

void BM_UnequalAllToAll(benchmark::State& state) {
  all_to_all(state, [](sim::Random& random, std::uint32_t) { return unequal(random); });
}
BENCHMARK(BM_UnequalAllToAll)->Arg(64)->Arg(144)->Arg(288)->Arg(576)->Unit(benchmark::kMillisecond);

void BM_MoeSkew(benchmark::State& state) { all_to_all(state, skewed); }
BENCHMARK(BM_MoeSkew)->Arg(144)->Unit(benchmark::kMillisecond);

// Every end sends to the next in each of 2(n - 1) steps, each step when the one before has ended.
void BM_Ring(benchmark::State& state) {
  const auto ends = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t steps = 2 * (ends - 1);
  for (auto _ : state) {
    MaxMin solver = star(ends);
    std::vector<std::uint32_t> step(ends, 0);
    std::vector<std::uint32_t> ended;
    const auto start = [&](std::uint32_t from) {
      const Share route[] = {{2 * from, 1}, {2 * ((from + 1) % ends) + 1, 1}};
      solver.attach(from, route, sim::Bytes(4'096));
    };
    for (std::uint32_t from = 0; from < ends; ++from) start(from);
    solver.repair();
    while (solver.active() > 0) {
      solver.advance(solver.next());
      ended.clear();
      solver.take_due(ended);
      for (const std::uint32_t from : ended) {
        const std::uint32_t next = (from + 1) % ends;  // has what it waited for
        if (++step[next] < steps) start(next);
      }
      solver.repair();
    }
    state.counters["us"] = static_cast<double>(solver.now().value) / 1e6;
  }
  state.SetItemsProcessed(state.iterations() * ends * steps);
}
BENCHMARK(BM_Ring)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
