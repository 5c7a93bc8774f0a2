// SPDX-License-Identifier: GPL-2.0-only
// Plain: the transport of lossless links. Every packet may go at once, nothing is acknowledged;
// packets take the paths of a pair in turn. The semaphore that tells the receiver, where it is
// modelled (`dma.semaphore`), is a last packet on the way of the one before it.
#pragma once

#include "sim/engine/packet/transfers.h"
#include "sim/engine/packet/transport.h"

namespace sim::packet {

class Plain final : public Transport {
 public:
  Plain(Pool<LiveTransfer>& transfers, TransportClient& client)
      : transfers_(transfers), client_(client) {}

  void open(std::uint32_t /*live*/) override {}
  // On the hot path, so defined here: called directly for plain transfers.
  std::uint32_t may_send(std::uint32_t live) override {
    const LiveTransfer& transfer = transfers_[live];
    const std::int64_t data = transfer.unsent - transfer.semaphore;
    if (data >= transfer.payload) [[likely]]
      return transfer.payload;
    return data > 0 ? static_cast<std::uint32_t>(data) : transfer.semaphore;
  }
  bool fill(std::uint32_t live, Packet& packet) override {
    LiveTransfer& transfer = transfers_[live];
    packet.kind = PacketKind::kPlain;
    packet.transfer = live;
    packet.lane = transfer.lane;
    packet.payload = may_send(live);
    packet.number = transfer.packets++;
    packet.path = 0;
    if (transfer.data.paths > 1) {  // a semaphore takes the way of the packet before it
      const bool follows = transfer.unsent == transfer.semaphore;
      packet.path =
          static_cast<std::uint16_t>((packet.number - (follows ? 1 : 0)) % transfer.data.paths);
    }
    packet.route = transfer.data.path(packet.path) + 1;  // the first link is the port it leaves by
    transfer.unsent -= packet.payload;
    return transfer.unsent == 0;
  }
  // Its packets need no event of their own for arriving: only the last one matters.
  void arriving(const Packet& packet, std::int64_t time) {
    LiveTransfer& transfer = transfers_[packet.transfer];
    transfer.missing -= packet.payload;
    if (time > transfer.last_in) transfer.last_in = time;
    if (transfer.missing <= 0) finish(packet.transfer);
  }
  void arrived(const Packet& packet) override;
  void lost(const Packet& packet) override;
  void timer(std::uint32_t connection) override;

 private:
  void finish(std::uint32_t live);

  Pool<LiveTransfer>& transfers_;
  TransportClient& client_;
};

}  // namespace sim::packet
