// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/plain.h"

#include <algorithm>

namespace sim::packet {

std::uint32_t Plain::may_send(std::uint32_t live) {
  const LiveTransfer& transfer = transfers_[live];
  return static_cast<std::uint32_t>(std::min<std::int64_t>(transfer.payload, transfer.unsent));
}

bool Plain::fill(std::uint32_t live, Packet& packet) {
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

void Plain::arrived(const Packet& packet) {
  LiveTransfer& transfer = transfers_[packet.transfer];
  transfer.missing -= packet.payload;
  CHECK(transfer.missing >= 0);
  if (transfer.missing > 0) return;
  CHECK(transfer.unsent == 0);
  client_.received(packet.transfer);
  client_.retire(packet.transfer);
}

void Plain::lost(const Packet& /*packet*/) { CHECK(false); }     // lossless links never drop
void Plain::timer(std::uint32_t /*live*/) { CHECK(false); }      // and set no timers

}  // namespace sim::packet
