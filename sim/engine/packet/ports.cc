// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/ports.h"

#include <algorithm>
#include <array>
#include <bit>

#include "sim/base/units.h"
#include "sim/fabric/routes.h"

namespace sim::packet {

namespace {

constexpr std::size_t kMostInBurst = 16;

// No path leads through a node with a single neighbour.
bool fed_by_endpoint_only(const Fabric& fabric, NodeId node) {
  const std::span<const LinkId> out = fabric.out_links(node);
  return std::all_of(out.begin(), out.end(), [&](LinkId link) {
    return fabric.link(link).to == fabric.link(out.front()).to;
  });
}

}  // namespace

Ports::Ports(const Fabric& fabric, WheelSimulator& simulator, PacketPool& packets,
             RouteStore& routes, std::uint8_t lanes, const QueueingOptions& queueing)
    : simulator_(simulator),
      packets_(packets),
      routes_(routes),
      lane_count_(lanes),
      queueing_(queueing) {
  CHECK(lanes >= 1 && lanes <= kMostLanes);
  lane_shift_ = static_cast<std::uint8_t>(std::bit_width(lanes - 1U));
  ports_.reserve(fabric.links().size());
  lanes_.resize(fabric.links().size() << lane_shift_);
  uses_.resize(fabric.links().size());
  const Islands islands = islands_of(fabric);
  simulator.set_islands(islands.count);
  for (std::uint32_t i = 0; i < fabric.links().size(); ++i) add_port(fabric, LinkId(i), islands);
  shared_used_.assign(fabric.nodes().size(), 0);
  for (const Node& node : fabric.nodes()) {
    shared_limit_.push_back(node.kind == NodeKind::kSwitch ? queueing.shared_buffer : 0);
  }
  if (queueing.round_robin) add_inputs(fabric);
}

void Ports::add_port(const Fabric& fabric, LinkId id, const Islands& islands) {
  const Link& link = fabric.link(id);
  const LinkClass& kind = fabric.kind(id);
  const Node& to = fabric.node(link.to);
  Port port;
  port.latency = link.latency.value;
  const bool from_core = fabric.node(link.from).kind == NodeKind::kCore;
  port.node_latency = from_core ? 0 : to.latency.value;
  port.to_core = to.kind == NodeKind::kCore;
  port.waits_for_tail = to.forwarding == Forwarding::kStoreAndForward;
  port.header = static_cast<std::uint32_t>(kind.header.value);
  const bool ethernet = kind.flow == FlowControl::kDrop;
  port.credits = kind.flow == FlowControl::kCredits || (ethernet && queueing_.pfc);
  port.lossy = ethernet && !queueing_.pfc && !queueing_.endless;
  port.marks = ethernet && queueing_.ecn_threshold > 0;
  port.round_robin = port.credits && queueing_.round_robin;
  port.usable = fabric.usable(id).value;
  port.bursts = fed_by_endpoint_only(fabric, link.from) && !port.lossy;
  port.express = kind.flow == FlowControl::kUnbounded && lane_count_ == 1 &&
                 fabric.node(link.from).kind == NodeKind::kSwitch;
  for (std::uint8_t lane = 0; lane < lane_count_ && port.credits; ++lane) {
    lanes_[lane_index(index(id), lane)].credits = kind.buffer.value;
  }
  port.island = islands.of_node[index(link.from)];
  far_island_.push_back(islands.of_node[index(link.to)]);
  buffer_.push_back(kind.buffer.value);
  from_.push_back(index(link.from));
  ports_.push_back(port);
}

void Ports::impair(std::uint32_t port, const Impairment& what) {
  if (!what.any()) return;
  impairments_.add(port, what);
  ports_[port].impaired = true;
  ports_[port].bursts = false;
  ports_[port].express = false;
}

void Ports::set_full_payload(std::uint32_t port, std::uint32_t payload) {
  ports_[port].full_payload = payload;
  ports_[port].full_ps = 0;
  ports_[port].full_ps =
      transfer_time(Bytes(payload + ports_[port].header), Bandwidth(ports_[port].usable)).value;
}

void Ports::forbid_bursts() {
  for (Port& port : ports_) port.bursts = port.express = false;
}

std::int64_t Ports::time_on_wire(const Port& port, std::uint32_t payload) const {
  if (payload == port.full_payload) [[likely]]
    return port.full_ps;
  return transfer_time(Bytes(payload + port.header), Bandwidth(port.usable)).value;
}

std::int64_t Ports::queued(std::uint32_t port) const {
  std::int64_t bytes = 0;
  for (std::uint8_t lane = 0; lane < lane_count_; ++lane) {
    bytes += lanes_[lane_index(port, lane)].queued;
  }
  return bytes;
}

std::int64_t Ports::credits(std::uint32_t port, std::uint8_t lane) const {
  return lanes_[lane_index(port, lane)].credits;
}

std::int64_t Ports::promised(std::uint32_t port, std::uint8_t lane) const {
  std::int64_t bytes = 0;
  for (std::uint32_t r = lanes_[lane_index(port, lane)].release_head; r != kNone;
       r = releases_[r].next) {
    bytes += releases_[r].bytes;
  }
  return bytes;
}

// Takes in the credits that have come back by now.
void Ports::collect(Lane& lane) {
  const std::int64_t now = simulator_.now_ps();
  while (lane.release_head != kNone && releases_[lane.release_head].time <= now) {
    const std::uint32_t release = lane.release_head;
    lane.credits += releases_[release].bytes;
    lane.release_head = releases_[release].next;
    if (lane.release_head == kNone) lane.release_tail = kNone;
    releases_[release].next = free_release_;
    free_release_ = release;
  }
}

// If not enough, sees to it that the port is served again once more credit is there.
bool Ports::enough_credit(std::uint32_t port, Lane& lane, std::int64_t wire) {
  if (lane.credits >= wire) [[likely]]
    return true;
  collect(lane);
  if (lane.credits >= wire) return true;
  if (lane.release_head == kNone) {
    lane.blocked = true;
  } else {
    call_at(port, std::max(releases_[lane.release_head].time, ports_[port].busy_until));
  }
  return false;
}

bool Ports::open_for(std::uint32_t port, std::uint8_t lane, std::uint32_t payload) {
  if (!ports_[port].credits) return true;
  return enough_credit(port, lanes_[lane_index(port, lane)], payload + ports_[port].header);
}

// The buffer of `lane` is free of a packet when its tail has left; the sender knows one wire later.
void Ports::give_back(std::uint32_t lane_number, std::uint32_t payload, std::int64_t tail_left,
                      std::uint16_t island) {
  const std::uint32_t port = lane_number >> lane_shift_;
  std::uint32_t release = free_release_;
  if (release == kNone) {
    release = static_cast<std::uint32_t>(releases_.size());
    releases_.emplace_back();
  } else {
    free_release_ = releases_[release].next;
  }
  Lane& lane = lanes_[lane_number];
  const std::int64_t time = tail_left + ports_[port].latency;
  releases_[release] = {time, payload + ports_[port].header, kNone};
  if (lane.release_tail == kNone) {
    lane.release_head = lane.release_tail = release;
  } else if (releases_[lane.release_tail].time <= time) {
    releases_[lane.release_tail].next = release;
    lane.release_tail = release;
  } else {  // a short packet overtook a long one on its way out
    std::uint32_t* place = &lane.release_head;
    while (releases_[*place].time <= time) place = &releases_[*place].next;
    releases_[release].next = *place;
    *place = release;
  }
  if (lane.blocked) {
    lane.blocked = false;
    call_at(port, std::max(time, ports_[port].busy_until), island);
  }
}

void Ports::call_at(std::uint32_t port, std::int64_t time, std::uint16_t island) {
  Port& p = ports_[port];
  if (p.next_depart <= time || time == kNever) return;
  p.next_depart = time;
  simulator_.push(time, island, kDepart, port);
}

void Ports::transmit(std::uint32_t number, std::uint32_t packet) {
  Port& port = ports_[number];
  Packet& p = packets_[packet];
  const std::int64_t on_wire = time_on_wire(port, p.payload);
  std::int64_t start = std::max(simulator_.now_ps(), port.busy_until);
  if (port.impaired && !port.lossy) [[unlikely]] {
    start = despite_impairment(number, p);
    if (start == kNever) return hold_for_good(number);
  }
  const std::int64_t tail_left = start + on_wire;
  port.busy_until = tail_left;
  PortUse& use = uses_[number];
  use.busy_ps += on_wire;
  use.payload += p.payload;
  ++use.packets;
  ++hops_;
  if (p.held != kNone) give_back(p.held, p.payload, tail_left, port.island);
  p.held = kNone;
  if (port.credits) {
    p.held = lane_index(number, p.lane);
    lanes_[p.held].credits -= p.payload + port.header;
  }
  if (port.traced) client_->sent(number, packet);
  std::int64_t late = 0;
  if (port.impaired && port.lossy) {
    if (impairments_.loses(number, use.packets, start)) {
      ++uses_[number].dropped;
      return client_->lost(packet);
    }
    if (impairments_.damages(number, use.packets, p.payload + port.header)) p.marks |= kDamaged;
    late = impairments_.lateness(number, use.packets);
  }
  hand_over(port, packet, tail_left + late, on_wire);
}

// The packet is on its way: to its next port, or to the end of its route.
inline void Ports::hand_over(Port& port, std::uint32_t packet, std::int64_t tail_left,
                             std::int64_t on_wire) {
  const Packet& p = packets_[packet];
  const std::uint32_t next = routes_[p.route];
  std::int64_t ready = tail_left + port.latency;  // tail at the far end
  if (next == kRouteEnd) {
    const std::uint32_t held = p.held;
    const std::uint32_t payload = p.payload;
    if (client_->arriving(packet, ready)) {
      if (held != kNone) give_back(held, payload, ready, port.island);
      return;
    }
  } else {
    if (!ports_[next].to_core) ready += port.node_latency;
    // The head may go on before the tail is in, if the next link is not the faster one.
    if (!port.waits_for_tail) ready -= std::min(on_wire, time_on_wire(ports_[next], p.payload));
  }
  simulator_.push(ready, port.island, kArrive, packet);
}

void Ports::arrive(std::uint32_t packet) {
  Packet& p = packets_[packet];
  const std::uint32_t number = routes_[p.route];
  if (number == kRouteEnd) {
    if (p.held != kNone) {
      give_back(p.held, p.payload, simulator_.now_ps(), far_island_[p.held >> lane_shift_]);
    }
    p.held = kNone;
    return client_->arrived(packet);
  }
  ++p.route;
  offer(number, packet);
}

void Ports::offer(std::uint32_t number, std::uint32_t packet) {
  Port& port = ports_[number];
  Packet& p = packets_[packet];
  Lane& lane = lanes_[lane_index(number, p.lane)];
  const std::int64_t wire = p.payload + port.header;
  const std::int64_t now = simulator_.now_ps();
  // Nothing can come before it, nor hold it up: when it leaves is known, so no event is needed.
  if (port.express) return transmit(number, packet);
  // A lane that holds packets is either blocked or has a departure event: only the first must ask.
  bool must_ask = lane.head == kNone;
  if (must_ask && port.busy_until <= now && port.next_depart > now) {
    if (!port.credits || enough_credit(number, lane, wire)) return transmit(number, packet);
    must_ask = false;
  }
  if (port.marks && lane.queued > queueing_.ecn_threshold) p.marks |= kCongestionMet;
  if (port.lossy && !room_for(number, lane, wire)) {
    ++uses_[number].dropped;
    return client_->lost(packet);
  }
  enqueue(number, packet);
  if (must_ask) call_at(number, std::max(now, port.busy_until));
}

void Ports::drop_held(const Packet& packet) {
  give_back(packet.held, packet.payload, simulator_.now_ps(),
            far_island_[packet.held >> lane_shift_]);
}

void Ports::depart(std::uint32_t number) {
  Port& port = ports_[number];
  const std::int64_t now = simulator_.now_ps();
  if (port.next_depart != now) return;  // a later call replaced this one
  port.next_depart = kNever;
  if (port.busy_until > now) return call_at(number, port.busy_until);
  serve(number);
}

void Ports::kick(std::uint32_t number) {
  Port& port = ports_[number];
  const std::int64_t now = simulator_.now_ps();
  if (port.busy_until > now) return call_at(number, port.busy_until);
  if (port.next_depart > now) serve(number);
}

bool Ports::serve_lane(std::uint32_t number, std::uint8_t lane_number) {
  Lane& lane = lanes_[lane_index(number, lane_number)];
  if (lane.head == kNone) return false;
  const std::uint32_t packet = lane.head;
  const std::int64_t wire = packets_[packet].payload + ports_[number].header;
  if (ports_[number].credits && !enough_credit(number, lane, wire)) return false;
  take_head(lane_index(number, lane_number), lane);
  lane.queued -= wire;
  if (ports_[number].lossy) shared_used_[from_[number]] -= wire;
  transmit(number, packet);
  return true;
}

// The port has just sent: packets whose turn is certain follow in one go, each at its own time.
void Ports::transmit_burst(std::uint32_t number) {
  Port& port = ports_[number];
  std::array<std::uint32_t, kMostInBurst> packets;
  std::size_t count = packets.size();
  if (port.credits) {
    const auto room = lanes_[number].credits / (port.full_payload + port.header);
    count = std::min(count, static_cast<std::size_t>(std::max<std::int64_t>(room, 0)));
  }
  count = client_->local_burst(number, std::span(packets).first(count));
  const std::int64_t began = port.busy_until;
  for (const std::uint32_t packet : std::span(packets).first(count)) {
    Packet& p = packets_[packet];
    const std::int64_t on_wire = time_on_wire(port, p.payload);
    port.busy_until += on_wire;
    uses_[number].payload += p.payload;
    if (port.credits) {
      p.held = lane_index(number, p.lane);
      lanes_[p.held].credits -= p.payload + port.header;
    }
    hand_over(port, packet, port.busy_until, on_wire);
  }
  uses_[number].busy_ps += port.busy_until - began;
  uses_[number].packets += static_cast<std::int64_t>(count);
  hops_ += count;
}

// The usual case where transfers start: nothing passes through. Where nothing ever can, packets
// whose turn is certain leave in one go, each at its own time.
void Ports::serve_local(std::uint32_t number) {
  if (!ports_[number].has_local) return;
  const std::uint32_t packet = client_->next_local(number);
  if (packet == kNone) return;
  transmit(number, packet);
  const Port& port = ports_[number];
  if (port.bursts && port.has_local && !port.traced) transmit_burst(number);
  plan_next(number);
}

// The port is free: sends one packet, if it can, asking lanes and local transfers in turn.
void Ports::serve(std::uint32_t number) {
  if (lane_count_ == 1 && lanes_[number].head == kNone) return serve_local(number);
  const auto choices = static_cast<std::uint8_t>(lane_count_ + (ports_[number].has_local ? 1 : 0));
  std::uint8_t turn = ports_[number].turn;
  for (std::uint8_t tried = 0; tried < choices; ++tried) {
    if (++turn >= choices) turn = 0;
    bool done = false;
    if (turn < lane_count_) {
      done = serve_lane(number, turn);
    } else if (const std::uint32_t packet = client_->next_local(number); packet != kNone) {
      transmit(number, packet);
      done = true;
    }
    if (!done) continue;
    ports_[number].turn = turn & 31U;
    return plan_next(number);
  }
}

// Bytes of the packet that would go next in a lane: -1 when none waits or it is known to be stuck.
std::int64_t Ports::waiting_size(std::uint32_t number, std::uint8_t lane_number) const {
  const Lane& lane = lanes_[lane_index(number, lane_number)];
  if (lane.blocked) return -1;
  if (lane.head != kNone) return packets_.data()[lane.head].payload;
  if (!ports_[number].has_local) return -1;
  return ports_[number].local_payload;
}

// The port has just sent: asks for the departure event at which it may send again, if something
// waits. Where credits are short that is when enough of them are back, not earlier: an event that
// finds nothing to do costs as much as one that sends.
void Ports::plan_next(std::uint32_t number) {
  const Port& port = ports_[number];
  for (std::uint8_t lane_number = 0; lane_number < lane_count_; ++lane_number) {
    const std::int64_t size = waiting_size(number, lane_number);
    if (size < 0) continue;
    Lane& lane = lanes_[lane_index(number, lane_number)];
    const std::int64_t wire = size + port.header;
    if (!port.credits || lane.credits >= wire) return call_at(number, port.busy_until);
    std::int64_t credits = lane.credits;
    std::uint32_t release = lane.release_head;
    for (; release != kNone; release = releases_[release].next) {
      credits += releases_[release].bytes;
      if (credits >= wire) break;
    }
    if (release == kNone) {
      lane.blocked = true;
    } else {
      call_at(number, std::max(port.busy_until, releases_[release].time));
    }
  }
}

}  // namespace sim::packet
