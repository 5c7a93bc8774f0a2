// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/congestion.h"

#include <algorithm>

#include "sim/base/units.h"

namespace sim::packet {
namespace {

constexpr std::int64_t kFar = 4;                       // times the target
constexpr std::int64_t kLongestShut = 20'000'000'000;  // 20 ms
constexpr int kUnit = 10;                              // delays of paths: 2^10 ps
constexpr std::int64_t kSlack = 2'000'000;  // a path is not slow before it is 2 us slower

std::int64_t bytes_in(std::int64_t rate, std::int64_t time) {
  return static_cast<std::int64_t>(static_cast<__int128>(rate) * time / kPicosecondsPerSecond);
}

// One packet more per window of acknowledged bytes.
void grow_by_one(Connection& c, const Acknowledged& what, std::int64_t most) {
  if (c.window >= most) return;
  const std::int64_t more = std::max<std::int64_t>(1, what.bytes * what.bytes / c.window);
  c.window = std::min(most, c.window + more);
}

// A window per connection that halves when a timer finds losses.
class FixedWindow final : public Congestion {
 public:
  explicit FixedWindow(const CongestionOptions& options) : options_(options) {}
  void open(Connection& c) const override { c.window = options_.window; }
  void acknowledged(Connection& c, const Acknowledged& what) const override {
    grow_by_one(c, what, options_.window);
  }
  void lost(Connection& c, std::int64_t payload) const override {
    c.window = std::max(payload, c.window / 2);
  }
  std::uint16_t path(Connection& c, std::int64_t /*now*/) const override {
    return c.steering.next_in_turn();
  }

 private:
  CongestionOptions options_;
};

// Once per round trip: far above the target delay the window falls to what the rate of delivery
// fills in one unloaded round trip plus the target; above, by four fifths of the excess (Swift,
// SIGCOMM 2020, section 3.1); well below, it grows by a quarter. And always by one packet a round
// trip, which makes shares equal. A connection that did not use its window keeps it.
class Srd final : public Congestion {
 public:
  explicit Srd(const CongestionOptions& options) : options_(options) {}
  void open(Connection& c) const override { c.window = options_.window; }

  void acknowledged(Connection& c, const Acknowledged& what) const override {
    c.peak = std::max(c.peak, c.in_flight + what.bytes);
    c.acked += what.bytes;
    if (what.round_trip > 0) {
      std::int64_t& base = c.base[what.full ? 1 : 0];
      base = std::min(base, what.round_trip);
      const std::int64_t delay = what.round_trip - base;
      c.delay += delay;
      ++c.samples;
      c.steering.seen(what.path, delay);
    }
    grow_by_one(c, what, options_.window);
    const std::int64_t round = std::max(what.round_trip, std::min(c.base[0], c.base[1]));
    if (c.samples > 0 && what.now - c.epoch >= round) end_epoch(c, what);
  }

  void lost(Connection& c, std::int64_t payload) const override {
    const std::int64_t base = std::min(c.base[0], c.base[1]);
    const std::int64_t delivered = base == kNever ? 0 : bytes_in(c.rate, base);
    c.window = std::max(payload, std::max(delivered, c.window / 2));
  }

  std::uint16_t path(Connection& c, std::int64_t now) const override {
    return c.steering.next(now);
  }

 private:
  void end_epoch(Connection& c, const Acknowledged& what) const {
    const std::int64_t took = what.now - c.epoch;
    const std::int64_t mean = c.delay / c.samples;
    const std::int64_t base = c.base[1] != kNever ? c.base[1] : c.base[0];
    const std::int64_t target = options_.target_queue;
    c.rate = average_rate(Bytes(c.acked), Time(took)).value;
    if (2 * c.peak >= c.window) {
      std::int64_t window = c.window;
      if (mean > kFar * target) {
        window = std::min(window, bytes_in(c.rate, base + target));
      } else if (mean > target) {
        const __int128 excess = static_cast<__int128>(window) * (mean - target) * 4 / (mean * 5);
        window -= std::min(static_cast<std::int64_t>(excess), window / 2);
      } else if (mean < target / 4) {
        window = std::min(options_.window, window + window / 4);
      }
      c.window = std::max(window, what.bytes);
    }
    c.epoch = what.now;
    c.acked = c.delay = c.samples = c.peak = 0;
  }

  CongestionOptions options_;
};

// Rates change when an acknowledgement comes, for all the time since the last. Marks count at most
// once in 50 us, as notification packets do; without marks the rate climbs every 55 us: five halves
// of the way back, then by a hundredth of the line.
class Dcqcn final : public Congestion {
 public:
  explicit Dcqcn(const CongestionOptions& options) : options_(options) {}

