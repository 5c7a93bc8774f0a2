// SPDX-License-Identifier: GPL-2.0-only
// LinkDevice: the ns3::NetDevice of one link's sending side; LinkChannel: the pair of links between
// two nodes. Attributes: Rate (bytes/s), Header (bytes), Delay (the wire's). Trace source: Sent
// (transfer, payload bytes, packet number). Addresses are 48-bit numbers of the link; there is no
// broadcast.
#pragma once

#include <ns3/channel.h>
#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/nstime.h>
#include <ns3/traced-callback.h>

#include <cstdint>

#include "sim/engine/packet/devices.h"

namespace sim::packet {

class LinkChannel final : public ns3::Channel {
 public:
  static ns3::TypeId GetTypeId();
  void join(ns3::Ptr<LinkDevice> a, ns3::Ptr<LinkDevice> b);
  std::size_t GetNDevices() const override;
  ns3::Ptr<ns3::NetDevice> GetDevice(std::size_t i) const override;

 private:
  void DoDispose() override;
  ns3::Time delay() const;

  std::vector<ns3::Ptr<LinkDevice>> devices_;
};

class LinkDevice final : public ns3::NetDevice {
 public:
  using SentTrace = ns3::TracedCallback<std::uint32_t, std::uint32_t, std::uint32_t>;

  static ns3::TypeId GetTypeId();
  void attach(Devices* devices, Ports* ports, LinkId link);
  void set_channel(ns3::Ptr<LinkChannel> channel) { channel_ = std::move(channel); }
  void receive(ns3::Ptr<ns3::Packet> packet, std::uint16_t protocol, ns3::Ptr<LinkDevice> from);
  [[nodiscard]] const SentTrace& sent() const { return sent_; }

  std::uint64_t rate() const;  // bytes per second
  void set_rate(std::uint64_t rate);
  std::uint32_t header() const;
  void set_header(std::uint32_t header);
  ns3::Time delay() const;
  void set_delay(ns3::Time delay);

  // ns3::NetDevice
  void SetIfIndex(const std::uint32_t index) override { if_index_ = index; }
  std::uint32_t GetIfIndex() const override { return if_index_; }
  ns3::Ptr<ns3::Channel> GetChannel() const override { return channel_; }
  void SetAddress(ns3::Address address) override;
  ns3::Address GetAddress() const override { return address_; }
  bool SetMtu(const std::uint16_t mtu) override;
  std::uint16_t GetMtu() const override { return mtu_; }
  bool IsLinkUp() const override { return devices_ != nullptr; }
  void AddLinkChangeCallback(ns3::Callback<void> callback) override;
  bool IsBroadcast() const override { return false; }
  ns3::Address GetBroadcast() const override { return ns3::Mac48Address::GetBroadcast(); }
  bool IsMulticast() const override { return false; }
  ns3::Address GetMulticast(ns3::Ipv4Address group) const override;
  ns3::Address GetMulticast(ns3::Ipv6Address group) const override;
  bool IsBridge() const override { return false; }
  bool IsPointToPoint() const override { return true; }
  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& to, std::uint16_t protocol) override;
  bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address& from, const ns3::Address& to,
                std::uint16_t protocol) override;
  ns3::Ptr<ns3::Node> GetNode() const override { return node_; }
  void SetNode(ns3::Ptr<ns3::Node> node) override { node_ = std::move(node); }
  bool NeedsArp() const override { return false; }
  void SetReceiveCallback(ReceiveCallback callback) override { receive_ = callback; }
  void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override { sniff_ = callback; }
  bool SupportsSendFrom() const override { return false; }

 private:
  void DoDispose() override;

  Devices* devices_ = nullptr;
  Ports* ports_ = nullptr;
  LinkId link_{};
  ns3::Ptr<ns3::Node> node_;
  ns3::Ptr<LinkChannel> channel_;
  ns3::Mac48Address address_;
  ReceiveCallback receive_;
  PromiscReceiveCallback sniff_;
  SentTrace sent_;
  std::uint32_t if_index_ = 0;
  std::uint16_t mtu_ = 9000;
};

}  // namespace sim::packet
