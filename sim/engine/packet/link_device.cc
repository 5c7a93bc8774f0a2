// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/link_device.h"

#include <ns3/trace-source-accessor.h>
#include <ns3/uinteger.h>

#include <utility>

namespace sim::packet {

NS_OBJECT_ENSURE_REGISTERED(LinkChannel);
NS_OBJECT_ENSURE_REGISTERED(LinkDevice);

ns3::TypeId LinkChannel::GetTypeId() {
  static ns3::TypeId id =
      ns3::TypeId("ultrasim::LinkChannel")
          .SetParent<ns3::Channel>()
          .SetGroupName("ultrasim")
          .AddConstructor<LinkChannel>()
          .AddAttribute("Delay", "Propagation time of the wire.", ns3::TypeId::ATTR_GET,
                        ns3::TimeValue(ns3::Time(0)), ns3::MakeTimeAccessor(&LinkChannel::delay),
                        ns3::MakeTimeChecker());
  return id;
}

void LinkChannel::join(ns3::Ptr<LinkDevice> a, ns3::Ptr<LinkDevice> b) {
  devices_ = {std::move(a), std::move(b)};
}

std::size_t LinkChannel::GetNDevices() const { return devices_.size(); }
ns3::Ptr<ns3::NetDevice> LinkChannel::GetDevice(std::size_t i) const { return devices_[i]; }
ns3::Time LinkChannel::delay() const { return devices_.front()->delay(); }

void LinkChannel::DoDispose() {
  devices_.clear();
  ns3::Channel::DoDispose();
}

ns3::TypeId LinkDevice::GetTypeId() {
  static ns3::TypeId id =
      ns3::TypeId("ultrasim::LinkDevice")
          .SetParent<ns3::NetDevice>()
          .SetGroupName("ultrasim")
          .AddConstructor<LinkDevice>()
          .AddAttribute("Rate", "Bytes per second for packets, protocol overhead taken off.",
                        ns3::TypeId::ATTR_GET | ns3::TypeId::ATTR_SET, ns3::UintegerValue(1),
                        ns3::MakeUintegerAccessor(&LinkDevice::set_rate, &LinkDevice::rate),
                        ns3::MakeUintegerChecker<std::uint64_t>(1))
          .AddAttribute("Header", "Bytes on the wire beside the payload of each packet.",
                        ns3::TypeId::ATTR_GET | ns3::TypeId::ATTR_SET, ns3::UintegerValue(0),
                        ns3::MakeUintegerAccessor(&LinkDevice::set_header, &LinkDevice::header),
                        ns3::MakeUintegerChecker<std::uint32_t>())
          .AddAttribute("Delay", "Propagation time of the wire.",
                        ns3::TypeId::ATTR_GET | ns3::TypeId::ATTR_SET, ns3::TimeValue(ns3::Time(0)),
                        ns3::MakeTimeAccessor(&LinkDevice::set_delay, &LinkDevice::delay),
                        ns3::MakeTimeChecker(ns3::Time(0)))
          .AddTraceSource("Sent", "A packet begins to leave: transfer, payload bytes, number.",
                          ns3::MakeTraceSourceAccessor(&LinkDevice::sent_),
                          "ultrasim::LinkDevice::SentTrace");
  return id;
}

void LinkDevice::attach(Devices* devices, Ports* ports, LinkId link) {
  devices_ = devices;
  ports_ = ports;
  link_ = link;
}

void LinkDevice::DoDispose() {
  node_ = nullptr;
  channel_ = nullptr;
  devices_ = nullptr;
  ports_ = nullptr;
  ns3::NetDevice::DoDispose();
}

std::uint64_t LinkDevice::rate() const {
  return static_cast<std::uint64_t>(ports_->port(index(link_)).usable);
}

void LinkDevice::set_rate(std::uint64_t rate) {
  if (ports_ == nullptr) return;  // ns-3 sets initial values before the device has its port
  Port& port = ports_->port(index(link_));
  port.usable = static_cast<std::int64_t>(rate);
  ports_->set_full_payload(index(link_), port.full_payload);
}

std::uint32_t LinkDevice::header() const { return ports_->port(index(link_)).header; }

void LinkDevice::set_header(std::uint32_t header) {
  if (ports_ == nullptr) return;
  Port& port = ports_->port(index(link_));
  port.header = header;
  ports_->set_full_payload(index(link_), port.full_payload);
}

ns3::Time LinkDevice::delay() const {
  return ns3::TimeStep(static_cast<std::uint64_t>(ports_->port(index(link_)).latency));
}

void LinkDevice::set_delay(ns3::Time delay) {
  if (ports_ == nullptr) return;
  ports_->port(index(link_)).latency = delay.GetTimeStep();
}

void LinkDevice::SetAddress(ns3::Address address) {
  address_ = ns3::Mac48Address::ConvertFrom(address);
}

bool LinkDevice::SetMtu(const std::uint16_t mtu) {
  mtu_ = mtu;
  return true;
}

// The links of a fabric do not go up and down by themselves, so there is nothing to call back
// about.
void LinkDevice::AddLinkChangeCallback(ns3::Callback<void> /*callback*/) {}

ns3::Address LinkDevice::GetMulticast(ns3::Ipv4Address group) const {
  return ns3::Mac48Address::GetMulticast(group);
}

ns3::Address LinkDevice::GetMulticast(ns3::Ipv6Address group) const {
  return ns3::Mac48Address::GetMulticast(group);
}

bool LinkDevice::Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& /*to*/,
                      std::uint16_t protocol) {
  if (devices_ == nullptr || packet->GetSize() == 0 || packet->GetSize() > mtu_) return false;
  return devices_->send(link_, std::move(packet), protocol);
}

bool LinkDevice::SendFrom(ns3::Ptr<ns3::Packet> /*packet*/, const ns3::Address& /*from*/,
                          const ns3::Address& /*to*/, std::uint16_t /*protocol*/) {
  return false;  // SupportsSendFrom() says so
}

void LinkDevice::receive(ns3::Ptr<ns3::Packet> packet, std::uint16_t protocol,
                         ns3::Ptr<LinkDevice> from) {
  if (!sniff_.IsNull()) {
    sniff_(this, packet, protocol, from->GetAddress(), address_, PACKET_HOST);
  }
  if (!receive_.IsNull()) receive_(this, packet, protocol, from->GetAddress());
}

}  // namespace sim::packet
