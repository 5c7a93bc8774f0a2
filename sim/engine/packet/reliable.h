// SPDX-License-Identifier: GPL-2.0-only
// Reliable: what all transports over lossy Ethernet between NICs share. Packets over the paths of
// the Clos, arrival in any order, acknowledgements (real packets on the way back, one each or
// several in one), and a timer per connection that repeats what was not acknowledged. How much may
// be in flight and which path comes next is for congestion.h. Delivers every byte once; gives a
// transfer up after a limit of repeats.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/engine/packet/congestion.h"
#include "sim/engine/packet/ports.h"
#include "sim/engine/packet/transfers.h"
#include "sim/engine/packet/transport.h"

namespace sim::packet {

enum class TransportKind : std::uint8_t { kSrd, kWindow, kDcqcn, kIdeal };

inline constexpr std::uint32_t kRetryForEver =
    7;  // of RNR retries, as InfiniBand and EFA count them

struct ReliableOptions {
  TransportKind kind = TransportKind::kWindow;
  std::int64_t window = 0;            // most bytes in flight per NIC pair
  std::int64_t nic_window = 0;        // bytes in flight per NIC
  std::int64_t timer = 0;             // least ps until a packet is sent again
  std::uint32_t limit = 0;            // repeats of one packet before giving up
  std::uint32_t acknowledgement = 0;  // bytes
  std::uint32_t ack_every = 1;        // packets that one acknowledgement stands for
  std::int64_t ack_delay = 0;         // ps that an acknowledgement waits for more packets, at most
  std::int64_t target_queue = 0;      // srd: ps of queueing that it aims at
  std::uint64_t not_ready = 0;        // chance that a receiver is not ready, parts per billion
  std::int64_t not_ready_timer = 0;   // ps until the sender tries again
  std::uint32_t not_ready_limit = kRetryForEver;  // refusals of one packet before giving up
};

// What `open` needs to know of a transfer's way, worked out by the network.
struct ReliableWay {
  std::uint32_t from_nic = 0;  // node numbers
  std::uint32_t to_nic = 0;
  PathSet back;  // NIC to NIC, one path per data path
  EndpointId from{};
  EndpointId to{};
  std::uint32_t paths = 1;  // that the routes have between the two
  std::uint32_t start = 0;  // the transfer's path 0 among them
  bool one_nic = false;     // only paths between `from_nic` and `to_nic`
};

class Reliable final : public Transport {
 public:
  Reliable(Pool<LiveTransfer>& transfers, TransportClient& client, Ports& ports,
           WheelSimulator& simulator, PacketPool& packets, const ReliableOptions& options,
           std::int64_t line_rate, std::uint64_t seed);

  void set_way(std::uint32_t live, const ReliableWay& way);  // before open()
  [[nodiscard]] const ReliableWay& way(std::uint32_t live) const;
  void set_back(std::uint32_t live, const PathSet& back) { state(live).way.back = back; }

  void open(std::uint32_t live) override;
  std::uint32_t may_send(std::uint32_t live) override;
  bool fill(std::uint32_t live, Packet& packet) override;
  void arrived(const Packet& packet) override;
  void lost(const Packet& packet) override;
  void timer(std::uint32_t connection) override;
  void pace(std::uint32_t peer);   // a paced connection may send again
  void flush(std::uint32_t live);  // an acknowledgement has waited long enough

  [[nodiscard]] std::uint64_t repeats() const { return repeats_; }
  [[nodiscard]] std::uint64_t acknowledgements() const { return acknowledgements_; }
  // Bytes that count against windows, over all NICs; 0 when everything is acknowledged.
  [[nodiscard]] std::int64_t in_flight() const;
  // Ports that feed a NIC: asked again when its window opens.
  [[nodiscard]] const std::vector<std::uint32_t>& ports_of(std::uint32_t live) const;

