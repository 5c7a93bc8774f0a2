// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/sources.h"

#include <algorithm>

namespace sim::packet {

Sources::Sources(Ports& ports, PacketPool& packets, Pool<LiveTransfer>& transfers,
                 Activator& activator, Plain& plain, Transport& reliable, std::uint32_t most_live,
                 bool one_lane)
    : ports_(ports),
      packets_(packets),
      transfers_(transfers),
      activator_(activator),
      plain_(plain),
      reliable_(reliable),
      most_live_(most_live),
      one_lane_(one_lane),
      number_(ports.size(), kNone) {}

Sources::Source& Sources::source(std::uint32_t port) {
  std::uint32_t& number = number_[port];
  if (number == kNone) {
    number = static_cast<std::uint32_t>(sources_.size());
    sources_.emplace_back();
    sources_.back().live.reserve(most_live_ + 1);
  }
  return sources_[number];
}

std::uint32_t Sources::keep(const WaitingTransfer& waiting) { return waiting_.keep(waiting); }

void Sources::enqueue(std::uint32_t number) {
  const std::uint32_t port = waiting_[number].port;
  Source& s = source(port);
  if (s.head == kNone) {
    s.head = number;
  } else {
    waiting_[s.tail].next = number;
  }
  s.tail = number;
  wake(port);
}

void Sources::put_back(std::uint32_t live) {
  LiveTransfer& transfer = transfers_[live];
  if (!transfer.queued) {
    Source& s = source(transfer.port);
    s.live.push_back(live);
    transfer.queued = true;
  }
  wake(transfer.port);
}

void Sources::take_out(std::uint32_t live) {
  LiveTransfer& transfer = transfers_[live];
  if (!transfer.queued) return;
  Source& s = source(transfer.port);
  const auto place = std::find(s.live.begin(), s.live.end(), live);
  CHECK(place != s.live.end());
  if (static_cast<std::size_t>(place - s.live.begin()) < s.cursor) --s.cursor;
  s.live.erase(place);
  transfer.queued = false;
  wake(transfer.port);  // a waiting one may take its turn
}

void Sources::wake(std::uint32_t port) {
  const Source& s = source(port);
  if (s.head == kNone && s.live.empty()) return;
  ports_.port(port).has_local = true;
  ports_.kick(port);
}

void Sources::make_live(Source& s) {
  while (s.head != kNone && s.live.size() < most_live_) {
    const std::uint32_t number = s.head;
    s.head = waiting_[number].next;
    const WaitingTransfer waiting = waiting_[number];
    waiting_.give(number);
    const std::uint32_t live = activator_.activate(waiting);
    transfers_[live].queued = true;
    s.live.push_back(live);
  }
}

std::uint32_t Sources::take_packet(Source& s, std::size_t place) {
  const std::uint32_t live = s.live[place];
  const std::uint32_t packet = packets_.take();
  Packet& p = packets_[packet];
  p.next = kNone;
  p.held = kNone;
  const bool done = transfers_[live].reliable ? reliable_.fill(live, p) : plain_.fill(live, p);
  if (done) {
    transfers_[live].queued = false;
    s.live.erase(s.live.begin() + static_cast<std::ptrdiff_t>(place));
    s.cursor = place;
  } else {
    s.cursor = place + 1;
  }
  return packet;
}

void Sources::tell(std::uint32_t port, const Source& s) {
  Port& out = ports_.port(port);
  out.has_local = !s.live.empty() || s.head != kNone;
  out.local_payload = size_in_turn(s);
}

std::uint32_t Sources::send_from(std::uint32_t port, Source& s, std::size_t place) {
  const std::uint32_t packet = take_packet(s, place);
  tell(port, s);
  return packet;
}

// What the next packet of this port will carry, when that is certain; else 0.
std::uint32_t Sources::size_in_turn(const Source& s) const {
  if (s.live.empty() || !one_lane_) return 0;
  const std::uint32_t live = s.live[s.cursor < s.live.size() ? s.cursor : 0];
  return transfers_[live].reliable ? 0 : plain_.may_send(live);
}

// With every place in the turn taken, a transfer that comes later changes nothing before one of
// these is done.
std::size_t Sources::burst(std::uint32_t port, std::span<std::uint32_t> packets) {
  Source& s = source(port);
  std::size_t count = 0;
  while (one_lane_ && count < packets.size() && s.live.size() == most_live_) {
    const std::size_t place = s.cursor < s.live.size() ? s.cursor : 0;
    if (transfers_[s.live[place]].reliable) break;
    packets[count++] = take_packet(s, place);
  }
  if (count > 0) tell(port, s);
  return count;
}

std::uint32_t Sources::next_packet(std::uint32_t port) {
  Source& s = source(port);
  if (s.head != kNone && s.live.size() < most_live_) make_live(s);
  bool waits_for_credit = false;
  const std::size_t count = s.live.size();
  for (std::size_t tried = 0; tried < count; ++tried) {
    std::size_t place = s.cursor + tried;
    if (place >= count) place -= count;
    const std::uint32_t live = s.live[place];
    const LiveTransfer& transfer = transfers_[live];
    const std::uint32_t size = transfer.reliable ? reliable_.may_send(live) : plain_.may_send(live);
    if (size == 0) continue;
    if (ports_.open_for(port, transfer.lane, size)) return send_from(port, s, place);
    waits_for_credit = true;  // open_for has seen to it that we are asked again
    if (one_lane_) break;
  }
  ports_.port(port).has_local = waits_for_credit;
  return kNone;
}

}  // namespace sim::packet
