// SPDX-License-Identifier: GPL-2.0-only
// Sources: the transfers that start at each port. Waiting ones queue in order; up to `dma.queues`
// are live and take turns, one packet each. Tells Port::has_local truly, so that idle ports cost
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/engine/packet/plain.h"
#include "sim/engine/packet/ports.h"
#include "sim/engine/packet/transfers.h"
#include "sim/engine/packet/transport.h"

namespace sim::packet {

// Makes waiting transfers live.
class Activator {
 public:
  virtual ~Activator() = default;
  virtual std::uint32_t activate(const WaitingTransfer& waiting) = 0;
};

class Sources {
 public:
  // `plain` serves the transfers that are not reliable, `reliable` the others.
  Sources(Ports& ports, PacketPool& packets, Pool<LiveTransfer>& transfers, Activator& activator,
          Plain& plain, Transport& reliable, std::uint32_t most_live, bool one_lane);

  // Keeps a transfer until `enqueue` is called with the number returned.
  std::uint32_t keep(const WaitingTransfer& waiting);
  void enqueue(std::uint32_t waiting);
  // A live transfer has something to send again.
  void put_back(std::uint32_t live);
  // A live transfer has nothing more to send, without having sent.
  void take_out(std::uint32_t live);
  // Asks `port` again, if anything is live or waiting there.
  void wake(std::uint32_t port);
  // See PortClient::next_local.
  std::uint32_t next_packet(std::uint32_t port);
  // See PortClient::local_burst.
  std::size_t burst(std::uint32_t port, std::span<std::uint32_t> packets);

  // Transfers that wait or whose start cost is not paid yet; 0 at the end of a run.
  [[nodiscard]] std::size_t kept() const { return waiting_.in_use(); }

 private:
  struct Source {
    std::uint32_t head = kNone;  // waiting
    std::uint32_t tail = kNone;
    std::vector<std::uint32_t> live;  // in turn order
    std::size_t cursor = 0;
  };

  Source& source(std::uint32_t port);
  void make_live(Source& source);
  [[nodiscard]] std::uint32_t size_in_turn(const Source& source) const;
  std::uint32_t send_from(std::uint32_t port, Source& source, std::size_t place);
  std::uint32_t take_packet(Source& source, std::size_t place);
  void tell(std::uint32_t port, const Source& source);

  Ports& ports_;
  PacketPool& packets_;
  Pool<LiveTransfer>& transfers_;
  Activator& activator_;
  Plain& plain_;
  Transport& reliable_;
  std::uint32_t most_live_;
  bool one_lane_;
  WaitingPool waiting_;
  std::vector<std::uint32_t> number_;  // by port, into sources_
  std::vector<Source> sources_;
};

}  // namespace sim::packet
