// SPDX-License-Identifier: GPL-2.0-only
// The on-chip stage against paper arithmetic.
#include "topologies/on_chip.h"

#include <gtest/gtest.h>

#include "tests/topologies/hand_parameters.h"

namespace topologies_test {
namespace {

// Trn3 as published: 16 engines of 33 B/ns a core, 4 logical cores of 2, 4.9 TB/s of HBM.
Changes trn3(Changes more) {
  Changes changes = {{"endpoints_per_chip", "4"},
                     {"core.dma_bandwidth", "1056 GB/s"},
                     {"chip.dma_bandwidth", "4224 GB/s"},
                     {"dma.engine_bandwidth", "33 GB/s"},
                     {"dma.descriptor", "8 ns"}};
  for (auto& change : more) changes.push_back(std::move(change));
  return changes;
}

std::int64_t rate(const Changes& changes) {
  return topologies::on_chip(parameters_of("ultraserver", changes)).rate.value;
}

TEST(OnChip, ADescriptorCostsItsTimeOncePerPacket) {
  // 65,536 B at 33 GB/s are 1,985.94 ns, and 8 ns are lost: 99.60 %.
  EXPECT_EQ(topologies::descriptor_efficiency(parameters_of("ultraserver", trn3({}))), 995'987'843);
  // 4 KiB: 124.12 ns, 93.95 %; 2 KiB, which AWS calls near peak: 88.6 %; 256 B, poor: 49.2 %.
  const auto at = [](const char* packet) {
    return topologies::descriptor_efficiency(
        parameters_of("ultraserver", trn3({{"dma.packet", packet}})));
  };
  EXPECT_NEAR(static_cast<double>(at("4 KiB")), 0.9395e9, 1e5);
  EXPECT_NEAR(static_cast<double>(at("2 KiB")), 0.8858e9, 1e5);
  EXPECT_NEAR(static_cast<double>(at("256 B")), 0.4923e9, 1e5);
  EXPECT_EQ(topologies::descriptor_efficiency(
                parameters_of("ultraserver", trn3({{"dma.descriptor", "0 ns"}}))),
            1'000'000'000);
}

TEST(OnChip, TheNarrowestOfEnginesChipAndMemoryHolds) {
  EXPECT_EQ(rate(trn3({})), 1'051'763'162'208);
  // A chip's engines are shared out evenly: 4 x 500 GB/s.
  EXPECT_EQ(rate(trn3({{"chip.dma_bandwidth", "2 TB/s"}, {"dma.descriptor", "0 ns"}})),
            500'000'000'000);
  // Memory serves reads and writes: 4.9 TB/s / 2 / 4, and half of it beside compute.
  EXPECT_EQ(rate(trn3({{"hbm.bandwidth", "4900 GB/s"}})), 612'500'000'000);
  EXPECT_EQ(rate(trn3({{"hbm.bandwidth", "4900 GB/s"}, {"hbm.share", "0.5"}})), 306'250'000'000);
}

TEST(OnChip, WholeChipsHaveAStageWhenAsked) {
  const Changes memory = {{"chip.stage", "memory"}, {"hbm.bandwidth", "1 TB/s"}};
  const topologies::OnChip stage = topologies::on_chip(parameters_of("ultraserver", memory));
  EXPECT_TRUE(stage.whole_chip);
  EXPECT_EQ(stage.ends, 1U);
  EXPECT_EQ(stage.rate.value, 500'000'000'000);
  EXPECT_EQ(stage.latency.value, 0);
  const sim::Topology topology = make("ultraserver", memory);
  EXPECT_EQ(topology.fabric->endpoints(), 144U);
  const sim::NodeId end = topology.fabric->node_of(sim::EndpointId{0});
  EXPECT_EQ(topology.fabric->node(end).name, "memory(rack 0, sled 0, position 0)");
  ASSERT_EQ(topology.fabric->out_links(end).size(), 1U);
  EXPECT_EQ(topology.fabric->kind(topology.fabric->out_links(end)[0]).name, "memory link");
}

// 0.9 x (256 + 320 + 128) GB/s leave a chip by its ports.
TEST(OnChip, AStageThatWouldBindMustBeDrawn) {
  EXPECT_TRUE(try_make("ultraserver", {{"hbm.bandwidth", "1268 GB/s"}}).ok());
  const auto refused = try_make("ultraserver", {{"hbm.bandwidth", "1266 GB/s"}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().what,
            "the ports of a chip carry 633.6 GB/s, more than its DMA engines and its share of "
            "memory give (633 GB/s)");
  EXPECT_TRUE(
      try_make("ultraserver", {{"hbm.bandwidth", "1266 GB/s"}, {"chip.stage", "memory"}}).ok());
  EXPECT_FALSE(try_make("torus", {{"chip.dma_bandwidth", "600 GB/s"}}).ok());
  EXPECT_FALSE(try_make("ultracluster", {{"hbm.bandwidth", "1266 GB/s"}}).ok());
}

}  // namespace
}  // namespace topologies_test
