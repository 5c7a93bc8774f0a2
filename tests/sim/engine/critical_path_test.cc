// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/critical_path.h"

#include <gtest/gtest.h>

#include "tests/sim/engine/world.h"

namespace sim::packet {
namespace {

Schedule one_send(std::int64_t bytes) {
  std::vector<RankProgram> programs(2);
  programs[0].ops = {Op{.blocks = {0}, .peer = 1, .slot = 0}};
  programs[1].slots = 1;
  return Schedule({Collective::kAllGather, 2, BlockSizes(Bytes(2 * bytes), 2, 1)}, "hand",
                  programs);
}

TEST(CriticalPath, OneTransferDividesIntoItsPartsAndTheyAddUp) {
  World world(star(2, {}, Forwarding::kCutThrough, nanoseconds(150)));
  EndCosts costs;
  costs.launch = microseconds(6);
  const Schedule schedule = one_send(40'000);
  const Placement placement{{EndpointId(0), EndpointId(1)}};
  Executor executor(schedule, placement, costs, world.network);
  executor.run();
  const Breakdown b = critical_path(executor, schedule, placement, world.topology, costs);
  EXPECT_EQ(b.launch_ps, 6'000'000);
  EXPECT_EQ(b.endpoint_ps, 0);
  EXPECT_EQ(b.latency_ps, 2 * 100'000 + 150'000);
  EXPECT_EQ(b.transmission_ps, 400'000);
  EXPECT_EQ(b.queueing_ps, 0);
  EXPECT_EQ(b.launch_ps + b.latency_ps + b.transmission_ps, executor.time().value);
}

TEST(CriticalPath, UnloadedPartsNameTheSlowestLinkOfThePath) {
  Wire slow;
  slow.rate = gigabytes_per_second(10);
  const Topology topology = two_links({}, slow, Forwarding::kCutThrough);
  const Unloaded parts = unloaded(topology, {}, EndpointId(0), EndpointId(1), Bytes(10'000));
  EXPECT_EQ(parts.transmission.value, 1'000'000);
  EXPECT_EQ(parts.latency.value, 200'000);
}

}  // namespace
}  // namespace sim::packet
