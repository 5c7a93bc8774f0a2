// SPDX-License-Identifier: GPL-2.0-only
// Ports: every link's sending side, with a real FIFO per lane, credits of finite receiving buffers,
// cut-through and store-and-forward, drops at full lossy queues. A departure event exists only
// while a port has work and is busy or waits for credits that are on their way.
// Fairness: a free port asks its lanes and its local transfers in turn, one packet each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/packet/impairments.h"
#include "sim/engine/packet/islands.h"
#include "sim/engine/packet/queueing.h"
#include "sim/engine/packet/records.h"
#include "sim/engine/packet/route_store.h"
#include "sim/engine/packet/simulator.h"
#include "sim/fabric/fabric.h"

namespace sim::packet {

class PortClient {
 public:
  virtual ~PortClient() = default;
  // The next packet of a transfer that starts at `port`, ready to be sent there; kNone when none
  // may go. Asked while Port::has_local; the client clears that when it has nothing until it kicks
  // again.
  virtual std::uint32_t next_local(std::uint32_t port) = 0;
  // As many of the next local packets as are the same whenever they are asked for, since nothing
  // that may still start here can come before them; at most packets.size().
  virtual std::size_t local_burst(std::uint32_t port, std::span<std::uint32_t> packets) = 0;
  // The packet leaves on the last link of its route and will be in at `time`. True: the client has
  // noted that and frees the packet, no event is needed. False: `arrived` is wanted when the time
  // comes.
  virtual bool arriving(std::uint32_t packet, std::int64_t time) = 0;
  virtual void arrived(std::uint32_t packet) = 0;  // at the end of its route; the client frees it
  virtual void lost(std::uint32_t packet) = 0;     // dropped or damaged; the client frees it
  virtual void sent(std::uint32_t port, std::uint32_t packet) = 0;  // only of traced ports
};

class Ports {
 public:
  Ports(const Fabric& fabric, WheelSimulator& simulator, PacketPool& packets, RouteStore& routes,
        std::uint8_t lanes, const QueueingOptions& queueing);

  void set_client(PortClient* client) { client_ = client; }
  void set_seed(std::uint64_t seed) { impairments_.set_seed(seed); }  // of what strikes when
  void impair(std::uint32_t port, const Impairment& what);
  void set_full_payload(std::uint32_t port, std::uint32_t payload);
  // Every packet asks for its departure in its own time: for whoever changes ports as time goes on.
  void forbid_bursts();

  [[nodiscard]] Port& port(std::uint32_t port) { return ports_[port]; }
  [[nodiscard]] std::uint16_t far_island(std::uint32_t port) const { return far_island_[port]; }
  [[nodiscard]] const PortUse& use(std::uint32_t port) const { return uses_[port]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ports_.size()); }
  [[nodiscard]] std::uint64_t hops() const { return hops_; }
  [[nodiscard]] bool has_credits(std::uint32_t port) const { return ports_[port].credits; }
  [[nodiscard]] std::int64_t queued(std::uint32_t port) const;
  [[nodiscard]] std::int64_t credits(std::uint32_t port, std::uint8_t lane) const;
  [[nodiscard]] std::int64_t promised(std::uint32_t port, std::uint8_t lane) const;
  // Ports whose link will never carry anything again, with a packet at it.
  [[nodiscard]] const std::vector<std::uint32_t>& stuck() const { return stuck_; }
  // Ports that wait for each other in a ring, each for the buffer that its successor's packets
  // hold, so that none can ever move; empty when there is no such ring.
  [[nodiscard]] std::vector<std::uint32_t> waiting_ring() const;
  // Whether there is one, looked for among what has not moved since the last call.
  [[nodiscard]] bool deadlocked();
  [[nodiscard]] std::uint64_t lanes() const { return lanes_.size(); }

