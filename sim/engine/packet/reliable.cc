// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/reliable.h"

#include <algorithm>

namespace sim::packet {

Reliable::Reliable(Pool<LiveTransfer>& transfers, TransportClient& client, Ports& ports,
                   WheelSimulator& simulator, PacketPool& packets, const ReliableOptions& options)
    : transfers_(transfers),
      client_(client),
      ports_(ports),
      simulator_(simulator),
      packets_(packets),
      options_(options) {}

void Reliable::set_way(std::uint32_t live, const ReliableWay& way) {
  const std::uint32_t index = states_.take();
  transfers_[live].state = index;
  states_[index].way = way;
}

const ReliableWay& Reliable::way(std::uint32_t live) const {
  return states_[transfers_[live].state].way;
}

const std::vector<std::uint32_t>& Reliable::ports_of(std::uint32_t live) const {
  return nics_[states_[transfers_[live].state].nic].ports;
}

void Reliable::open(std::uint32_t live) {
  const LiveTransfer& transfer = transfers_[live];
  State& s = state(live);
  const std::uint64_t pair = (static_cast<std::uint64_t>(s.way.from_nic) << 32) | s.way.to_nic;
  const auto [p, new_pair] =
      pair_number_.try_emplace(pair, static_cast<std::uint32_t>(pairs_.size()));
  if (new_pair) pairs_.push_back({0, options_.window});
  const auto [n, new_nic] =
      nic_number_.try_emplace(s.way.from_nic, static_cast<std::uint32_t>(nics_.size()));
  if (new_nic) nics_.emplace_back();
  s.pair = p->second;
  s.nic = n->second;
  std::vector<std::uint32_t>& ports = nics_[s.nic].ports;
  if (std::find(ports.begin(), ports.end(), transfer.port) == ports.end()) {
    ports.push_back(transfer.port);
  }
  const auto packets = (transfer.unsent + transfer.payload - 1) / transfer.payload;
  s.sent.resize(static_cast<std::size_t>(packets));
  s.unacknowledged = static_cast<std::uint32_t>(packets);
}

std::uint32_t Reliable::payload_of(const LiveTransfer& transfer, std::uint32_t number) const {
  const State& s = states_[transfer.state];
  if (number + 1 < s.sent.size()) return transfer.payload;
  // The last packet: what the others leave of the whole, which is unsent while it was never sent.
  return transfer.last_payload;
}

std::uint32_t Reliable::may_send(std::uint32_t live) {
  const LiveTransfer& transfer = transfers_[live];
  const State& s = state(live);
  if (s.dead || (s.again.empty() && transfer.unsent == 0)) return 0;
  const std::uint32_t number = s.again.empty() ? transfer.packets : s.again.back();
  const std::uint32_t size = payload_of(transfer, number);
  const Pair& pair = pairs_[s.pair];
  const std::int64_t nic = nics_[s.nic].in_flight;
  if (pair.in_flight != 0 && pair.in_flight + size > pair.window) return 0;
  if (nic != 0 && nic + size > options_.nic_window) return 0;
  return size;
}

void Reliable::count(State& s, Sent& sent, std::int64_t bytes) {
  CHECK(!sent.counted);
  sent.counted = true;
  pairs_[s.pair].in_flight += bytes;
  nics_[s.nic].in_flight += bytes;
}

void Reliable::uncount(State& s, Sent& sent, std::int64_t bytes) {
  if (!sent.counted) return;
  sent.counted = false;
  pairs_[s.pair].in_flight -= bytes;
  nics_[s.nic].in_flight -= bytes;
  CHECK(pairs_[s.pair].in_flight >= 0 && nics_[s.nic].in_flight >= 0);
}

void Reliable::shrink(State& s, std::int64_t least) {
  Pair& pair = pairs_[s.pair];
  pair.window = std::max(least, pair.window / 2);
}

// One packet more per window of acknowledged bytes.
void Reliable::grow(State& s, std::int64_t bytes) {
  Pair& pair = pairs_[s.pair];
  if (pair.window >= options_.window) return;
  pair.window = std::min(options_.window,
                         pair.window + std::max<std::int64_t>(1, bytes * bytes / pair.window));
}

bool Reliable::fill(std::uint32_t live, Packet& packet) {
  LiveTransfer& transfer = transfers_[live];
  State& s = state(live);
  std::uint32_t number = transfer.packets;
  if (s.again.empty()) {
    ++transfer.packets;
    transfer.unsent -= payload_of(transfer, number);
  } else {
    number = s.again.back();
    s.again.pop_back();
    s.sent[number].waiting = false;
    ++repeats_;
  }
  Sent& sent = s.sent[number];
  packet.kind = PacketKind::kReliable;
  packet.transfer = live;
  packet.lane = transfer.lane;
  packet.payload = payload_of(transfer, number);
  packet.number = number;
  // Each transfer starts at another path, each repeat takes another one: no two march in step.
  const std::uint64_t start = (transfer.id * 0x9e37'79b9ULL) >> 8;
  packet.path = static_cast<std::uint16_t>((start + number + sent.tries) % transfer.data.paths);
  packet.route = transfer.data.path(packet.path) + 1;
  ++sent.tries;
  sent.at = simulator_.now_ps();
  count(s, sent, packet.payload);
  ++s.references;
  start_timer(live, s, sent.at + options_.timer);
  return s.again.empty() && transfer.unsent == 0;
}

void Reliable::start_timer(std::uint32_t live, State& s, std::int64_t at) {
  if (s.timer_runs) return;
  s.timer_runs = true;
  ++s.references;
  simulator_.push(at, ports_.port(transfers_[live].port).island, kTimer, live);
}

void Reliable::arrived(const Packet& packet) {
  if (packet.kind == PacketKind::kReliable) {
    data_arrived(packet);
  } else {
    acknowledgement_arrived(packet);
  }
}

void Reliable::data_arrived(const Packet& packet) {
  State& s = state(packet.transfer);
  Sent& sent = s.sent[packet.number];
  if (!sent.received) {
    sent.received = true;
    LiveTransfer& transfer = transfers_[packet.transfer];
    transfer.missing -= packet.payload;
    CHECK(transfer.missing >= 0);
    if (transfer.missing == 0) {
      s.received = true;
      client_.received(packet.transfer, simulator_.now_ps());
    }
  }
  acknowledge(packet);
  release(packet.transfer);
}

void Reliable::acknowledge(const Packet& data) {
  const std::uint32_t index = packets_.take();
  Packet& packet = packets_[index];
  State& s = state(data.transfer);
  packet = Packet{};
  packet.kind = PacketKind::kAcknowledgement;
  packet.transfer = data.transfer;
  packet.lane = transfers_[data.transfer].lane;
  packet.payload = options_.acknowledgement;
  packet.number = data.number;
  packet.path = data.path;
  packet.route = s.way.back.path(data.path);
  ++s.references;
  ++acknowledgements_;
  ports_.arrive(index);
}

void Reliable::acknowledgement_arrived(const Packet& packet) {
  State& s = state(packet.transfer);
  Sent& sent = s.sent[packet.number];
  uncount(s, sent, payload_of(transfers_[packet.transfer], packet.number));
  if (!sent.acknowledged) {
    sent.acknowledged = true;
    grow(s, payload_of(transfers_[packet.transfer], packet.number));
    --s.unacknowledged;
    if (sent.waiting) {
      sent.waiting = false;
      std::erase(s.again, packet.number);
      if (s.again.empty() && transfers_[packet.transfer].unsent == 0) {
        client_.nothing_to_send(packet.transfer);
      }
    }
  }
  client_.ports_may_send(packet.transfer);
  release(packet.transfer);
}

// A lost packet is only known to the sender through its timer.
void Reliable::lost(const Packet& packet) { release(packet.transfer); }

// Marks what was sent too long ago for another try. False when the transfer must be given up.
bool Reliable::repeat_overdue(std::uint32_t live, State& s, std::int64_t* next) {
  const LiveTransfer& transfer = transfers_[live];
  const std::int64_t now = simulator_.now_ps();
  for (std::uint32_t number = transfer.packets; number-- > 0;) {
    Sent& sent = s.sent[number];
    if (sent.acknowledged || sent.waiting) continue;
    if (sent.at + options_.timer > now) {
      *next = std::min(*next, sent.at + options_.timer);
      continue;
    }
    if (sent.tries > options_.limit) return false;
    uncount(s, sent, payload_of(transfer, number));
    sent.waiting = true;
    s.again.push_back(number);
  }
  return true;
}

void Reliable::timer(std::uint32_t live) {
  State& s = state(live);
  s.timer_runs = false;
  if (s.unacknowledged > 0 && !s.dead) {
    std::int64_t next = kNever;
    if (!repeat_overdue(live, s, &next)) {
      s.dead = true;
      for (std::uint32_t n = 0; n < s.sent.size(); ++n) {
        uncount(s, s.sent[n], payload_of(transfers_[live], n));
      }
      client_.nothing_to_send(live);
      if (!state(live).received) client_.give_up(live);
    } else {
      // Packets waiting to be repeated start the timer again when they leave.
      if (next != kNever) start_timer(live, s, next);
      if (!s.again.empty()) {
        shrink(s, transfers_[live].payload);
        client_.send_again(live);
      }
    }
  }
  client_.ports_may_send(live);
  release(live);
}

// One packet or timer less refers to the transfer; it is retired when all is acknowledged, or when
// it is dead, and nothing refers to it.
void Reliable::release(std::uint32_t live) {
  State& s = state(live);
  CHECK(s.references > 0);
  --s.references;
  if (s.references > 0 || (s.unacknowledged > 0 && !s.dead)) return;
  const std::uint32_t index = transfers_[live].state;
  client_.retire(live);
  states_[index] = State{};
  states_.give(index);
}

std::int64_t Reliable::in_flight() const {
  std::int64_t bytes = 0;
  for (const Nic& nic : nics_) bytes += nic.in_flight;
  return bytes;
}

}  // namespace sim::packet
