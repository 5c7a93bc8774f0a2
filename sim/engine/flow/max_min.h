// SPDX-License-Identifier: GPL-2.0-only
// MaxMin: flows that share links max-min fairly, in exact integer arithmetic, repaired locally
// after each batch of starts and ends. A link has a level, the rate per unit of weight of the flows
// that it limits; a flow belongs to one link that limits it, its owner. A change of rate is then
// one number per link, and a flow's progress is read off its owner's clock (the integral of its
// level).
//
// An allocation is max-min fair exactly if every flow crosses a full link on which no flow has a
// higher level (Bertsekas & Gallager, Data Networks, 6.5.2). In links: with K the weight of a
// link's own flows and S the load of the others, level = (C - S) / K, and no own flow crosses a
// link of lower level. `repair` looks only at links whose K or S changed, lowest level first, until
// this holds everywhere; the sums are integers, so no history leaves a trace.
//
// Rates are counted in 2^-q byte/ps, one q for all links, with head-room for the sums that occur in
// mid-repair. Use per time step: advance, take_due, attach, repair, then ask next().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/flow/link_order.h"
#include "sim/engine/flow/next_times.h"

namespace sim::flow {

// One link of a route: the flow loads it with its rate times `weight`.
struct Share {
  std::uint32_t link = 0;
  std::uint32_t weight = 1;

  bool operator==(const Share&) const = default;
};

// A link lets sum(weight x rate) <= rate x scale through. Pinned: it limits each flow by itself to
// `rate`, whatever the others do (a cap).
struct LinkRate {
  Bandwidth rate;
  std::uint32_t scale = 1;
  bool pinned = false;
};

class MaxMin {
 public:
  static constexpr std::int64_t kInfinite = std::int64_t{1} << 62;

  // `largest_weight`: of any share times the weight of its flow. `largest`: a rate that no link
  // exceeds; it fixes the unit, so that two networks count alike (0: the largest of these links).
  MaxMin(std::span<const LinkRate> links, std::uint64_t largest_weight, Bandwidth largest = {});

  void advance(Time now);  // never back
  // Ends the flows that are due now; their tags in increasing order. A link may have more that are
  // due once it is repaired.
  void take_due(std::vector<std::uint32_t>& tags);
  // A flow of `bytes` (> 0) over different links; `weight` of it counts as so many equal ones, all
  // of which together move `bytes`.
  void attach(std::uint32_t tag, std::span<const Share> route, Bytes bytes,
              std::uint32_t weight = 1);
  void repair();

  [[nodiscard]] Time next() const { return Time(times_.least()); }  // kNever: nothing will end
  static constexpr std::int64_t kNever = NextTimes::kNever;
  [[nodiscard]] std::size_t active() const { return active_; }
  [[nodiscard]] Time now() const { return Time(now_); }

  // Changes the capacity of a link that is not pinned; takes effect at the next repair.
  void set_rate(std::uint32_t link, const LinkRate& rate);

  // For tests and reports. Rates in bytes per second; infinite level: -1.
  [[nodiscard]] double rate_of(std::uint32_t tag) const;
  [[nodiscard]] double level_of(std::uint32_t link) const;
  // The certificate, recomputed from the flows: empty if it holds, else what is wrong where.
  [[nodiscard]] std::string fault() const;

  struct Counts {
    std::uint64_t repairs = 0;
    std::uint64_t evaluations = 0;
    std::uint64_t level_changes = 0;
    std::uint64_t moved = 0;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  using Clock = unsigned __int128;  // 2^-q bytes

  // What the loop over a riser's pairs touches: 32 bytes.
  struct Link {
    std::int64_t room = 0;  // R = C - S
    std::int64_t level = kInfinite;
    std::int64_t top = 0;  // no owner of a foreign flow here has a higher level
    std::uint32_t own = 0;
    bool pinned = false;
    bool marked = false;
    bool dirty = false;
  };
  struct Ending {  // of an own flow: where the clock stands when it has moved all
    std::uint64_t high;
    std::uint64_t low;
    std::uint32_t flow;

