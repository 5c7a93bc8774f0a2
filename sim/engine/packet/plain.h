// SPDX-License-Identifier: GPL-2.0-only
// Plain: the transport of lossless links. Every packet may go at once, nothing is acknowledged; packets
// take the paths of a pair in turn.
#pragma once

#include "sim/engine/packet/transfers.h"
#include "sim/engine/packet/transport.h"

namespace sim::packet {

class Plain final : public Transport {
 public:
  Plain(Pool<LiveTransfer>& transfers, TransportClient& client)
      : transfers_(transfers), client_(client) {}

  void open(std::uint32_t /*live*/) override {}
  std::uint32_t may_send(std::uint32_t live) override;
  bool fill(std::uint32_t live, Packet& packet) override;
  void arrived(const Packet& packet) override;
  void lost(const Packet& packet) override;
  void timer(std::uint32_t live) override;

 private:
  Pool<LiveTransfer>& transfers_;
  TransportClient& client_;
};

}  // namespace sim::packet
