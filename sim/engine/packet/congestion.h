// SPDX-License-Identifier: GPL-2.0-only
// How much a connection (one NIC to one other) may have in flight, how fast it may send, and which
// path its next packet takes. `fixed_window` keeps one window and turns over the paths; `srd` holds
// the queueing delay near a target, from round trips and the rate of delivery, and steers away from
// slow paths; `dcqcn` paces by a rate that falls with ECN marks (Zhu et al., SIGCOMM 2015) on one
// path, as RoCE does. Times in ps, rates in bytes/s.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/packet/records.h"

namespace sim::packet {

// Which paths have been slow or silent of late. Delays are smoothed by eighths, in units of 1024
// ps.
class Steering {
 public:
  void open(std::uint32_t paths, std::uint32_t first);
  [[nodiscard]] bool is_open() const { return !delays_.empty(); }
  // The next path in turn, passing over those that are shut and those much slower than the mean;
  // each time one is passed over an eighth of its delay is forgiven, so that it is tried again.
  std::uint16_t next(std::int64_t now);
  [[nodiscard]] std::uint16_t next_in_turn();
  void seen(std::uint16_t path, std::int64_t delay);
  // A packet on it was not acknowledged in time: shut for `timer`, then tried with one packet, and
  // shut twice as long each time until one gets through.
  void failed(std::uint16_t path, std::int64_t now, std::int64_t timer);

 private:
  struct Shut {
    std::int64_t until = 0;
    std::int64_t length = 0;  // of the next shutting; 0: open
  };
  [[nodiscard]] bool is_shut(std::uint16_t path, std::int64_t now);
  void set(std::uint16_t path, std::int64_t delay);

  std::vector<std::int32_t> delays_;
  std::vector<Shut> shut_;  // by path; empty until one fails
  std::int64_t sum_ = 0;
  std::uint16_t cursor_ = 0;
};

struct Connection {
  std::int64_t in_flight = 0;  // bytes
  std::int64_t window = 0;
  std::int64_t rate = 0;  // srd: of delivery; dcqcn: of sending
  Steering steering;
  // srd
  std::int64_t base[2] = {kNever, kNever};  // least round trip of short and of full packets
  std::int64_t epoch = 0;  // since when: what follows is counted over one round trip
  std::int64_t acked = 0;  // bytes
  std::int64_t delay = 0;  // sum over samples
  std::int64_t samples = 0;
  std::int64_t peak = 0;  // most in flight
  // dcqcn
  std::int64_t target_rate = 0;
  std::int64_t alpha = 0;      // parts per 1024
  std::int64_t next_send = 0;  // when the next packet may leave
  std::int64_t last_cut = 0;
  std::int64_t last_raise = 0;
  std::uint32_t raises = 0;  // since the last cut
};

struct Acknowledged {
  std::int64_t now = 0;
  std::int64_t round_trip = 0;  // 0: not known, the packet was repeated
  std::int64_t bytes = 0;
  std::uint16_t path = 0;
  bool full = false;    // a packet of the largest size
  bool marked = false;  // met a queue above the ECN threshold
};

class Congestion {
 public:
  virtual ~Congestion() = default;
  virtual void open(Connection& connection) const = 0;
  virtual void acknowledged(Connection& connection, const Acknowledged& what) const = 0;
  // A timer found packets of `payload` bytes lost.
  virtual void lost(Connection& connection, std::int64_t payload) const = 0;
  virtual std::uint16_t path(Connection& connection, std::int64_t now) const = 0;
  // A packet leaves: paced senders note when the next may.
  virtual void sent(Connection& /*connection*/, std::int64_t /*bytes*/,
                    std::int64_t /*now*/) const {}
};

struct CongestionOptions {
  std::int64_t window = 0;        // most bytes in flight per connection
  std::int64_t target_queue = 0;  // srd: queueing delay aimed at
  std::int64_t line_rate = 0;     // dcqcn: where a connection starts
};

[[nodiscard]] std::unique_ptr<Congestion> fixed_window(const CongestionOptions& options);
[[nodiscard]] std::unique_ptr<Congestion> srd(const CongestionOptions& options);
[[nodiscard]] std::unique_ptr<Congestion> dcqcn(const CongestionOptions& options);

}  // namespace sim::packet
