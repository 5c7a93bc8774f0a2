// SPDX-License-Identifier: GPL-2.0-only
// The queues of ports: by arrival or by turns of the inputs, in a buffer of their own or one that
// the ports of a switch share; links that replay or never carry again.
#include <algorithm>

#include "sim/engine/packet/ports.h"

namespace sim::packet {

void Ports::enqueue(std::uint32_t number, std::uint32_t packet) {
  const std::uint32_t lane_number = lane_index(number, packets_[packet].lane);
  Lane& lane = lanes_[lane_number];
  const std::int64_t wire = packets_[packet].payload + ports_[number].header;
  lane.queued += wire;
  if (ports_[number].lossy) shared_used_[from_[number]] += wire;
  packets_[packet].next = kNone;
  if (ports_[number].round_robin) return enqueue_in_turn(lane, lane_number, packet);
  if (lane.head == kNone) {
    lane.head = packet;
  } else {
    packets_[lane.tail].next = packet;
  }
  lane.tail = packet;
}

// Numbers the links that lead to each node, from 1; what started at the node itself is input 0.
void Ports::add_inputs(const Fabric& fabric) {
  std::vector<std::uint32_t> inputs(fabric.nodes().size(), 0);
  for (const Link& link : fabric.links()) input_of_.push_back(++inputs[index(link.to)]);
  std::uint32_t all = 0;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    for (std::uint8_t lane = 0; lane < 1U << lane_shift_; ++lane) {
      first_input_.push_back(all);
      if (ports_[port].round_robin) all += inputs[from_[port]] + 1;
    }
  }
  inputs_.resize(all);
}

void Ports::enqueue_in_turn(Lane& lane, std::uint32_t lane_number, std::uint32_t packet) {
  const std::uint32_t held = packets_[packet].held;
  const std::uint32_t number =
      first_input_[lane_number] + (held == kNone ? 0 : input_of_[held >> lane_shift_]);
  Input& input = inputs_[number];
  if (input.head != kNone) {
    packets_[input.tail].next = packet;
    input.tail = packet;
    return;
  }
  input.head = input.tail = packet;
  if (lane.head == kNone) {
    input.next = number;
    lane.head = packet;
  } else {  // last in the ring: behind the one that was served last
    input.next = inputs_[lane.tail].next;
    inputs_[lane.tail].next = number;
  }
  lane.tail = number;
}

// Takes out the packet that left.
void Ports::take_head(std::uint32_t lane_number, Lane& lane) {
  if (!ports_[lane_number >> lane_shift_].round_robin) {
    lane.head = packets_[lane.head].next;
    return;
  }
  const std::uint32_t served = inputs_[lane.tail].next;
  Input& input = inputs_[served];
  input.head = packets_[input.head].next;
  if (input.head != kNone) {
    lane.tail = served;
  } else if (served == lane.tail) {
    lane.head = kNone;
    return;
  } else {
    inputs_[lane.tail].next = input.next;
  }
  lane.head = inputs_[inputs_[lane.tail].next].head;
}

// A port of a switch with shared buffer may queue up to `share` of what is still free (dynamic
// thresholds: Choudhury, Hahne 1998).
bool Ports::room_for(std::uint32_t port, const Lane& lane, std::int64_t wire) const {
  const std::int64_t limit = shared_limit_[from_[port]];
  if (limit == 0) return lane.queued + wire <= buffer_[port];
  const std::int64_t free = limit - shared_used_[from_[port]];
  const auto most =
      static_cast<std::int64_t>(static_cast<__int128>(free) * queueing_.share_ppb / 1'000'000'000);
  return wire <= free && lane.queued + wire <= most;
}

// When the packet begins to leave for good, on a lossless link that replays what it damages.
std::int64_t Ports::despite_impairment(std::uint32_t number, const Packet& packet) {
  const Port& port = ports_[number];
  const std::int64_t again = time_on_wire(port, packet.payload) + 2 * port.latency;
  return impairments_.begins(number, uses_[number].packets, packet.payload + port.header,
                             simulator_.now_ps(), again);
}

void Ports::hold_for_good(std::uint32_t number) {
  ports_[number].busy_until = kNever;
  stuck_.push_back(number);
}

}  // namespace sim::packet
