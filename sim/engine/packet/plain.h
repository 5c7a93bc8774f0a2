// SPDX-License-Identifier: GPL-2.0-only
// Plain: the transport of lossless links. Every packet may go at once, nothing is acknowledged;
// packets take the paths of a pair in turn.
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
    return transfer.unsent < transfer.payload ? static_cast<std::uint32_t>(transfer.unsent)
                                              : transfer.payload;
  }
  bool fill(std::uint32_t live, Packet& packet) override {
    LiveTransfer& transfer = transfers_[live];
    packet.kind = PacketKind::kPlain;
    packet.transfer = live;
    packet.lane = transfer.lane;
    packet.payload = may_send(live);
    packet.number = transfer.packets++;
    packet.path = static_cast<std::uint16_t>(
        transfer.data.paths == 1 ? 0 : packet.number % transfer.data.paths);
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
