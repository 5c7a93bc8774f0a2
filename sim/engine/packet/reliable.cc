// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/reliable.h"

#include <algorithm>

#include "sim/engine/packet/chance.h"

namespace sim::packet {
namespace {

constexpr unsigned kMostDoublings = 6;  // of the timer, for a packet repeated again and again

std::unique_ptr<Congestion> congestion(const ReliableOptions& options, std::int64_t line_rate) {
  const CongestionOptions chosen{options.window, options.target_queue, line_rate};
  if (options.kind == TransportKind::kSrd) return srd(chosen);
  if (options.kind == TransportKind::kDcqcn) return dcqcn(chosen);
  return fixed_window(chosen);
}

}  // namespace

Reliable::Reliable(Pool<LiveTransfer>& transfers, TransportClient& client, Ports& ports,
                   WheelSimulator& simulator, PacketPool& packets, const ReliableOptions& options,
                   std::int64_t line_rate, std::uint64_t seed)
    : transfers_(transfers),
      client_(client),
      ports_(ports),
      simulator_(simulator),
      packets_(packets),
      options_(options),
      seed_(seed),
      congestion_(congestion(options, line_rate)) {}

void Reliable::set_way(std::uint32_t live, const ReliableWay& way) {
  std::uint32_t index = 0;
  if (free_states_.empty()) {
    index = static_cast<std::uint32_t>(states_.size());
    states_.emplace_back();
  } else {
    index = free_states_.back();
    free_states_.pop_back();
  }
  transfers_[live].state = index;
  states_[index].way = way;
}

const ReliableWay& Reliable::way(std::uint32_t live) const {
  return states_[transfers_[live].state].way;
}

const std::vector<std::uint32_t>& Reliable::ports_of(std::uint32_t live) const {
  return nics_[peers_[states_[transfers_[live].state].peer].nic].ports;
}

std::uint32_t Reliable::peer_of(const LiveTransfer& transfer, const ReliableWay& way) {
  const std::uint64_t key = (static_cast<std::uint64_t>(way.from_nic) << 32) | way.to_nic;
  const auto [p, is_new] = peer_number_.try_emplace(key, static_cast<std::uint32_t>(peers_.size()));
  if (!is_new) return p->second;
  const auto [n, new_nic] =
      nic_number_.try_emplace(way.from_nic, static_cast<std::uint32_t>(nics_.size()));
  if (new_nic) nics_.emplace_back();
  Peer peer;
  peer.nic = n->second;
  peer.island = ports_.port(transfer.port).island;
  congestion_->open(peer.connection);
  peer.connection.steering.open(transfer.data.paths, way.from_nic * 7 + way.to_nic * 13);
  peers_.push_back(std::move(peer));
  return p->second;
}

void Reliable::open(std::uint32_t live) {
  const LiveTransfer& transfer = transfers_[live];
  State& s = state(live);
  s.peer = peer_of(transfer, s.way);
  peers_[s.peer].open.push_back(live);
  std::vector<std::uint32_t>& ports = nics_[peers_[s.peer].nic].ports;
  if (std::find(ports.begin(), ports.end(), transfer.port) == ports.end()) {
    ports.push_back(transfer.port);
  }
  const auto packets = (transfer.unsent + transfer.payload - 1) / transfer.payload;
  s.sent.assign(static_cast<std::size_t>(packets), Sent{});
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
  Peer& peer = peers_[s.peer];
  Nic& nic = nics_[peer.nic];
  const Connection& c = peer.connection;
  if ((c.in_flight != 0 && c.in_flight + size > c.window) ||
      (nic.in_flight != 0 && nic.in_flight + size > options_.nic_window)) {
    nic.blocked = true;
    return 0;
  }
  if (c.next_send > simulator_.now_ps() && paced(peer, s.peer)) return 0;
  return size;
}

// Sees to it that the ports are asked again when the connection's rate lets it send.
bool Reliable::paced(Peer& peer, std::uint32_t number) {
  if (!peer.pace_runs) simulator_.push(peer.connection.next_send, peer.island, kPace, number);
  peer.pace_runs = true;
  return true;
}

void Reliable::pace(std::uint32_t number) {
  Peer& peer = peers_[number];
  peer.pace_runs = false;
  if (!peer.open.empty()) client_.ports_may_send(peer.open.front());
}

void Reliable::count(State& s, Sent& sent, std::int64_t bytes) {
  CHECK(!sent.counted);
  sent.counted = true;
  Peer& peer = peers_[s.peer];
  peer.connection.in_flight += bytes;
  nics_[peer.nic].in_flight += bytes;
}

void Reliable::uncount(State& s, Sent& sent, std::int64_t bytes) {
  if (!sent.counted) return;
  sent.counted = false;
  Peer& peer = peers_[s.peer];
  peer.connection.in_flight -= bytes;
  nics_[peer.nic].in_flight -= bytes;
  CHECK(peer.connection.in_flight >= 0 && nics_[peer.nic].in_flight >= 0);
}

bool Reliable::fill(std::uint32_t live, Packet& packet) {
  LiveTransfer& transfer = transfers_[live];
  State& s = state(live);
  Peer& peer = peers_[s.peer];
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
  packet.marks = 0;
  packet.path = congestion_->path(peer.connection, simulator_.now_ps());
  client_.find_path(live, packet.path);
  packet.route = transfer.data.path(packet.path) + 1;
  ++sent.tries;
  sent.path = packet.path;
  sent.at = simulator_.now_ps();
  if (sent.tries + sent.refusals == 1) sent.first = sent.at;
  count(s, sent, packet.payload);
  congestion_->sent(peer.connection, packet.payload, sent.at);
  ++s.references;
  start_timer(s.peer, sent.at + timeout(peer, sent));
  return s.again.empty() && transfer.unsent == 0;
}

// Never below two of the round trips seen of late, and doubled with each repeat: a queue is no
// loss.
std::int64_t Reliable::timeout(const Peer& peer, const Sent& sent) const {
  const unsigned repeats = sent.tries > 1 ? sent.tries - 1U : 0;
  return std::max(options_.timer, 2 * peer.round_trip) << std::min(repeats, kMostDoublings);
}

void Reliable::start_timer(std::uint32_t number, std::int64_t at) {
  Peer& peer = peers_[number];
  if (peer.timer_at <= at) return;
  peer.timer_at = at;
  simulator_.push(at, peer.island, kTimer, number);
}

void Reliable::arrived(const Packet& packet) {
  switch (packet.kind) {
    case PacketKind::kReliable:
      return data_arrived(packet);
    case PacketKind::kNotReady:
      refused(packet);
      break;
    case PacketKind::kAcknowledgement:
      acknowledged(packet, packet.number, true);
      break;
    default: {
      const std::vector<std::uint32_t>& numbers = batches_[packet.number];
      for (const std::uint32_t number : numbers) {
        acknowledged(packet, number, number == numbers.back());
      }
      free_batches_.push_back(packet.number);
    }
  }
  windows_opened(packet.transfer);
  release(packet.transfer);
}

void Reliable::windows_opened(std::uint32_t live) {
  Nic& nic = nics_[peers_[state(live).peer].nic];
  if (!nic.blocked) return;
  nic.blocked = false;
  client_.ports_may_send(live);
}

void Reliable::data_arrived(const Packet& packet) {
  State& s = state(packet.transfer);
  Sent& sent = s.sent[packet.number];
  const bool duplicate = sent.received;
  if (!duplicate) {
    if (options_.not_ready != 0 &&
        strikes(options_.not_ready, seed_,
                (static_cast<std::uint64_t>(transfers_[packet.transfer].id) << 32) | packet.number,
                static_cast<std::uint64_t>(sent.tries) + sent.refusals)) {
      answer(packet, PacketKind::kNotReady, packet.number);
      return release(packet.transfer);
    }
    sent.received = true;
    LiveTransfer& transfer = transfers_[packet.transfer];
    transfer.missing -= packet.payload;
    CHECK(transfer.missing >= 0);
    if (transfer.missing == 0) {
      s.received = true;
      if (sent.tries + sent.refusals > 1) client_.repaired(packet.transfer, sent.at - sent.first);
      client_.received(packet.transfer, simulator_.now_ps());
    }
  }
  acknowledge(packet, duplicate);
  release(packet.transfer);
}

// The sender tries again after the time that the receiver asked for.
void Reliable::refused(const Packet& packet) {
  State& s = state(packet.transfer);
  Sent& sent = s.sent[packet.number];
  if (sent.acknowledged || sent.waiting || s.dead) return;
  sent.refused = true;
  if (sent.refusals < 0xff) ++sent.refusals;
  if (sent.tries > 0) --sent.tries;  // it came through
  if (sent.refusals > options_.not_ready_limit && options_.not_ready_limit != kRetryForEver) {
    return abandon(packet.transfer, s, true);
  }
  uncount(s, sent, payload_of(transfers_[packet.transfer], packet.number));
  const std::int64_t at = simulator_.now_ps() + options_.not_ready_timer;
  sent.at = at - timeout(peers_[s.peer], sent);
  start_timer(s.peer, at);
}

void Reliable::acknowledge(const Packet& data, bool duplicate) {
  if (options_.ack_every == 1) return answer(data, PacketKind::kAcknowledgement, data.number);
  State& s = state(data.transfer);
  if (s.pending.empty()) s.pending_since = simulator_.now_ps();
  s.pending.push_back(data.number);
  if (s.pending.size() >= options_.ack_every || s.received || duplicate) return flush_now(data, s);
  if (s.flush_runs) return;
  s.flush_runs = true;
  ++s.references;
  flush_at(data.transfer, simulator_.now_ps() + options_.ack_delay);
}

void Reliable::flush_at(std::uint32_t live, std::int64_t time) {
  simulator_.push(time, transfers_[live].far_island, kFlush, live);
}

void Reliable::flush(std::uint32_t live) {
  State& s = state(live);
  const std::int64_t due = s.pending_since + options_.ack_delay;
  if (!s.pending.empty() && due > simulator_.now_ps()) return flush_at(live, due);
  s.flush_runs = false;
  Packet data;
  data.transfer = live;
  if (!s.pending.empty()) {
    data.path = s.sent[s.pending.back()].path;
    flush_now(data, s);
  }
  release(live);
}

void Reliable::flush_now(const Packet& data, State& s) {
  std::uint32_t batch = static_cast<std::uint32_t>(batches_.size());
  if (free_batches_.empty()) {
    batches_.emplace_back();
  } else {
    batch = free_batches_.back();
    free_batches_.pop_back();
  }
  batches_[batch].assign(s.pending.begin(), s.pending.end());
  s.pending.clear();
  answer(data, PacketKind::kAcknowledgements, batch);
}

void Reliable::answer(const Packet& data, PacketKind kind, std::uint32_t number) {
  client_.find_path(data.transfer, data.path);
  State& s = state(data.transfer);
  const std::uint32_t index = packets_.take();
  Packet& packet = packets_[index];
  packet = Packet{};
  packet.kind = kind;
  packet.transfer = data.transfer;
  packet.lane = transfers_[data.transfer].lane;
  packet.payload = options_.acknowledgement;
  packet.number = number;
  packet.path = data.path;
  packet.marks = data.marks & kCongestionMet ? kCongestionEcho : 0;
  packet.route = s.way.back.path(data.path);
  ++s.references;
  ++acknowledgements_;
  ports_.arrive(index);
}

// `sample`: the acknowledgement left when this packet came in, so its round trip counts.
void Reliable::acknowledged(const Packet& packet, std::uint32_t number, bool sample) {
  State& s = state(packet.transfer);
  Sent& sent = s.sent[number];
  const LiveTransfer& transfer = transfers_[packet.transfer];
  const std::uint32_t payload = payload_of(transfer, number);
  uncount(s, sent, payload);
  if (sent.acknowledged) return;
  sent.acknowledged = true;
  Peer& peer = peers_[s.peer];
  Acknowledged what{.now = simulator_.now_ps(),
                    .bytes = payload,
                    .path = sent.path,
                    .full = payload == transfer.payload,
                    .marked = (packet.marks & kCongestionEcho) != 0};
  if (sample && sent.tries == 1) {
    what.round_trip = what.now - sent.at;
    peer.round_trip = std::max(what.round_trip, peer.round_trip - peer.round_trip / 64);
  }
  congestion_->acknowledged(peer.connection, what);
  --s.unacknowledged;
  if (!sent.waiting) return;
  sent.waiting = false;
  std::erase(s.again, number);
  if (s.again.empty() && transfer.unsent == 0) client_.nothing_to_send(packet.transfer);
}

// A lost packet is only known to the sender through its timer.
void Reliable::lost(const Packet& packet) {
  if (packet.kind == PacketKind::kAcknowledgements) free_batches_.push_back(packet.number);
  release(packet.transfer);
}

// Marks what was sent too long ago for another try. False when the transfer must be given up.
bool Reliable::repeat_overdue(std::uint32_t live, State& s, Overdue& overdue) {
  const LiveTransfer& transfer = transfers_[live];
  Peer& peer = peers_[s.peer];
  const std::int64_t now = simulator_.now_ps();
  while (s.first_open < transfer.packets && s.sent[s.first_open].acknowledged) ++s.first_open;
  for (std::uint32_t number = transfer.packets; number-- > s.first_open;) {
    Sent& sent = s.sent[number];
    if (sent.acknowledged || sent.waiting) continue;
    const std::int64_t due = sent.at + timeout(peer, sent);
    if (due > now) {
      overdue.next = std::min(overdue.next, due);
      continue;
    }
    if (sent.tries > options_.limit) return false;
    uncount(s, sent, payload_of(transfer, number));
    if (!sent.refused) {
      peer.connection.steering.failed(sent.path, now, options_.timer);
      overdue.lost = true;
    }
    sent.refused = false;
    sent.waiting = true;
    s.again.push_back(number);
  }
  return true;
}

void Reliable::timer(std::uint32_t number) {
  if (peers_[number].timer_at != simulator_.now_ps()) return;  // an earlier one replaced this
  peers_[number].timer_at = kNever;
  const std::vector<std::uint32_t> open = peers_[number].open;
  Overdue overdue;
  std::int64_t payload = 0;
  for (const std::uint32_t live : open) {
    State& s = state(live);
    if (!repeat_overdue(live, s, overdue)) {
      abandon(live, s, false);
    } else if (!s.again.empty()) {
      payload = transfers_[live].payload;
    }
  }
  if (payload > 0 && overdue.lost) congestion_->lost(peers_[number].connection, payload);
  if (overdue.next != kNever) start_timer(number, overdue.next);
  for (const std::uint32_t live : open) {
    if (!state(live).dead && !state(live).again.empty()) client_.send_again(live);
  }
  if (!open.empty()) client_.ports_may_send(open.front());
  for (const std::uint32_t live : open) {
    if (state(live).dead) close(live, state(live));
  }
}

void Reliable::abandon(std::uint32_t live, State& s, bool refused) {
  s.dead = true;
  for (std::uint32_t n = 0; n < s.sent.size(); ++n) {
    uncount(s, s.sent[n], payload_of(transfers_[live], n));
  }
  client_.nothing_to_send(live);
  if (!state(live).received) client_.give_up(live, refused);
}

// One packet or event less refers to the transfer.
void Reliable::release(std::uint32_t live) {
  State& s = state(live);
  CHECK(s.references > 0);
  --s.references;
  close(live, s);
}

// It is retired when all is acknowledged, or when it is dead, and nothing refers to it.
void Reliable::close(std::uint32_t live, State& s) {
  if (s.references > 0 || (s.unacknowledged > 0 && !s.dead)) return;
  const std::uint32_t index = transfers_[live].state;
  std::erase(peers_[s.peer].open, live);
  client_.retire(live);
  State& done = states_[index];
  done.sent.clear();
  done.again.clear();
  done.pending.clear();
  done.first_open = done.unacknowledged = 0;
  done.flush_runs = done.received = done.dead = false;
  free_states_.push_back(index);
}

std::int64_t Reliable::in_flight() const {
  std::int64_t bytes = 0;
  for (const Nic& nic : nics_) bytes += nic.in_flight;
  return bytes;
}

}  // namespace sim::packet
