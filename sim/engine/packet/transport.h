// SPDX-License-Identifier: GPL-2.0-only
// The seam of transports: who decides when a transfer's next packet may leave, and what its arrival
// means. Plain transfers rely on lossless links; reliable ones (reliable.h) pace, acknowledge and
// repeat, with congestion control of their own kinds (congestion.h).
#pragma once

#include <cstdint>

#include "sim/engine/packet/records.h"

namespace sim::packet {

class TransportClient {
 public:
  virtual ~TransportClient() = default;
  virtual void received(std::uint32_t live, std::int64_t time) = 0;  // every byte is in, once, then
  // Its last packet came in `time` after it had first left: it was repeated.
  virtual void repaired(std::uint32_t live, std::int64_t time) = 0;
  virtual void give_up(std::uint32_t live, bool refused) = 0;  // it never will: lost, or refused
  virtual void retire(std::uint32_t live) = 0;           // nothing refers to the transfer any more
  virtual void nothing_to_send(std::uint32_t live) = 0;  // leaves its port's turn, if it is in it
  virtual void send_again(std::uint32_t live) = 0;       // has something to send at its port again
  virtual void ports_may_send(std::uint32_t live) = 0;   // a window opened: ask its ports
  // Path `path` of the transfer, there and back, is about to be used.
  virtual void find_path(std::uint32_t live, std::uint16_t path) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual void open(std::uint32_t live) = 0;
  // Size of the packet it would send now; 0 when it may not send.
  [[nodiscard]] virtual std::uint32_t may_send(std::uint32_t live) = 0;
  // Makes that packet (its fields but `next` and `held`). Returns true when the transfer has
  // nothing more to send for now.
  virtual bool fill(std::uint32_t live, Packet& packet) = 0;
  // A packet reached the end of its route, or was lost; the caller frees it afterwards.
  virtual void arrived(const Packet& packet) = 0;
  virtual void lost(const Packet& packet) = 0;
  virtual void timer(std::uint32_t connection) = 0;
};

}  // namespace sim::packet
