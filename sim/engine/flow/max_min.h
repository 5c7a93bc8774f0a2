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
//
// Two engines do it and give the same times: LocalSolver, and DenseSolver where most links change
// at most events. Which one is at work changes by itself, by counts alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/flow/dense_solver.h"
#include "sim/engine/flow/endings.h"
#include "sim/engine/flow/local_solver.h"

namespace sim::flow {

class MaxMin {
 public:
  enum class Way { kByItself, kLocal, kDense };

  // `largest_weight`: of any share times the weight of its flow. `largest`: a rate that no link
  // exceeds; it fixes the unit, so that two networks count alike (0: the largest of these links).
  // A given `way` is for tests and benchmarks.
  MaxMin(std::span<const LinkRate> links, std::uint64_t largest_weight, Bandwidth largest = {},
         Way way = Way::kByItself);

  void advance(Time now) { local_ ? local_->advance(now) : dense_->advance(now); }  // never back
  // Ends the flows that are due now; their tags in increasing order. A link may have more that are
  // due once it is repaired.
  void take_due(std::vector<std::uint32_t>& tags) {
    local_ ? local_->take_due(tags) : dense_->take_due(tags);
  }
  // A flow of `bytes` (> 0) over different links; `weight` of it counts as so many equal ones, all
  // of which together move `bytes`.
  void attach(std::uint32_t tag, std::span<const Share> route, Bytes bytes,
              std::uint32_t weight = 1);
  void repair();

  static constexpr std::int64_t kNever = kNeverEnds;
  // kNever: nothing will end.
  [[nodiscard]] Time next() const { return local_ ? local_->next() : dense_->next(); }
  [[nodiscard]] std::size_t active() const { return local_ ? local_->active() : dense_->active(); }
  [[nodiscard]] Time now() const { return local_ ? local_->now() : dense_->now(); }

  // Changes the capacity of a link that is not pinned; takes effect at the next repair.
  void set_rate(std::uint32_t link, const LinkRate& rate);

  // For tests and reports. Rates in bytes per second; no level: -1.
  [[nodiscard]] double rate_of(std::uint32_t tag) const;
  [[nodiscard]] double level_of(std::uint32_t link) const;
  // The certificate, recomputed from the flows: empty if it holds, else what is wrong where.
  [[nodiscard]] std::string fault() const { return local_ ? local_->fault() : dense_->fault(); }
  [[nodiscard]] SolverCounts counts() const;
  [[nodiscard]] bool dense() const { return dense_ != nullptr; }
  [[nodiscard]] std::uint64_t changes_of_engine() const { return changes_of_engine_; }

 private:
  void consider();
  void to_dense();
  void to_local();

  std::vector<LinkRate> links_;
  unsigned q_ = 0;
  Way way_;
  std::unique_ptr<LocalSolver> local_;  // one of the two
  std::unique_ptr<DenseSolver> dense_;
  SolverCounts before_;  // of engines that were left
  SolverCounts seen_;    // when it was last considered
  std::uint64_t changes_of_engine_ = 0;
};

}  // namespace sim::flow
