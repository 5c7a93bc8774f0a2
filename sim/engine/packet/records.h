// SPDX-License-Identifier: GPL-2.0-only
// The hot state of the packet level, as plain records in arrays: a packet is 32 bytes, a port is
// one cache line. The ns-3 devices of link_device.h are handles onto these ports. All times in ps,
// sizes in bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/base/check.h"

namespace sim::packet {

inline constexpr std::uint32_t kNone = 0xffff'ffffU;
inline constexpr std::uint32_t kRouteEnd = 0xffff'ffffU;
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

enum EventKind : std::uint32_t {
  kOrdinaryEvent = 0,  // WheelSimulator::kOrdinary
  kArrive,             // packet: ready at its next port, or at the end of its route
  kDepart,             // port: may send again
  kStart,              // waiting transfer: its start cost is paid
  kFinish,             // op: last byte is in memory
  kWake,               // op
  kTimer,              // connection: retransmission
  kPace,               // connection: its rate lets it send again
  kBackgroundDue,      // load: its next packet
  kFlush,              // transfer: an acknowledgement has waited long enough
  kSample,             // a period of a recording is over
};

enum class PacketKind : std::uint8_t {
  kPlain,
  kReliable,
  kAcknowledgement,   // of packet `number`
  kAcknowledgements,  // of a batch of packets
  kNotReady,          // the receiver had no room for packet `number`
  kForeign,
  kBackground,  // of a neighbour's load: counts for nothing when it arrives
};

// Packet::marks
inline constexpr std::uint8_t kCongestionMet = 1;   // ECN: a queue above the threshold
inline constexpr std::uint8_t kCongestionEcho = 2;  // the acknowledgement of such a packet
inline constexpr std::uint8_t kDamaged = 4;         // thrown away at the end of its way

struct Packet {
  std::uint32_t transfer = 0;  // live transfer, or slot of a foreign packet
  std::uint32_t route = 0;     // place in the RouteStore of the next link to take
  std::uint32_t next = kNone;  // in a port's queue or the free list
  std::uint32_t held = kNone;  // lane whose receiving buffer it occupies
  std::uint32_t payload = 0;
  std::uint32_t number = 0;  // within its transfer
  PacketKind kind = PacketKind::kPlain;
  std::uint8_t lane = 0;
  std::uint16_t path = 0;
  std::uint8_t marks = 0;
};
static_assert(sizeof(Packet) == 32);

class PacketPool {
 public:
  std::uint32_t take() {
    if (free_ == kNone) {
      packets_.emplace_back();
      return static_cast<std::uint32_t>(packets_.size() - 1);
    }
    const std::uint32_t packet = free_;
    free_ = packets_[packet].next;
    return packet;
  }
  void give(std::uint32_t packet) {
    packets_[packet].next = free_;
    free_ = packet;
  }
  Packet& operator[](std::uint32_t packet) { return packets_[packet]; }
  [[nodiscard]] const Packet* data() const { return packets_.data(); }

 private:
  std::vector<Packet> packets_;
  std::uint32_t free_ = kNone;
};

// One direction of a link: the sending side.
struct alignas(64) Port {
  std::int64_t busy_until = 0;
  std::int64_t next_depart = kNever;  // the one departure event that counts
  std::int64_t latency = 0;           // of the wire
  std::int64_t node_latency = 0;      // of the node it leads to, when it forwards (Fabric::passing)
  std::int64_t full_ps = 0;           // time on the wire of a packet with `full_payload`
  std::int64_t usable = 0;            // bytes/s for packets
  std::uint32_t full_payload = 0;
  std::uint32_t header = 0;
  std::uint32_t local_payload = 0;  // of the local packet in turn, for credits; 0: not known
  std::uint16_t island = 0;
  std::uint16_t turn : 5 = 0;       // who was asked last: lanes, then local transfers
  bool credits : 1 = false;         // the receiving buffer grants credits
  bool lossy : 1 = false;           // drops at a full queue
  bool waits_for_tail : 1 = false;  // the node it leads to stores and forwards
  bool has_local : 1 = false;       // a transfer that starts here may have something to send
  bool traced : 1 = false;
  bool to_core : 1 = false;      // hands over to a core: its chip does not forward
  bool impaired : 1 = false;     // see impairments.h
  bool round_robin : 1 = false;  // its packets leave by turns of the inputs they came from
  bool marks : 1 = false;        // ECN
  bool bursts : 1 = false;       // only local transfers ever come here, and nothing is lost
  bool express : 1 = false;      // first come, first served without limit: see Ports::offer
};
static_assert(sizeof(Port) == 64);

// A queue of one port and lane, with the credits of the buffer at the far end.
struct Lane {
  std::uint32_t head = kNone;          // the packet that leaves next
  std::uint32_t tail = kNone;          // round robin: the Input that was served last
  std::int64_t credits = 0;            // bytes free at the receiver, as the sender knows
  std::int64_t queued = 0;             // bytes waiting here
  std::uint32_t release_head = kNone;  // credits on their way back, by time
  std::uint32_t release_tail = kNone;
  bool blocked = false;  // waits for a credit that nobody has promised yet
};

// What one input of a node has waiting for one output and lane; inputs with anything stand in a
// ring, in the order of their turns.
struct Input {
  std::uint32_t head = kNone;
  std::uint32_t tail = kNone;
  std::uint32_t next = kNone;
};

struct PortUse {
  std::int64_t busy_ps = 0;
  std::int64_t payload = 0;
  std::int64_t packets = 0;
  std::int64_t dropped = 0;
};

}  // namespace sim::packet
