// SPDX-License-Identifier: GPL-2.0-only
// FlowNetwork: a Network of fluid transfers. After the costs at its sending end a transfer waits
// for one of the DMA queues of the port that it leaves by, then flows at its max-min fair rate over
// the links of its way; when its last byte has left, it arrives after the latencies of its way and
// the costs at the receiving end. All that happens at one picosecond is taken together, ends before
// starts, and the rates are solved once.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/engine/costs.h"
#include "sim/engine/flow/max_min.h"
#include "sim/engine/flow/timeline.h"
#include "sim/engine/flow/ways.h"
#include "sim/engine/network.h"
#include "sim/engine/run_control.h"

namespace sim::flow {

class FlowNetwork final : public Network {
 public:
  // `queues`: most transfers that flow out of one port at once.
  FlowNetwork(const FlowWays& ways, const EndCosts& costs, std::uint32_t queues,
              const RunLimits& limits, RunControl& control);

  [[nodiscard]] Time now() const override { return Time(now_); }
  void start(const Transfer& transfer) override;
  void wake_at(Time time, std::uint32_t id) override;
  void run(Sink& sink) override;

  [[nodiscard]] RunEnd end() const { return end_; }
  [[nodiscard]] std::size_t under_way() const { return live_.size() - free_.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& moved() const { return moved_; }  // by pair, bytes
  [[nodiscard]] const MaxMin& solver() const { return solver_; }

 private:
  struct Live {
    std::uint32_t id;
    std::uint32_t pair;
    std::int64_t bytes;
  };
  enum Kind : std::uint32_t { kStart, kArrive, kWake };

  [[nodiscard]] bool may_go_on();
  void take_ends();
  void handle(Timeline::Event event);
  void ready(std::uint32_t live);
  void attach(std::uint32_t live);

  struct Port {  // what leaves by one first link
    std::uint32_t flowing = 0;
    std::deque<std::uint32_t> waiting;
  };

  const FlowWays& ways_;
  const EndCosts& costs_;
  std::uint32_t queues_;
  const RunLimits& limits_;
  RunControl& control_;
  MaxMin solver_;
  Timeline timeline_;
  Sink* sink_ = nullptr;
  std::int64_t now_ = 0;
  std::uint64_t instants_ = 0;
  std::uint64_t arrived_ = 0;
  std::vector<Port> ports_;
  std::vector<Live> live_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> ended_;
  std::vector<std::int64_t> moved_;
  RunEnd end_ = RunEnd::kDone;
};

}  // namespace sim::flow
