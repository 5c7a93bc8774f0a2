// SPDX-License-Identifier: GPL-2.0-only
// DenseSolver: max-min fair rates where most links change at most events. Links stand in an array
// sorted by level, a link that limits a flow always before the others that the flow crosses. Repair
// sweeps the array once from the lowest link that changed: each link gets its level and is inserted
// where it belongs; on its way it takes over the flows of the links that it passes. Which links a
// link's own flows cross is a row of bits (and further rows where they cross with more weight), so
// that a change of level is one pass of additions under a mask. For at most kMostLinks links, as
// rows and heads of lists take links^2.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/flow/endings.h"
#include "sim/engine/flow/records.h"

namespace sim::flow {

class DenseSolver {
 public:
  static constexpr std::size_t kMostLinks = 4'096;

  // Rates in units of 2^-q byte/ps.
  DenseSolver(std::span<const LinkRate> links, unsigned q, Time now);

  void advance(Time now);
  void take_due(std::vector<std::uint32_t>& tags);
  // A flow that has `amount` to move per unit of `weight`.
  void attach(std::uint32_t tag, std::span<const Share> route, Clock amount, std::uint32_t weight);
  void repair();
  [[nodiscard]] Time next() const { return Time(least_); }
  [[nodiscard]] std::size_t active() const { return active_; }
  [[nodiscard]] Time now() const { return Time(now_); }
  void set_rate(std::uint32_t link, const LinkRate& rate);

  [[nodiscard]] double rate_of(std::uint32_t tag) const;
  [[nodiscard]] double level_of(std::uint32_t link) const;
  [[nodiscard]] std::string fault() const;
  [[nodiscard]] const SolverCounts& counts() const { return counts_; }

  // Calls give(tag, route, amount left) for every flow; the solver is of no use afterwards.
  template <class Give>
  void hand_over(Give give) const {
    std::vector<Share> route;
    for (const Flow& f : flows_) {
      if (f.hops == 0) continue;
      route.clear();
      for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
        route.push_back({hops_[h].link, hops_[h].weight});
      }
      give(f.tag, std::span<const Share>(route), left_of(f));
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffffU;

  struct Own {                  // a link's own flows
    std::int64_t weight = 0;    // K
    std::int64_t capacity = 0;  // C, or the level of a pinned link
    Clock clock = 0;
    std::int64_t at = 0;  // when `clock` was read, ps
    std::vector<Ending> heap;
    bool pinned = false;
    bool marked = false;
  };
  struct Flow {
    std::uint32_t owner;  // link
    std::uint32_t place;  // in the owner's heap
    std::uint32_t first;  // hop
    std::uint32_t hops;   // 0: no flow
    std::uint32_t tag;
  };
  struct Hop {  // in a list of those of one (owner, link); not in one where the owner is the link
    std::uint32_t link;
    std::uint32_t weight;
    std::uint32_t next;
    std::uint32_t previous;
    std::uint32_t flow;
  };
  using Words = std::vector<std::uint64_t>;

  [[nodiscard]] std::int64_t target(std::uint32_t link) const;
  [[nodiscard]] std::int64_t finish(std::uint32_t link) const;
  [[nodiscard]] Clock left_of(const Flow& flow) const;
  [[nodiscard]] bool crosses(std::uint32_t owner, std::uint32_t link) const;
  [[nodiscard]] std::size_t row(std::uint32_t owner) const { return owner * words_; }
  std::uint32_t new_flow(std::uint32_t tag, std::span<const Share> route, std::uint32_t weight);
  void free_flow(std::uint32_t flow);
  void advance_clock(std::uint32_t link);
  void mark(std::uint32_t link);
  void note_dirty(std::uint32_t link);
  void own(std::uint32_t flow, std::uint32_t link, Clock left);
  void disown(std::uint32_t flow);
  void list_hop(std::uint32_t owner, std::uint32_t hop);
  void unlist_hop(std::uint32_t owner, std::uint32_t hop);
  void add_weight(std::uint32_t owner, std::uint32_t link, std::uint32_t weight);
  void subtract_weight(std::uint32_t owner, std::uint32_t link, std::uint32_t weight);
  void end_all();
  void settle();
  std::uint32_t insert(std::uint32_t place, std::uint32_t link, std::int64_t level);
  void take_all(std::uint32_t from, std::uint32_t link);
  void set_level(std::uint32_t link, std::int64_t level);
  void refresh_times();
  [[nodiscard]] std::string fault_of(std::uint32_t link, std::int64_t load) const;

  unsigned q_;
  std::uint32_t links_;
  std::size_t words_;  // of a row
  std::int64_t now_;
  std::int64_t least_ = kNeverEnds;  // of times_
  std::size_t active_ = 0;
  std::vector<Own> own_;
  std::vector<std::int64_t> level_;   // by link; without own flows infinite
  std::vector<std::int64_t> load_;    // S, by link: of foreign flows
  std::vector<std::int64_t> times_;   // by link: its next completion
  std::vector<std::uint32_t> order_;  // links by level, owners before users
  std::vector<std::uint32_t> place_;  // by link, in order_
  Words dirty_;                       // by link
  std::uint32_t lowest_;              // no link before this place is dirty
  std::vector<Words> planes_;         // bit i of the weight with which own flows cross links
  std::vector<std::uint32_t> heads_;  // by (owner, link): a hop
  Records<Flow> flows_;
  Records<Hop> hops_;
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_hops_;  // by number of hops
  std::vector<std::uint32_t> marked_;
  std::vector<std::uint32_t> due_;  // flows
  SolverCounts counts_;
};

}  // namespace sim::flow
