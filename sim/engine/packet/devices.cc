// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/devices.h"

#include <utility>

#include "sim/engine/packet/link_device.h"

namespace sim::packet {

Devices::Devices(const Fabric& fabric, Ports& ports, PacketPool& pool, RouteStore& routes)
    : ports_(ports), pool_(pool), end_(routes.take(1, 0)) {
  for (std::size_t i = 0; i < fabric.nodes().size(); ++i) {
    nodes_.push_back(ns3::CreateObject<ns3::Node>());
  }
  for (std::uint32_t i = 0; i < fabric.links().size(); ++i) add_device(fabric, LinkId(i));
  join(fabric);
}

Devices::~Devices() = default;

void Devices::add_device(const Fabric& fabric, LinkId link) {
  auto device = ns3::CreateObject<LinkDevice>();
  device->attach(this, &ports_, link);
  device->SetAddress(ns3::Mac48Address::Allocate());
  nodes_[index(fabric.link(link).from)]->AddDevice(device);
  devices_.push_back(std::move(device));
}

// Links built as pairs stand next to each other, one each way.
void Devices::join(const Fabric& fabric) {
  reverse_.assign(devices_.size(), kNone);
  for (std::uint32_t i = 0; i + 1 < devices_.size(); ++i) {
    const Link& there = fabric.link(LinkId(i));
    const Link& back = fabric.link(LinkId(i + 1));
    if (there.from != back.to || there.to != back.from) continue;
    auto channel = ns3::CreateObject<LinkChannel>();
    channel->join(devices_[i], devices_[i + 1]);
    devices_[i]->set_channel(channel);
    devices_[i + 1]->set_channel(channel);
    reverse_[i] = i + 1;
    reverse_[i + 1] = i;
    ++i;
  }
}

ns3::Ptr<LinkDevice> Devices::device(LinkId id) const { return devices_[index(id)]; }

bool Devices::send(LinkId link, ns3::Ptr<ns3::Packet> packet, std::uint16_t protocol) {
  if (reverse_[index(link)] == kNone) return false;  // nobody listens at the far end
  const std::uint32_t slot = foreign_.take();
  foreign_[slot] = {packet, index(link), protocol};
  const std::uint32_t number = pool_.take();
  Packet& record = pool_[number];
  record = Packet{};
  record.kind = PacketKind::kForeign;
  record.transfer = slot;
  record.payload = packet->GetSize();
  record.route = end_.first;
  ports_.offer(index(link), number);
  return true;
}

void Devices::arrived(const Packet& packet) {
  const Foreign foreign = foreign_[packet.transfer];
  lost(packet);
  devices_[reverse_[foreign.link]]->receive(foreign.packet, foreign.protocol,
                                            devices_[foreign.link]);
}

void Devices::lost(const Packet& packet) {
  foreign_[packet.transfer] = {};
  foreign_.give(packet.transfer);
}

void Devices::note_traces() {
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    ports_.port(i).traced = !devices_[i]->sent().IsEmpty();
  }
}

void Devices::trace_sent(std::uint32_t port, const Packet& packet) {
  devices_[port]->sent()(packet.transfer, packet.payload, packet.number);
}

}  // namespace sim::packet