  // `packet` is ready at its next link, or at the end of its route.
  void arrive(std::uint32_t packet);
  // `packet` is ready at `port` itself, whatever its route says comes afterwards.
  void offer(std::uint32_t port, std::uint32_t packet);
  // Gives back the buffer that a lost packet held.
  void drop_held(const Packet& packet);
  // A departure event of `port`.
  void depart(std::uint32_t port);
  // Local transfers of `port` may have something to send.
  void kick(std::uint32_t port);
  // True when a packet of this size may enter `lane` of `port` now; if not, the port will be served
  // again when credits come back.
  bool open_for(std::uint32_t port, std::uint8_t lane, std::uint32_t payload);

  [[nodiscard]] std::int64_t time_on_wire(const Port& port, std::uint32_t payload) const;

 private:
  struct Release {
    std::int64_t time = 0;
    std::int64_t bytes = 0;
    std::uint32_t next = kNone;
  };

  [[nodiscard]] std::uint32_t lane_index(std::uint32_t port, std::uint8_t lane) const {
    return (port << lane_shift_) | lane;
  }
  void add_port(const Fabric& fabric, LinkId link, const Islands& islands);
  void transmit(std::uint32_t port, std::uint32_t packet);
  void transmit_burst(std::uint32_t port);
  void hand_over(Port& port, std::uint32_t packet, std::int64_t tail_left, std::int64_t on_wire);
  void serve(std::uint32_t port);
  void serve_local(std::uint32_t port);
  bool serve_lane(std::uint32_t port, std::uint8_t lane);
  void plan_next(std::uint32_t port);
  std::int64_t waiting_size(std::uint32_t port, std::uint8_t lane) const;
  void enqueue(std::uint32_t port, std::uint32_t packet);
  void enqueue_in_turn(Lane& lane, std::uint32_t lane_number, std::uint32_t packet);
  void take_head(std::uint32_t lane_number, Lane& lane);
  void add_inputs(const Fabric& fabric);
  [[nodiscard]] bool room_for(std::uint32_t port, const Lane& lane, std::int64_t wire) const;
  std::int64_t despite_impairment(std::uint32_t port, const Packet& packet);
  void hold_for_good(std::uint32_t port);
  void add_held(std::uint32_t lane, std::vector<std::int64_t>& held) const;
  void keep_stuck(std::vector<bool>& stuck) const;
  void call_at(std::uint32_t port, std::int64_t time) { call_at(port, time, ports_[port].island); }
  // `island`: of the handler that asks.
  void call_at(std::uint32_t port, std::int64_t time, std::uint16_t island);
  void give_back(std::uint32_t lane, std::uint32_t payload, std::int64_t tail_left,
                 std::uint16_t island);
  void collect(Lane& lane);
  bool enough_credit(std::uint32_t port, Lane& lane, std::int64_t wire);

  WheelSimulator& simulator_;
  PacketPool& packets_;
  RouteStore& routes_;
  PortClient* client_ = nullptr;
  std::vector<Port> ports_;
  std::vector<Lane> lanes_;
  std::vector<PortUse> uses_;
  std::vector<std::uint16_t> far_island_;  // by port: of the node it leads to
  std::vector<std::int64_t> buffer_;       // by port: queue limit of lossy links
  std::vector<Release> releases_;
  std::uint32_t free_release_ = kNone;
  std::uint8_t lane_shift_ = 0;
  std::uint8_t lane_count_ = 1;
  std::uint64_t hops_ = 0;
  QueueingOptions queueing_;
  Impairments impairments_;
  std::vector<std::uint32_t> stuck_;
  static constexpr std::uint32_t kMoving = kNone - 1;
  std::vector<std::uint32_t> watched_head_;  // by lane: its head at the last look, if blocked
  std::vector<Input> inputs_;                // by lane and input of its node
  std::vector<std::uint32_t> first_input_;   // by lane, into inputs_
  std::vector<std::uint32_t> input_of_;      // by port: its number at the node it leads to, from 1
  std::vector<std::uint32_t> from_;          // by port: the node it stands at
  std::vector<std::int64_t> shared_used_;    // by node: bytes queued at its lossy ports
  std::vector<std::int64_t> shared_limit_;   // by node: of a switch with shared buffer, else 0
};

}  // namespace sim::packet