 private:
  struct Sent {
    std::int64_t at = 0;
    std::int64_t first = 0;
    std::uint16_t tries = 0;
    std::uint16_t path = 0;
    std::uint8_t refusals = 0;  // not ready: up to 255, and no tries
    bool refused : 1 = false;   // the last of them
    bool counted : 1 = false;   // counts against the windows
    bool acknowledged : 1 = false;
    bool received : 1 = false;
    bool waiting : 1 = false;  // in the repeat list
  };
  static_assert(sizeof(Sent) == 24);  // millions of them
  struct State {
    ReliableWay way;
    std::uint32_t peer = 0;
    std::vector<Sent> sent;
    std::vector<std::uint32_t> again;    // packet numbers to repeat, oldest last
    std::vector<std::uint32_t> pending;  // received, acknowledgement held back
    std::int64_t pending_since = 0;
    std::uint32_t first_open = 0;      // packets before it are acknowledged
    std::uint32_t unacknowledged = 0;  // packets
    std::uint32_t references = 0;      // packets and events under way
    bool flush_runs = false;           // a flush event is under way
    bool received = false;
    bool dead = false;
  };
  struct Peer {  // the other NIC of a connection
    Connection connection;
    std::vector<std::uint32_t> open;  // transfers
    std::int64_t timer_at = kNever;   // the one timer event that counts
    std::int64_t round_trip = 0;      // largest of late
    std::uint32_t nic = 0;
    std::uint16_t island = 0;
    bool pace_runs = false;
  };
  struct Nic {
    std::int64_t in_flight = 0;
    std::vector<std::uint32_t> ports;
    bool blocked = false;  // a window was too small for somebody
  };

  [[nodiscard]] State& state(std::uint32_t live) { return states_[transfers_[live].state]; }
  [[nodiscard]] std::uint32_t payload_of(const LiveTransfer& transfer, std::uint32_t number) const;
  [[nodiscard]] std::uint32_t peer_of(const LiveTransfer& transfer, const ReliableWay& way);
  void count(State& state, Sent& sent, std::int64_t bytes);
  void uncount(State& state, Sent& sent, std::int64_t bytes);
  bool paced(Peer& peer, std::uint32_t number);
  void data_arrived(const Packet& packet);
  void refused(const Packet& packet);
  void acknowledged(const Packet& packet, std::uint32_t number, bool sample);
  void windows_opened(std::uint32_t live);
  void acknowledge(const Packet& data, bool duplicate);
  void answer(const Packet& data, PacketKind kind, std::uint32_t number);
  void flush_at(std::uint32_t live, std::int64_t time);
  void flush_now(const Packet& data, State& state);
  [[nodiscard]] std::int64_t timeout(const Peer& peer, const Sent& sent) const;
  void start_timer(std::uint32_t peer, std::int64_t at);
  void release(std::uint32_t live);
  struct Overdue {
    std::int64_t next = kNever;  // when the next packet will be
    bool lost = false;           // a packet was lost, not refused
  };
  bool repeat_overdue(std::uint32_t live, State& state, Overdue& overdue);
  void abandon(std::uint32_t live, State& state, bool refused);
  void close(std::uint32_t live, State& state);

  Pool<LiveTransfer>& transfers_;
  TransportClient& client_;
  Ports& ports_;
  WheelSimulator& simulator_;
  PacketPool& packets_;
  ReliableOptions options_;
  std::uint64_t seed_;
  std::unique_ptr<Congestion> congestion_;
  std::vector<State> states_;
  std::vector<std::uint32_t> free_states_;
  std::unordered_map<std::uint64_t, std::uint32_t> peer_number_;  // looked up only
  std::unordered_map<std::uint32_t, std::uint32_t> nic_number_;
  std::vector<Peer> peers_;
  std::vector<Nic> nics_;
  std::vector<std::vector<std::uint32_t>> batches_;  // packet numbers of joint acknowledgements
  std::vector<std::uint32_t> free_batches_;
  std::uint64_t repeats_ = 0;
  std::uint64_t acknowledgements_ = 0;
};

}  // namespace sim::packet
