// SPDX-License-Identifier: GPL-2.0-only
// The ns-3 side of the packet level: nodes, devices, attributes, traces, and real ns-3 packets.
#include <gtest/gtest.h>
#include <ns3/callback.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include "sim/engine/packet/link_device.h"
#include "tests/sim/engine/world.h"

namespace sim::packet {
namespace {

constexpr std::int64_t kPacket = 40'000;
constexpr std::int64_t kWire = 100'000;

TEST(Devices, EveryNodeAndLinkOfTheFabricIsAnNs3Object) {
  World world(star(5, {}));
  const ns3::Ptr<ns3::Node> hub = world.network.devices().node(NodeId(0));
  EXPECT_EQ(hub->GetNDevices(), 5U);
  const ns3::Ptr<LinkDevice> device = world.network.devices().device(LinkId(0));
  EXPECT_TRUE(device->IsPointToPoint());
  EXPECT_EQ(device->GetChannel()->GetNDevices(), 2U);
  EXPECT_EQ(device->GetChannel()->GetDevice(1), world.network.devices().device(LinkId(1)));
}

TEST(Devices, AnAttributeChangesWhatItsPortDoes) {
  World world(star(2, {}));
  world.network.devices().device(LinkId(0))->SetAttribute("Rate",
                                                          ns3::UintegerValue(50'000'000'000));
  ns3::UintegerValue rate;
  world.network.devices().device(LinkId(0))->GetAttribute("Rate", rate);
  EXPECT_EQ(rate.Get(), 50'000'000'000U);
  world.network.devices().device(LinkId(0))->SetAttribute("Delay",
                                                          ns3::TimeValue(ns3::NanoSeconds(300)));
  world.send(0, 0, 1, 40'000);
  world.run();
  EXPECT_EQ(world.time(0), 10 * 2 * kPacket + kPacket + 300'000 + kWire);
}

int g_sent = 0;  // ns-3 trace callbacks are plain functions
std::uint32_t g_bytes = 0;
void note(std::uint32_t /*transfer*/, std::uint32_t payload, std::uint32_t /*number*/) {
  ++g_sent;
  g_bytes += payload;
}

TEST(Devices, TheTraceSourceSeesEveryPacketOfItsLink) {
  World world(star(3, {}));
  g_sent = 0;
  g_bytes = 0;
  world.network.devices().device(LinkId(0))->TraceConnectWithoutContext("Sent",
                                                                        ns3::MakeCallback(&note));
  ns3::Simulator::Schedule(ns3::Time(0), [&] {
    world.send(0, 0, 1, 41'000);
    world.send(1, 2, 1, 41'000);
  });
  world.run();
  EXPECT_EQ(g_sent, 11);
  EXPECT_EQ(g_bytes, 41'000U);
}

std::int64_t g_received_at = 0;
std::uint32_t g_received_size = 0;
bool receive(ns3::Ptr<ns3::NetDevice> /*device*/, ns3::Ptr<const ns3::Packet> packet,
             std::uint16_t protocol, const ns3::Address& /*from*/) {
  g_received_at = ns3::Simulator::Now().GetPicoSeconds();
  g_received_size = packet->GetSize();
  return protocol == 0x0800;
}

TEST(Devices, AnNs3PacketCrossesTheLinkInTheSameQueueAsTheRecords) {
  World world(star(2, {}));
  const ns3::Ptr<LinkDevice> out = world.network.devices().device(LinkId(0));
  world.network.devices().device(LinkId(1))->SetReceiveCallback(ns3::MakeCallback(&receive));
  world.send(0, 0, 1, 4'000);  // takes the port first
  ns3::Simulator::Schedule(ns3::Time(0), [&] {
    EXPECT_TRUE(out->Send(ns3::Create<ns3::Packet>(2'000), out->GetBroadcast(), 0x0800));
  });
  world.run();
  EXPECT_EQ(g_received_size, 2'000U);
  EXPECT_EQ(g_received_at, kPacket + kPacket / 2 + kWire);
  EXPECT_FALSE(out->Send(ns3::Create<ns3::Packet>(60'000), out->GetBroadcast(), 0x0800));
}

}  // namespace
}  // namespace sim::packet
