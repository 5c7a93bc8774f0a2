// SPDX-License-Identifier: GPL-2.0-only
// Reliable: the transport over lossy Ethernet between NICs. A window per NIC pair and one per NIC,
// packets sprayed over the paths of the Clos in turn, arrival in any order, one acknowledgement per
// packet (a real packet on the way back), and a timer that repeats what was not acknowledged. The
// window of a pair halves when a timer finds losses and grows by a packet per window acknowledged,
// up to its limit. Delivers every byte once; gives up after a limit of repeats. SRD's congestion
// control, from round trips and rates, comes on this seam later.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/engine/packet/ports.h"
#include "sim/engine/packet/transfers.h"
#include "sim/engine/packet/transport.h"

namespace sim::packet {

struct ReliableOptions {
  std::int64_t window = 0;            // most bytes in flight per NIC pair
  std::int64_t nic_window = 0;        // bytes in flight per NIC
  std::int64_t timer = 0;             // ps until a packet is sent again
  std::uint32_t limit = 0;            // repeats of one packet before giving up
  std::uint32_t acknowledgement = 0;  // bytes
};

// What `open` needs to know of a transfer's way, worked out by the network.
struct ReliableWay {
  std::uint32_t from_nic = 0;  // node numbers
  std::uint32_t to_nic = 0;
  PathSet back;  // NIC to NIC, one path per data path
};

class Reliable final : public Transport {
 public:
  Reliable(Pool<LiveTransfer>& transfers, TransportClient& client, Ports& ports,
           WheelSimulator& simulator, PacketPool& packets, const ReliableOptions& options);

  void set_way(std::uint32_t live, const ReliableWay& way);  // before open()
  [[nodiscard]] const ReliableWay& way(std::uint32_t live) const;

  void open(std::uint32_t live) override;
  std::uint32_t may_send(std::uint32_t live) override;
  bool fill(std::uint32_t live, Packet& packet) override;
  void arrived(const Packet& packet) override;
  void lost(const Packet& packet) override;
  void timer(std::uint32_t live) override;

  [[nodiscard]] std::uint64_t repeats() const { return repeats_; }
  [[nodiscard]] std::uint64_t acknowledgements() const { return acknowledgements_; }
  // Bytes that count against windows, over all NICs; 0 when everything is acknowledged.
  [[nodiscard]] std::int64_t in_flight() const;
  // Ports that feed a NIC: asked again when its window opens.
  [[nodiscard]] const std::vector<std::uint32_t>& ports_of(std::uint32_t live) const;

 private:
  struct Sent {
    std::int64_t at = 0;
    std::uint32_t tries = 0;
    bool counted = false;  // counts against the windows
    bool acknowledged = false;
    bool received = false;
    bool waiting = false;  // in the repeat list
  };
  struct State {
    ReliableWay way;
    std::uint32_t pair = 0;
    std::uint32_t nic = 0;
    std::vector<Sent> sent;
    std::vector<std::uint32_t> again;  // packet numbers to repeat, oldest last
    std::uint32_t unacknowledged = 0;  // packets
    std::uint32_t references = 0;      // packets and timers under way
    bool timer_runs = false;
    bool received = false;
    bool dead = false;
  };
  struct Pair {
    std::int64_t in_flight = 0;
    std::int64_t window = 0;
  };
  struct Nic {
    std::int64_t in_flight = 0;
    std::vector<std::uint32_t> ports;
  };

  [[nodiscard]] State& state(std::uint32_t live) { return states_[transfers_[live].state]; }
  [[nodiscard]] std::uint32_t payload_of(const LiveTransfer& transfer, std::uint32_t number) const;
  void count(State& state, Sent& sent, std::int64_t bytes);
  void uncount(State& state, Sent& sent, std::int64_t bytes);
  void shrink(State& state, std::int64_t least);
  void grow(State& state, std::int64_t bytes);
  void data_arrived(const Packet& packet);
  void acknowledgement_arrived(const Packet& packet);
  void acknowledge(const Packet& packet);
  void start_timer(std::uint32_t live, State& state, std::int64_t at);
  void release(std::uint32_t live);
  bool repeat_overdue(std::uint32_t live, State& state, std::int64_t* next);

  Pool<LiveTransfer>& transfers_;
  TransportClient& client_;
  Ports& ports_;
  WheelSimulator& simulator_;
  PacketPool& packets_;
  ReliableOptions options_;
  Pool<State> states_;
  std::unordered_map<std::uint64_t, std::uint32_t> pair_number_;  // looked up only
  std::unordered_map<std::uint32_t, std::uint32_t> nic_number_;
  std::vector<Pair> pairs_;
  std::vector<Nic> nics_;
  std::uint64_t repeats_ = 0;
  std::uint64_t acknowledgements_ = 0;
};

}  // namespace sim::packet