    [[nodiscard]] Clock key() const { return Clock{high} << 64U | low; }
    [[nodiscard]] bool before(const Ending& other) const {
      return high != other.high ? high < other.high : low < other.low;
    }
  };
  struct Pair {  // of a link's own flows: another link they load
    std::uint32_t link;
    std::uint32_t weight;
  };
  struct Queue {                // the rest of a link
    std::int64_t weight = 0;    // K
    std::int64_t capacity = 0;  // C, or the level of a pinned link
    Clock clock = 0;
    std::int64_t at = 0;       // when `clock` was read, ps
    std::vector<Ending> heap;  // own flows, earliest first
    std::vector<Pair> down;    // of own flows
    std::vector<std::uint32_t> down_hop;
    std::vector<std::uint32_t> thru;  // hops of foreign flows
  };
  struct Flow {
    std::uint32_t owner;  // link
    std::uint32_t place;  // in the owner's heap
    std::uint32_t first;  // hop
    std::uint32_t hops;
    std::uint32_t own_hop;
    std::uint32_t tag;
  };
  struct Hop {
    std::uint32_t link;
    std::uint32_t weight;
    std::uint32_t flow;
    std::uint32_t down;  // place in the owner's `down`; of foreign hops
    std::uint32_t thru;  // place in the link's `thru`; of foreign hops
  };
  struct Candidate {
    std::int64_t level;
    std::uint32_t owner;
    std::uint32_t hop;
  };

  struct Start {  // a flow that waits for the next repair
    std::uint32_t flow;
    Clock amount;
  };
  class Fill;  // all flows from scratch

  [[nodiscard]] std::int64_t units(const LinkRate& rate) const;
  [[nodiscard]] std::int64_t level_if_joined(const Hop& hop) const;
  [[nodiscard]] std::int64_t target(std::uint32_t link) const;
  [[nodiscard]] bool in_order(std::uint32_t link) const;
  [[nodiscard]] std::int64_t finish(std::uint32_t link, const Ending& ending) const;
  std::uint32_t new_flow(std::uint32_t tag, std::span<const Share> route, std::uint32_t weight);
  void free_flow(std::uint32_t flow);
  void advance_clock(std::uint32_t link);
  void mark(std::uint32_t link);
  void note_dirty(std::uint32_t link);
  void load_changed(std::uint32_t link);
  void join(const Start& start);
  void own(std::uint32_t flow, std::uint32_t hop, Clock left);
  void load_others(std::uint32_t flow);
  void unload_others(std::uint32_t flow);
  void end_flow(std::uint32_t flow);
  void end_all();
  void add_pair(std::uint32_t hop, std::uint32_t owner);
  void drop_pair(std::uint32_t hop, std::uint32_t owner);
  void add_thru(std::uint32_t hop);
  void drop_thru(std::uint32_t hop);
  void start_waiting();
  void settle();
  void evaluate(std::uint32_t link);
  std::int64_t take_faster(std::uint32_t link, std::int64_t level);
  void take(std::uint32_t link, std::uint32_t hop);
  void set_level(std::uint32_t link, std::int64_t level);
  void sort_order();
  void start_afresh();
  void refresh_times();
  [[nodiscard]] std::string fault_of(std::uint32_t link, std::int64_t load) const;

  void push(std::uint32_t link, Clock key, std::uint32_t flow);
  void remove(std::uint32_t link, std::uint32_t place);
  void sift_up(std::vector<Ending>& heap, std::uint32_t place, const Ending& item);
  void sift_down(std::vector<Ending>& heap, std::uint32_t place, const Ending& item);

  unsigned q_ = 0;
  std::int64_t now_ = 0;
  std::size_t active_ = 0;
  std::vector<Link> links_;
  std::vector<Queue> queues_;
  std::vector<Flow> flows_;
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_hops_;  // by number of hops
  LinkOrder dirty_;
  NextTimes times_;
  std::vector<std::uint32_t> marked_;
  std::vector<std::uint32_t> urgent_;  // links so overloaded for a moment that they go first
  std::vector<Candidate> candidates_;  // of the evaluation under way
  std::vector<std::uint32_t> taken_;   // flows, by it
  std::vector<Start> waiting_;
  std::uint64_t since_sort_ = 0;  // evaluations
  Counts counts_;
};

}  // namespace sim::flow