  void open(Connection& c) const override {
    c.window = options_.window;
    c.rate = c.target_rate = options_.line_rate;
    c.alpha = 1024;
  }

  void acknowledged(Connection& c, const Acknowledged& what) const override {
    if (what.marked && what.now - c.last_cut >= kNotify) return cut(c, what.now);
    while (what.now - std::max(c.last_raise, c.last_cut) >= kPeriod) raise(c);
  }

  void lost(Connection& c, std::int64_t /*payload*/) const override {
    c.target_rate = c.rate;
    c.rate = std::max(least(), c.rate / 2);
  }

  std::uint16_t path(Connection& c, std::int64_t /*now*/) const override {
    return c.steering.next_in_turn();
  }

  void sent(Connection& c, std::int64_t bytes, std::int64_t now) const override {
    if (c.rate >= options_.line_rate) return;
    c.next_send = std::max(c.next_send, now) + transfer_time(Bytes(bytes), Bandwidth(c.rate)).value;
  }

 private:
  static constexpr std::int64_t kNotify = 50'000'000;
  static constexpr std::int64_t kPeriod = 55'000'000;
  static constexpr std::uint32_t kFastRecovery = 5;

  [[nodiscard]] std::int64_t least() const {
    return std::max<std::int64_t>(1, options_.line_rate / 1000);
  }

  void cut(Connection& c, std::int64_t now) const {
    c.target_rate = c.rate;
    c.rate = std::max(least(), c.rate - c.rate / 2048 * c.alpha);
    c.alpha = std::min<std::int64_t>(1024, c.alpha - c.alpha / 16 + 64);
    c.last_cut = c.last_raise = now;
    c.raises = 0;
  }

  void raise(Connection& c) const {
    c.last_raise = std::max(c.last_raise, c.last_cut) + kPeriod;
    c.alpha -= c.alpha / 16;
    if (++c.raises > kFastRecovery) c.target_rate += options_.line_rate / 100;
    c.target_rate = std::min(c.target_rate, options_.line_rate);
    c.rate = (c.rate + c.target_rate + 1) / 2;
  }

  CongestionOptions options_;
};

}  // namespace

void Steering::open(std::uint32_t paths, std::uint32_t first) {
  delays_.assign(paths, 0);
  cursor_ = static_cast<std::uint16_t>(first % paths);
}

std::uint16_t Steering::next_in_turn() {
  const std::uint16_t path = cursor_;
  cursor_ = static_cast<std::uint16_t>(path + 1U == delays_.size() ? 0 : path + 1);
  return path;
}

std::uint16_t Steering::next(std::int64_t now) {
  const auto paths = static_cast<std::int64_t>(delays_.size());
  for (std::int64_t tried = 1; tried < paths; ++tried) {
    const std::uint16_t path = next_in_turn();
    if (!shut_.empty() && is_shut(path, now)) continue;
    const std::int64_t delay = delays_[path];
    if (delay * paths <= sum_ + sum_ / 2 + (kSlack >> kUnit) * paths) return path;
    set(path, delay - delay / 8);
  }
  return next_in_turn();
}

bool Steering::is_shut(std::uint16_t path, std::int64_t now) {
  Shut& shut = shut_[path];
  if (shut.length == 0) return false;
  if (shut.until > now) return true;
  shut.until = now + shut.length;  // open for the one packet that asks
  shut.length = std::min(2 * shut.length, kLongestShut);
  return false;
}

void Steering::set(std::uint16_t path, std::int64_t delay) {
  sum_ += delay - delays_[path];
  delays_[path] = static_cast<std::int32_t>(delay);
}

void Steering::seen(std::uint16_t path, std::int64_t delay) {
  const std::int64_t now = std::min<std::int64_t>(delay >> kUnit, 1 << 30);
  set(path, delays_[path] + (now - delays_[path]) / 8);
  if (!shut_.empty()) shut_[path] = {};
}

void Steering::failed(std::uint16_t path, std::int64_t now, std::int64_t timer) {
  shut_.resize(delays_.size());
  if (shut_[path].length == 0) shut_[path] = {now + timer, 2 * timer};
}

std::unique_ptr<Congestion> fixed_window(const CongestionOptions& options) {
  return std::make_unique<FixedWindow>(options);
}
std::unique_ptr<Congestion> srd(const CongestionOptions& options) {
  return std::make_unique<Srd>(options);
}
std::unique_ptr<Congestion> dcqcn(const CongestionOptions& options) {
  return std::make_unique<Dcqcn>(options);
}

}  // namespace sim::packet
