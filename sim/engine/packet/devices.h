// SPDX-License-Identifier: GPL-2.0-only
// The ns-3 side of a fabric: one ns3::Node per node, one LinkDevice per link end, one LinkChannel
// per pair of links. They are handles: an attribute reads and writes the port it stands for, a
// trace source fires from it, and Send() puts an ns3::Packet on the same link, in the same queue,
// as the records.
#pragma once

#include <ns3/channel.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

#include "sim/engine/packet/ports.h"
#include "sim/engine/packet/transfers.h"
#include "sim/fabric/fabric.h"

namespace sim::packet {

class LinkDevice;

class Devices {
 public:
  Devices(const Fabric& fabric, Ports& ports, PacketPool& pool, RouteStore& routes);
  ~Devices();

  [[nodiscard]] ns3::Ptr<ns3::Node> node(NodeId id) const { return nodes_[index(id)]; }
  // The device that sends on this link.
  [[nodiscard]] ns3::Ptr<LinkDevice> device(LinkId id) const;

  // Sends a packet of the ns-3 world over one link.
  bool send(LinkId link, ns3::Ptr<ns3::Packet> packet, std::uint16_t protocol);
  void arrived(const Packet& packet);
  void lost(const Packet& packet);

  // Looks which trace sources are connected; ports of the others pay nothing.
  void note_traces();
  void trace_sent(std::uint32_t port, const Packet& packet);

 private:
  struct Foreign {
    ns3::Ptr<ns3::Packet> packet;
    std::uint32_t link = 0;
    std::uint16_t protocol = 0;
  };

  void add_device(const Fabric& fabric, LinkId link);
  void join(const Fabric& fabric);

  Ports& ports_;
  PacketPool& pool_;
  PathSet end_;  // an empty route
  std::vector<ns3::Ptr<ns3::Node>> nodes_;
  std::vector<ns3::Ptr<LinkDevice>> devices_;
  std::vector<std::uint32_t> reverse_;  // link -> the link back, or kNone
  Pool<Foreign> foreign_;
};

}  // namespace sim::packet
