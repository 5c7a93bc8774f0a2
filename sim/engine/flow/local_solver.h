// SPDX-License-Identifier: GPL-2.0-only
// LocalSolver: max-min fair rates by local repair with sparse lists. After a batch of starts and
// ends `repair` looks only at links whose inputs changed, lowest level first, until no link is out
// of order; cheap where few links change at a time. Any number of links.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/flow/endings.h"
#include "sim/engine/flow/link_order.h"
#include "sim/engine/flow/next_times.h"
#include "sim/engine/flow/records.h"

namespace sim::flow {

class LocalSolver {
 public:
  // Rates in units of 2^-q byte/ps.
  LocalSolver(std::span<const LinkRate> links, unsigned q);

  void advance(Time now);
  void take_due(std::vector<std::uint32_t>& tags);
  // A flow that has `amount` to move per unit of `weight`.
  void attach(std::uint32_t tag, std::span<const Share> route, Clock amount, std::uint32_t weight);
  void repair();
  [[nodiscard]] Time next() const { return Time(times_.least()); }
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
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
      const Flow f = flows_[flow];
      if (f.hops == 0) continue;
      route.clear();
      for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
        route.push_back({hops_[h].link, hops_[h].weight});
      }
      give(f.tag, std::span<const Share>(route), left_of(f));
    }
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xffff'ffffU;

  // What the loop over a riser's pairs touches: 32 bytes.
  struct Link {
    std::int64_t room = 0;  // R = C - S
    std::int64_t level = kInfiniteLevel;
    std::int64_t top = 0;  // no owner of a foreign flow here has a higher level
    std::uint32_t own = 0;
    bool pinned = false;
    bool marked = false;
    bool dirty = false;
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
    std::uint32_t place;  // in the owner's heap; of one that waits, in `waiting_`
    std::uint32_t first;  // hop
    std::uint32_t hops;
    std::uint32_t own_hop;
    std::uint32_t tag;
  };
  struct Hop {
    std::uint32_t link;
    std::uint32_t weight;
    std::uint32_t flow;
  };
  struct ListedAt {      // a foreign hop
    std::uint32_t down;  // place in the owner's `down`
    std::uint32_t thru;  // place in the link's `thru`
  };
  struct Candidate {
    std::int64_t level;
    std::uint32_t owner;
    std::uint32_t hop;
  };

  class Fill;  // all flows from scratch

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
  void join(const Ending& start);
  [[nodiscard]] Clock left_of(const Flow& flow) const;
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
  void list_all();
  void settle();
  void evaluate(std::uint32_t link);
  std::int64_t take_faster(std::uint32_t link, std::int64_t level);
  void take(std::uint32_t link, std::uint32_t hop);
  void set_level(std::uint32_t link, std::int64_t level);
  void sort_order();
  void start_afresh();
  void refresh_times();
  [[nodiscard]] std::string fault_of(std::uint32_t link, std::int64_t load) const;

  unsigned q_ = 0;
  std::int64_t now_ = 0;
  std::size_t active_ = 0;
  bool listed_ = true;  // `down` and `thru` tell all flows
  std::vector<Link> links_;
  std::vector<Queue> queues_;
  Records<Flow> flows_;
  Records<Hop> hops_;
  Records<ListedAt> listed_at_;  // by hop
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_hops_;  // by number of hops
  LinkOrder dirty_;
  NextTimes times_;
  std::vector<std::uint32_t> marked_;
  std::vector<std::uint32_t> urgent_;  // links so overloaded for a moment that they go first
  std::vector<Candidate> candidates_;  // of the evaluation under way
  std::vector<std::uint32_t> taken_;   // flows, by it
  Records<Ending> waiting_;            // for the next repair: flows and what each has to move
  std::uint64_t since_sort_ = 0;       // evaluations
  SolverCounts counts_;
};

}  // namespace sim::flow
