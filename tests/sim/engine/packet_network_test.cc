// SPDX-License-Identifier: GPL-2.0-only
// The packet level against arithmetic on paper, to the picosecond.
#include <gtest/gtest.h>

#include "tests/sim/engine/world.h"

namespace sim::packet {
namespace {

constexpr std::int64_t kPacket = 40'000;  // 4000 B at 100 GB/s
constexpr std::int64_t kWire = 100'000;   // 100 ns

TEST(PacketNetwork, OneTransferTakesItsBytesAndTheLatencyPlusOnePacketAtAStoreAndForwardSwitch) {
  World world(star(2, {}));
  world.send(7, 0, 1, 40'000);  // ten packets
  world.run();
  EXPECT_EQ(world.time(7), 10 * kPacket + kPacket + 2 * kWire);
  EXPECT_EQ(world.network.packets(), 10U);
  EXPECT_EQ(world.network.packet_hops(), 20U);
  EXPECT_EQ(world.network.leftover(), "");
}

TEST(PacketNetwork, CutThroughAddsOnlyTheLatencyOfTheSwitch) {
  World world(star(2, {}, Forwarding::kCutThrough, nanoseconds(150)));
  world.send(0, 0, 1, 40'000);
  world.run();
  EXPECT_EQ(world.time(0), 10 * kPacket + 2 * kWire + 150'000);
}

TEST(PacketNetwork, CutThroughNeverOutrunsTheTailOfASlowerLink) {
  Wire fast;
  fast.rate = gigabytes_per_second(400);
  World world(two_links({}, fast, Forwarding::kCutThrough));
  world.send(0, 0, 1, 4'000);  // 40 ns in, 10 ns out: the tail leaves when it has come in
  world.run();
  EXPECT_EQ(world.time(0), kPacket + 2 * kWire);
}

TEST(PacketNetwork, TheSlowerLinkSetsThePaceBehindAFastOne) {
  Wire fast;
  fast.rate = gigabytes_per_second(400);
  World world(two_links(fast, {}, Forwarding::kCutThrough));
  world.send(0, 0, 1, 40'000);
  world.run();
  EXPECT_EQ(world.time(0), 10 * kPacket + 2 * kWire);
}

TEST(PacketNetwork, AShortLastPacketTakesItsShare) {
  World world(star(2, {}));
  world.send(0, 0, 1, 5'000);  // 4000 + 1000
  world.run();
  // The short one catches up with the long one at the switch and follows it.
  EXPECT_EQ(world.time(0), 2 * kPacket + 10'000 + 2 * kWire);
}

TEST(PacketNetwork, HeadersAreSentWithEveryPacketAndEfficiencySlowsTheLink) {
  FabricBuilder builder;
  LinkClass kind = link_class("link", {});
  kind.header = Bytes(100);
  kind.efficiency = 500'000'000;
  const ClassId id = builder.add_class(kind);
  const NodeId a = builder.add_node({NodeKind::kChip, Forwarding::kCutThrough, Time(0), "a"});
  const NodeId b = builder.add_node({NodeKind::kChip, Forwarding::kCutThrough, Time(0), "b"});
  builder.connect(a, b, id, gigabytes_per_second(100), nanoseconds(100));
  builder.add_endpoint(a);
  builder.add_endpoint(b);
  auto fabric = std::make_unique<const Fabric>(std::move(builder).seal());
  auto routes = shortest_routes(*fabric);
  World world({std::move(fabric), std::move(routes)});
  world.send(0, 0, 1, 8'000);
  world.run();
  EXPECT_EQ(world.time(0), 2 * (4'100 * 1'000 / 50) + kWire);  // 50 GB/s left
}

TEST(PacketNetwork, TwoSendersShareAnOutputAndBothEndWhenAllBytesAreThrough) {
  World world(star(3, {}));
  world.send(0, 0, 2, 400'000);
  world.send(1, 1, 2, 400'000);
  world.run();
  const std::int64_t all = 200 * kPacket + kPacket + 2 * kWire;
  EXPECT_EQ(std::max(world.time(0), world.time(1)), all);
  EXPECT_GE(std::min(world.time(0), world.time(1)), all - kPacket);
}

TEST(PacketNetwork, IncastDrainsAtTheRateOfTheOutput) {
  World world(star(9, {}));
  for (std::uint32_t i = 0; i < 8; ++i) world.send(i, i, 8, 40'000);
  world.run();
  std::int64_t last = 0;
  for (std::uint32_t i = 0; i < 8; ++i) last = std::max(last, world.time(i));
  EXPECT_EQ(last, 80 * kPacket + kPacket + 2 * kWire);
}

TEST(PacketNetwork, TransfersOfOneRankTakeTurnsUpToTheDmaQueues) {
  PacketOptions options = default_options();
  options.dma_queues = 2;
  World world(star(4, {}), options);
  world.send(0, 0, 1, 40'000);
  world.send(1, 0, 2, 40'000);
  world.send(2, 0, 3, 4'000);  // waits for a queue although it is short
  world.run();
  EXPECT_EQ(world.time(0), 19 * kPacket + kPacket + 2 * kWire);
  EXPECT_EQ(world.time(1), 20 * kPacket + kPacket + 2 * kWire);
  EXPECT_GT(world.time(2), world.time(0));
}

TEST(PacketNetwork, EndCostsAddUpOncePerTransfer) {
  EndCosts costs;
  costs.per_transfer = nanoseconds(1500);
  costs.memory = nanoseconds(200);
  costs.nic_transfer = microseconds(5);  // no NIC here
  World world(star(3, {}), default_options(), costs);
  world.send(0, 0, 1, 4'000);
  world.run();
  EXPECT_EQ(world.time(0), 1'500'000 + 2 * 200'000 + 2 * kPacket + 2 * kWire);
}

TEST(PacketNetwork, WakesAtTheTimeAskedFor) {
  World world(star(2, {}));
  world.network.wake_at(nanoseconds(77), 5);
  world.run();
  EXPECT_EQ(world.recorder.wakes.at(5), 77'000);
}

// Token arithmetic: with room for `w` packets at the receiver and a round trip of one packet's
// time, the wire and the credit's way back, a sender gets w packets per round trip and no more.
TEST(PacketNetwork, ThroughputIsBufferOverRoundTripWhenCreditsLimit) {
  Wire wire;
  wire.flow = FlowControl::kCredits;
  wire.buffer = Bytes(2 * 4'000);
  wire.latency = nanoseconds(1000);
  Wire second = wire;
  second.latency = nanoseconds(0);
  second.buffer = kibibytes(1024);
  World world(two_links(wire, second, Forwarding::kStoreAndForward));
  world.send(0, 0, 1, 400'000);  // 100 packets: 50 rounds of 2
  world.run();
  // A packet occupies the buffer from its departure until its tail has left the switch.
  const std::int64_t round = kPacket + 1'000'000 + kPacket + 1'000'000;
  EXPECT_EQ(world.time(0), 49 * round + 2 * kPacket + 1'000'000 + kPacket);
  EXPECT_EQ(world.network.leftover(), "");
}

TEST(PacketNetwork, EnoughCreditsCostNothing) {
  Wire plain;
  Wire credits = plain;
  credits.flow = FlowControl::kCredits;
  credits.buffer = Bytes(100 * 4'000);
  World free_world(star(2, plain));
  free_world.send(0, 0, 1, 4'000'000);
  free_world.run();
  const std::int64_t free_time = free_world.time(0);
  EXPECT_EQ(free_time, 1001 * kPacket + 2 * kWire);
}

TEST(PacketNetwork, CreditsWithARoomyBufferGiveTheSameTimesAsNoLimit) {
  Wire credits;
  credits.flow = FlowControl::kCredits;
  credits.buffer = Bytes(100 * 4'000);
  World world(star(2, credits));
  world.send(0, 0, 1, 4'000'000);
  world.run();
  EXPECT_EQ(world.time(0), 1001 * kPacket + 2 * kWire);
  EXPECT_EQ(world.network.leftover(), "");
}

// Ends 0..2 flood end 3; end 0 also sends to the idle end 4. With a small shared input buffer the
// victim waits behind the flood (head-of-line blocking); with a large one it passes.
std::int64_t victim_time(Bytes buffer) {
  Wire wire;
  wire.flow = FlowControl::kCredits;
  wire.buffer = buffer;
  PacketOptions options = default_options();
  options.dma_queues = 2;
  World world(star(5, wire), options);
  for (std::uint32_t i = 0; i < 3; ++i) world.send(i, i, 3, 4'000'000);
  world.send(9, 0, 4, 400'000);
  world.run();
  return world.time(9);
}

TEST(PacketNetwork, AFloodedOutputHoldsUpOthersThroughAFullInputBuffer) {
  const std::int64_t small = victim_time(Bytes(2 * 4'000));
  const std::int64_t large = victim_time(kibibytes(64 * 1024));
  EXPECT_EQ(large, 200 * kPacket + kPacket + 2 * kWire);  // every second packet is the victim's
  EXPECT_GT(small, 2 * large);
}

// Three switches in a one-way ring, each end sending two hops on, one packet of buffer: a cycle of
// waits.
Topology one_way_ring() {
  FabricBuilder builder;
  Wire wire;
  wire.flow = FlowControl::kCredits;
  wire.buffer = Bytes(4'000);
  const ClassId ring = builder.add_class(link_class("ring", wire));
  wire.flow = FlowControl::kUnbounded;
  const ClassId edge = builder.add_class(link_class("edge", wire));
  std::vector<NodeId> switches;
  for (int i = 0; i < 3; ++i) {
    switches.push_back(
        builder.add_node({NodeKind::kSwitch, Forwarding::kStoreAndForward, Time(0), "s"}));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    builder.add_link({switches[i], switches[(i + 1) % 3], ring, wire.rate, wire.latency});
    const NodeId end =
        builder.add_node({NodeKind::kChip, Forwarding::kStoreAndForward, Time(0), "e"});
    builder.connect(end, switches[i], edge, wire.rate, wire.latency);
    builder.add_endpoint(end);
  }
  auto fabric = std::make_unique<const Fabric>(std::move(builder).seal());
  auto routes = shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

TEST(PacketNetwork, ACycleOfCreditWaitsEndsTheRunAndSaysWhereBytesAreStuck) {
  World world(one_way_ring());
  for (std::uint32_t i = 0; i < 3; ++i) world.send(i, i, (i + 2) % 3, 400'000);
  world.run();
  EXPECT_TRUE(world.recorder.times.empty());
  EXPECT_NE(world.network.leftover(), "");
}

TEST(PacketNetwork, EqualRunsGiveEqualTimes) {
  std::map<std::uint32_t, std::int64_t> first;
  for (int round = 0; round < 2; ++round) {
    Wire wire;
    wire.flow = FlowControl::kCredits;
    wire.buffer = Bytes(3 * 4'000);
    World world(star(12, wire));
    for (std::uint32_t i = 0; i < 132; ++i) {
      world.send(i, i % 12, (i % 12 + i / 12 + 1) % 12, 3'000 + 977 * i);
    }
    world.run();
    EXPECT_EQ(world.recorder.times.size(), 132U);
    if (round == 0) first = world.recorder.times;
    EXPECT_EQ(world.recorder.times, first);
  }
}

TEST(PacketNetwork, StopsWhenToldAndSaysSo) {
  World world(star(2, {}));
  world.send(0, 0, 1, 4'000'000'000);
  world.control.stop = true;
  world.run();
  EXPECT_EQ(world.network.end(), RunEnd::kStopped);
  EXPECT_TRUE(world.recorder.times.empty());
}

// Six ends on one switch, no two links of one rate: no two packets arrive at the same picosecond.
Topology odd_star(const Wire& wire) {
  FabricBuilder builder;
  const ClassId kind = builder.add_class(link_class("link", wire));
  const NodeId hub = builder.add_node({});
  for (std::int64_t i = 0; i < 6; ++i) {
    const NodeId end = builder.add_node({.kind = NodeKind::kChip});
    builder.connect(end, hub, kind, Bandwidth(97'000'000'001 + 1'234'567'891 * i), wire.latency);
    builder.add_endpoint(end);
  }
  auto fabric = std::make_unique<const Fabric>(std::move(builder).seal());
  auto routes = shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

// When each of 120 transfers of odd sizes is in.
std::map<std::uint32_t, std::int64_t> odd_transfers(FlowControl flow, std::uint32_t queues,
                                                    bool bursts) {
  Wire wire;
  wire.flow = flow;
  wire.buffer = Bytes(10 * 4'000);
  PacketOptions options = default_options();
  options.dma_queues = queues;
  World world(odd_star(wire), options);
  if (!bursts) (void)world.network.devices();  // whoever holds devices may change them any time
  for (std::uint32_t id = 0; id < 120; ++id) {
    world.send(id, id % 6, (id + 1 + id / 6 % 5) % 6, 1'000 + (id * 7'919) % 150'001);
  }
  world.run();
  EXPECT_EQ(world.network.leftover(), "");
  return world.recorder.times;
}

TEST(PacketNetwork, PacketsThatLeaveInOneGoArriveAsIfEachHadItsOwnDeparture) {
  for (const FlowControl flow : {FlowControl::kUnbounded, FlowControl::kCredits}) {
    for (const std::uint32_t queues : {1U, 3U}) {
      EXPECT_EQ(odd_transfers(flow, queues, true), odd_transfers(flow, queues, false));
    }
  }
}

}  // namespace
}  // namespace sim::packet
