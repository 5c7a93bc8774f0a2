// SPDX-License-Identifier: GPL-2.0-only
// Planning, proving and bounding of schedules.
#include <benchmark/benchmark.h>

#include "collectives/collectives.h"
#include "scenarios/loader/scenario.h"
#include "sim/engine/bound.h"
#include "sim/schedule/verify.h"

namespace sim {
namespace {

collectives::Job job(Collective collective, std::int64_t ranks) {
  collectives::Job job;
  job.collective = collective;
  job.ranks = static_cast<Rank>(ranks);
  job.bytes = mebibytes(16);
  return job;
}

void plan(benchmark::State& state, const char* algorithm, Collective collective) {
  std::int64_t ops = 0;
  for (auto _ : state) {
    const auto schedule = collectives::plan(algorithm, job(collective, state.range(0)));
    ops += schedule.value().ops();
  }
  state.SetItemsProcessed(ops);
}

void prove(benchmark::State& state, const char* algorithm, Collective collective) {
  const auto schedule = collectives::plan(algorithm, job(collective, state.range(0)));
  std::int64_t ops = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(verify(schedule.value()));
    ops += schedule.value().ops();
  }
  state.SetItemsProcessed(ops);
}

BENCHMARK_CAPTURE(plan, ring, "ring", Collective::kAllReduce)
    ->Arg(144)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, direct, "direct", Collective::kAllToAll)
    ->Arg(144)
    ->Arg(1'152)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, ring, "ring", Collective::kAllReduce)
    ->Arg(144)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, direct, "direct", Collective::kAllToAll)
    ->Arg(144)
    ->Unit(benchmark::kMillisecond);

void bound(benchmark::State& state) {
  const scenarios::Loaded loaded = scenarios::load_text(
      "scenario: bound\n"
      "cluster: {ultraserver: trn3-gen2}\n"
      "workload: [{collective: all_to_all, bytes: 1 MiB, algorithm: direct}]\n",
      "bound", {});
  CHECK(loaded.scenario.has_value());
  const scenarios::CaseSpec& spec = loaded.scenario->cases.front();
  for (auto _ : state) {
    benchmark::DoNotOptimize(physical_bound(loaded.scenario->topology, spec.job.collective,
                                            spec.job.bytes, spec.placement));
  }
}
BENCHMARK(bound)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sim
