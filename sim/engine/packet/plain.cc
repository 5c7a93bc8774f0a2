// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/plain.h"

namespace sim::packet {

void Plain::finish(std::uint32_t live) {
  const LiveTransfer& transfer = transfers_[live];
  CHECK(transfer.missing == 0 && transfer.unsent == 0);  // every byte once
  client_.received(live, transfer.last_in);
  client_.retire(live);
}

void Plain::arrived(const Packet& /*packet*/) { CHECK(false); }    // see arriving()
void Plain::lost(const Packet& /*packet*/) { CHECK(false); }       // lossless links never drop
void Plain::timer(std::uint32_t /*connection*/) { CHECK(false); }  // and set no timers

}  // namespace sim::packet
