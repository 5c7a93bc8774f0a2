// SPDX-License-Identifier: GPL-2.0-only
// AnalyticNetwork: a Network whose transfers have their times from link loads known before. A port
// serves its transfers in order of their start, so a transfer costs two events and no solving. No
// link lets more through than it can: a transfer arrives no earlier than all that has arrived over
// each of its links would take there. That matters where chains of unequal sends fall out of step.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/analytic/occupancy.h"
#include "sim/engine/costs.h"
#include "sim/engine/flow/timeline.h"
#include "sim/engine/flow/ways.h"
#include "sim/engine/network.h"
#include "sim/engine/run_control.h"

namespace sim::analytic {

class AnalyticNetwork final : public Network {
 public:
  // `sends`: by transfer id.
  AnalyticNetwork(const flow::FlowWays& ways, const std::vector<SendTimes>& sends,
                  const EndCosts& costs, const RunLimits& limits, RunControl& control);

  [[nodiscard]] Time now() const override { return Time(now_); }
  void start(const Transfer& transfer) override;
  void wake_at(Time time, std::uint32_t id) override;
  void run(Sink& sink) override;

  [[nodiscard]] RunEnd end() const { return end_; }
  [[nodiscard]] const std::vector<std::int64_t>& moved() const { return moved_; }  // by pair, bytes

 private:
  enum Kind : std::uint32_t { kArrive, kHeldUp, kWake };

  // When the links of a transfer that arrives now have let it through, with all before it.
  [[nodiscard]] std::int64_t let_through(std::uint32_t id);
  [[nodiscard]] bool may_go_on();

  const flow::FlowWays& ways_;
  const std::vector<SendTimes>& sends_;
  const EndCosts& costs_;
  const RunLimits& limits_;
  RunControl& control_;
  flow::Timeline timeline_;
  std::int64_t now_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t arrived_ = 0;
  std::vector<std::int64_t> port_free_;  // by port
  std::vector<std::int64_t> moved_;
  std::vector<std::int64_t> bytes_;  // by transfer id
  std::vector<__int128> load_;       // by link, arrived bytes x weight
  RunEnd end_ = RunEnd::kDone;
};

}  // namespace sim::analytic
