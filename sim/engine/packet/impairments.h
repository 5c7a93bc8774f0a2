// SPDX-License-Identifier: GPL-2.0-only
// What ails a link: lost, damaged and late packets, and times at which it is down. On a lossy link
// a lost packet is gone, a damaged one is carried on and thrown away at the end of its way. A
// lossless link repeats either at once (link-level replay: one more time on the wire and one round
// trip), and holds everything while it is down. Chance is a function of seed, link and count.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/packet/records.h"

namespace sim::packet {

struct Outage {
  std::int64_t from = 0;
  std::int64_t to = kNever;  // kNever: for good
};

struct Impairment {
  std::uint64_t loss = 0;        // parts per billion of packets
  std::uint64_t corruption = 0;  // the same
  std::uint64_t bit_errors = 0;  // per 1e15 bits
  std::uint64_t late = 0;        // parts per billion of packets
  std::int64_t lateness = 0;     // ps
  std::vector<Outage> outages;   // in order, apart

  [[nodiscard]] bool any() const {
    return loss != 0 || corruption != 0 || bit_errors != 0 || late != 0 || !outages.empty();
  }
};

class Impairments {
 public:
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  // Adds to what the port has already.
  void add(std::uint32_t port, const Impairment& more);
  [[nodiscard]] bool on(std::uint32_t port) const { return of_.contains(port); }

  // `count`: packets that the port has sent before; `bytes`: on the wire.
  [[nodiscard]] bool loses(std::uint32_t port, std::int64_t count, std::int64_t now) const;
  [[nodiscard]] bool damages(std::uint32_t port, std::int64_t count, std::int64_t bytes) const;
  [[nodiscard]] std::int64_t lateness(std::uint32_t port, std::int64_t count) const;
  // When a lossless link that may send at `now` has this packet through: `now` itself when nothing
  // strikes, kNever when it never will. `again`: cost of one replay.
  [[nodiscard]] std::int64_t begins(std::uint32_t port, std::int64_t count, std::int64_t bytes,
                                    std::int64_t now, std::int64_t again) const;

 private:
  struct Entry {
    std::uint32_t port = 0;
    Impairment what;
  };
  struct Index {  // by port, into entries_; empty while nothing ails
    std::vector<std::uint32_t> place;
    [[nodiscard]] bool contains(std::uint32_t port) const {
      return port < place.size() && place[port] != kNone;
    }
  };
  [[nodiscard]] const Impairment& of(std::uint32_t port) const {
    return entries_[of_.place[port]].what;
  }

  std::uint64_t seed_ = 0;
  Index of_;
  std::vector<Entry> entries_;
};

}  // namespace sim::packet
