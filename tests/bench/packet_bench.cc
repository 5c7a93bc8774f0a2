// SPDX-License-Identifier: GPL-2.0-only
// Packet-hops per second of whole networks: 144 ends on one switch, 400 Gb/s, 64 KiB to each other
// end, with real port queues. "lockstep": end i sends to i+1, i+2, ...; "random": in shuffled
// order, so that outputs contend. And of library scenarios, network set-up and bound included.
#include <benchmark/benchmark.h>

#include <numeric>

#include "collectives/collectives.h"
#include "scenarios/loader/scenario.h"
#include "sim/base/random.h"
#include "sim/engine/engines.h"
#include "tests/sim/engine/world.h"

namespace sim::packet {
namespace {

constexpr std::uint32_t kEnds = 144;

Wire wire(FlowControl flow) {
  return {.rate = gigabytes_per_second(50),
          .latency = nanoseconds(500),
          .flow = flow,
          .buffer = kibibytes(256),
          .payload = kibibytes(4)};
}

std::vector<std::uint32_t> distances(std::uint32_t end, bool random_order) {
  std::vector<std::uint32_t> order(kEnds - 1);
  std::iota(order.begin(), order.end(), 1U);
  if (!random_order) return order;
  Random random(end, "order");
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

void all_to_all(benchmark::State& state, FlowControl flow, bool random_order) {
  std::int64_t hops = 0;
  for (auto _ : state) {
    state.PauseTiming();
    {
      PacketOptions options = default_options();
      options.dma_queues = 1;
      World world(star(kEnds, wire(flow)), options);
      std::uint32_t id = 0;
      for (std::uint32_t end = 0; end < kEnds; ++end) {
        for (const std::uint32_t d : distances(end, random_order)) {
          world.send(id++, end, (end + d) % kEnds, 65'536);
        }
      }
      state.ResumeTiming();
      world.run();
      hops += static_cast<std::int64_t>(world.network.packet_hops());
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(hops);
}

BENCHMARK_CAPTURE(all_to_all, lockstep, FlowControl::kUnbounded, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_to_all, random, FlowControl::kUnbounded, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_to_all, lockstep_credits, FlowControl::kCredits, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_to_all, random_credits, FlowControl::kCredits, true)
    ->Unit(benchmark::kMillisecond);

void library_scenario(benchmark::State& state, const char* name) {
  const scenarios::Loaded loaded = scenarios::load_file(
      std::string(ULTRASIM_SOURCE_DIR) + "/scenarios/library/" + name + ".yaml", {});
  CHECK(loaded.scenario.has_value());
  std::int64_t hops = 0;
  for (auto _ : state) {
    for (const scenarios::CaseSpec& spec : loaded.scenario->cases) {
      const auto schedule = collectives::plan(spec.algorithm, spec.job);
      CHECK(schedule.ok());
      RunControl control;
      const Case one{.topology = &loaded.scenario->topology,
                     .schedule = &schedule.value(),
                     .placement = &spec.placement,
                     .bytes = spec.job.bytes,
                     .parameters = &loaded.scenario->parameters,
                     .seed = loaded.scenario->seed,
                     .limits = loaded.scenario->limits};
      const CaseOutcome outcome = engines().find("packet")->make(one, control);
      CHECK(outcome.verdict == Verdict::kDone);
      hops += outcome.packet_hops;
    }
  }
  state.SetItemsProcessed(hops);
}

BENCHMARK_CAPTURE(library_scenario, all_to_all_144_star, "bench-all-to-all-144-star")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(library_scenario, ring_144_star, "bench-ring-144-star")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(library_scenario, two_ultraservers_efa, "two-ultraservers-efa")
    ->Unit(benchmark::kMillisecond);
// SRD on Ethernet in three tiers, and on leaf and spine: all-to-all of 64 KiB a pair over 288 ends.
BENCHMARK_CAPTURE(library_scenario, srd_three_tiers, "fabric-clos-three-tiers")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(library_scenario, srd_288_leaf_spine, "bench-all-to-all-288-leaf-spine")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sim::packet
