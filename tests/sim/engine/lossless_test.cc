// SPDX-License-Identifier: GPL-2.0-only
// Lossless links against arithmetic on paper: queues, credits, turns of inputs, replays, outages,
// rings of waits.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/random.h"
#include "sim/fabric/lanes.h"
#include "tests/sim/engine/world.h"

namespace sim::packet {
namespace {

constexpr std::int64_t kPacket = 40'000;  // 4000 B at 100 GB/s
constexpr std::int64_t kWire = 100'000;

// Packets of one size at random times, over one output: Pollaczek and Khinchine give the mean wait
// of an M/D/1 queue, load / (2 (1 - load)) service times.
TEST(Queue, RandomArrivalsWaitAsLongAsTheTheoryOfMD1Says) {
  for (const double load : {0.3, 0.6, 0.8}) {
    constexpr std::uint32_t kEnds = 64;  // many thin sources make arrivals memoryless
    constexpr std::uint32_t kPackets = 60'000;
    World world(star(kEnds + 1, {}));
    Random random(7, "arrivals");
    double time = 0;
    for (std::uint32_t id = 0; id < kPackets; ++id) {
      const double uniform = static_cast<double>(random.below(1U << 30) + 1) / (1U << 30);
      time -= std::log(uniform) * kPacket / load;
      world.send_at(static_cast<std::int64_t>(time), id, id % kEnds, kEnds, 4'000);
    }
    world.run();
    double waited = 0;
    for (std::uint32_t id = 0; id < kPackets; ++id) {
      waited += static_cast<double>(world.time(id) - world.recorder.wakes.at(id) - 2 * kPacket -
                                    2 * kWire);
    }
    const double theory = load / (2 * (1 - load)) * kPacket;
    EXPECT_NEAR(waited / kPackets, theory, 0.06 * theory) << load;
  }
}

TEST(Queue, AnIncastDrainsInTheTimeOfItsBytes) {
  World world(star(9, {}));
  for (std::uint32_t i = 0; i < 8; ++i) world.send(i, i, 8, 400'000);
  world.run();
  std::int64_t last = 0;
  for (const auto& [id, time] : world.recorder.times) last = std::max(last, time);
  EXPECT_EQ(last, 8 * 100 * kPacket + kPacket + 2 * kWire);
}

TEST(Credits, AShortBufferLetsThroughItselfOncePerRoundTrip) {
  for (const std::int64_t packets : {1, 2, 4}) {
    Wire wire;
    wire.latency = nanoseconds(1'000);
    wire.flow = FlowControl::kCredits;
    wire.buffer = Bytes(packets * 4'000);
    Wire fast = wire;
    fast.buffer = kibibytes(1024);
    World world(two_links(wire, fast, Forwarding::kStoreAndForward));
    world.send(0, 0, 1, 4'000'000);
    world.run();
    // A buffer is granted again when its packet's tail has left (arrival, one packet out) and the
    // credit is back (one wire).
    const std::int64_t round = kPacket + 1'000'000 + kPacket + 1'000'000;
    const double expected = 1'000.0 / static_cast<double>(packets) * static_cast<double>(round);
    EXPECT_NEAR(static_cast<double>(world.time(0)), expected, 0.02 * expected) << packets;
  }
}

// Ends 0 to 3 and end 4 reach end 5 over two switches: four of them share one input.
Topology two_switches(const Wire& wire) {
  FabricBuilder b;
  const ClassId kind = b.add_class(link_class("link", wire));
  const NodeId first = b.add_node({.forwarding = Forwarding::kCutThrough, .name = "first"});
  const NodeId second = b.add_node({.forwarding = Forwarding::kCutThrough, .name = "second"});
  b.connect(first, second, kind, wire.rate, wire.latency);
  for (int end = 0; end < 6; ++end) {
    const NodeId node = b.add_node({.kind = NodeKind::kChip, .name = "end"});
    b.connect(node, end < 4 ? first : second, kind, wire.rate, wire.latency);
    b.add_endpoint(node);
  }
  auto fabric = std::make_unique<const Fabric>(std::move(b).seal());
  auto routes = shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

TEST(Arbitration, InTurnEachInputGetsAnEqualShareHoweverManyItCarries) {
  Wire wire;
  wire.flow = FlowControl::kCredits;
  wire.buffer = kibibytes(64);
  PacketOptions options = default_options();
  options.queueing.round_robin = true;
  World world(two_switches(wire), options);
  for (std::uint32_t i = 0; i < 5; ++i) world.send(i, i, 5, 4'000'000);
  world.run();
  // End 4 alone has half of the output until it is done; the others share the rest.
  EXPECT_NEAR(static_cast<double>(world.time(4)), 2'000.0 * kPacket, 0.02 * 2'000 * kPacket);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_GT(world.time(i), 4'800 * kPacket);
  EXPECT_EQ(world.network.leftover(), "");
}

TEST(Replay, ALosslessLinkRepeatsWhatItDamagesAndCarriesEveryByteOnce) {
  Wire wire;
  wire.flow = FlowControl::kCredits;
  World world(star(2, wire));
  world.network.impair(LinkId(0), {.loss = 200'000'000, .outages = {}});
  world.send(0, 0, 1, 40'000'000);
  world.run();
  // p / (1 - p) replays a packet, each one packet and one round trip long.
  const double replays = 10'000 * 0.25;
  const double expected = 10'000.0 * kPacket + replays * (kPacket + 2 * kWire);
  EXPECT_NEAR(static_cast<double>(world.time(0)), expected, 0.05 * expected);
  EXPECT_EQ(world.network.leftover(), "");
}

TEST(Replay, BitErrorsStrikeInProportionToTheBitsOfAPacket) {
  World world(star(2, {}));
  world.network.impair(LinkId(0), {.bit_errors = 3'125'000'000, .outages = {}});  // 3.125e-6
  world.send(0, 0, 1, 40'000'000);
  world.run();
  const double chance = 1 - std::pow(1 - 3.125e-6, 32'000);  // 9.5 %
  const double expected =
      10'000.0 * kPacket + 10'000 * chance / (1 - chance) * (kPacket + 2 * kWire);
  EXPECT_NEAR(static_cast<double>(world.time(0)), expected, 0.03 * expected);
}

TEST(Outage, HoldsEverythingWhileTheLinkIsDownAndNothingIsLost) {
  World world(star(2, {}));
  world.network.impair(LinkId(0), {.outages = {{1'000'000, 5'000'000}, {8'000'000, 9'000'000}}});
  world.send(0, 0, 1, 1'000'000);  // 250 packets, 10 us
  world.run();
  EXPECT_EQ(world.time(0), 251 * kPacket + 2 * kWire + 4'000'000 + 1'000'000);
}

TEST(Outage, ALinkThatNeverComesBackStopsTheRunAtItsPlace) {
  World world(star(3, {}));
  world.network.impair(LinkId(0), {.outages = {{1'000'000, kNever}}});
  world.send(0, 0, 2, 1'000'000);
  world.send(1, 1, 2, 1'000'000);
  world.run();
  EXPECT_EQ(world.recorder.times.size(), 1U);
  EXPECT_NE(world.network.why_stuck().find("link: end 0 -> switch"), std::string::npos);
}

// A semaphore is a last packet on the way of the data: never before it, one packet later.
TEST(Semaphore, FollowsTheDataOnTheSameWay) {
  PacketOptions options = default_options();
  options.semaphore = 64;
  World world(star(2, {}), options);
  world.send(0, 0, 1, 40'000);
  world.run();
  EXPECT_EQ(world.time(0), 11 * kPacket + 640 + 2 * kWire);
  EXPECT_EQ(world.network.packets(), 11U);
}

// Behind a short buffer it waits as data does, and a transfer of others in turn goes between.
TEST(Semaphore, WaitsInLineWithTheData) {
  for (const std::uint32_t bytes : {0U, 64U}) {
    PacketOptions options = default_options();
    options.semaphore = bytes;
    World world(star(3, {}), options);
    world.send(0, 0, 2, 4'000);
    world.send(1, 1, 2, 400'000);
    world.run();
    EXPECT_EQ(world.network.leftover(), "");
    // At the switch the semaphore finds one packet of the other before it.
    if (bytes == 0) {
      EXPECT_LE(world.time(0), 3 * kPacket + 2 * kWire);
    } else {
      EXPECT_GT(world.time(0), 2 * kPacket + 640 + 2 * kWire);
    }
  }
}

// Every switch of a ring sends two hops on: with buffers of one packet all wait for each other.
class TwoHops final : public Routes {
 public:
  explicit TwoHops(std::vector<LinkId> up, std::vector<LinkId> ring)
      : up_(std::move(up)), ring_(std::move(ring)) {}
  std::uint32_t path_count(EndpointId, EndpointId) const override { return 1; }
  void append_path(EndpointId from, EndpointId to, std::uint32_t,
                   std::vector<LinkId>& links) const override {
    links.push_back(up_[index(from)]);
    for (std::uint32_t at = index(from); at != index(to); at = (at + 1) % 4) {
      links.push_back(ring_[at]);
    }
    links.push_back(LinkId(index(up_[index(to)]) + 1));
  }

 private:
  std::vector<LinkId> up_;
  std::vector<LinkId> ring_;
};

Topology ring_of_four() {
  FabricBuilder b;
  Wire wire;
  wire.flow = FlowControl::kCredits;
  wire.buffer = Bytes(4'000);
  const ClassId kind = b.add_class(link_class("link", wire));
  std::vector<NodeId> switches;
  std::vector<LinkId> up;
  std::vector<LinkId> ring;
  for (int i = 0; i < 4; ++i) {
    switches.push_back(b.add_node({.name = "switch " + std::to_string(i)}));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const NodeId end = b.add_node({.kind = NodeKind::kChip, .name = "end " + std::to_string(i)});
    up.push_back(b.connect(end, switches[i], kind, wire.rate, wire.latency));
    ring.push_back(b.connect(switches[i], switches[(i + 1) % 4], kind, wire.rate, wire.latency));
    b.add_endpoint(end);
  }
  auto fabric = std::make_unique<const Fabric>(std::move(b).seal());
  return {std::move(fabric), std::make_unique<const TwoHops>(up, ring)};
}

TEST(Deadlock, ARingOfWaitsStopsTheRunAndIsNamed) {
  for (const bool round_robin : {false, true}) {
    PacketOptions options = default_options();
    options.queueing.round_robin = round_robin;
    World world(ring_of_four(), options);
    for (std::uint32_t i = 0; i < 4; ++i) world.send(i, i, (i + 2) % 4, 400'000);
    world.run();
    EXPECT_LT(world.recorder.times.size(), 4U);
    const std::string why = world.network.why_stuck();
    EXPECT_NE(why.find("deadlock"), std::string::npos) << why;
    for (int i = 0; i < 4; ++i) {
      const std::string link =
          "link: switch " + std::to_string(i) + " -> switch " + std::to_string((i + 1) % 4);
      EXPECT_NE(why.find(link), std::string::npos) << why;
    }
  }
}

// Packets of others keep the network busy for ever: the ring is found all the same, at once.
TEST(Deadlock, IsFoundWhileOtherTrafficMoves) {
  World world(ring_of_four());
  for (std::uint32_t i = 0; i < 4; ++i) world.send(i, i, (i + 2) % 4, 400'000);
  world.network.load(LinkId(1), 500'000'000);  // of a link that the ring does not use
  world.run();
  EXPECT_LT(world.recorder.times.size(), 4U);
  EXPECT_NE(world.network.ring_of_waits().find("link: switch 0 -> switch 1"), std::string::npos);
  EXPECT_LT(world.network.now().value, 20'000'000'000);  // ps: not the 100 ms of patience
}

// Links that are short of credits for long are no ring.
TEST(Deadlock, ShortBuffersUnderAnIncastAreNone) {
  Wire wire;
  wire.flow = FlowControl::kCredits;
  wire.buffer = Bytes(4'000);
  World world(two_switches(wire));
  for (std::uint32_t i = 0; i < 5; ++i) world.send(i, i, 5, 40'000'000);
  world.run();
  EXPECT_EQ(world.recorder.times.size(), 5U);
  EXPECT_EQ(world.network.ring_of_waits(), "");
}

// With lanes by destination an end that takes nothing holds up no traffic to the other.
TEST(Lanes, SpareOthersTheWaitForABusyEnd) {
  std::int64_t alone = 0;
  for (const std::int64_t lanes : {1, 2, 8}) {
    Wire wire;
    wire.flow = FlowControl::kCredits;
    wire.buffer = Bytes(16'000);
    Result<Topology> spread = spread_over_lanes(two_switches(wire), lanes);
    ASSERT_TRUE(spread.ok());
    PacketOptions options = default_options();
    options.queueing.round_robin = true;
    World world(std::move(spread).value(), options);
    world.network.impair(LinkId(13), {.outages = {{0, 400'000'000}}});  // second -> end 5
    world.send(0, 0, 5, 400'000);
    world.send(1, 1, 4, 400'000);
    world.run();
    EXPECT_EQ(world.network.leftover(), "");
    if (lanes == 1) {
      EXPECT_GT(world.time(1), 400'000'000);
      continue;
    }
    if (lanes == 2) alone = world.time(1);
    EXPECT_LT(world.time(1), 20'000'000);
    EXPECT_EQ(world.time(1), alone);
  }
  EXPECT_FALSE(spread_over_lanes(two_switches({}), 17).ok());
}

}  // namespace
}  // namespace sim::packet
