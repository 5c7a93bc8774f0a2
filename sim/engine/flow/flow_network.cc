// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/flow/flow_network.h"

#include <algorithm>

#include "sim/base/check.h"

namespace sim::flow {

FlowNetwork::FlowNetwork(const FlowWays& ways, const EndCosts& costs, std::uint32_t queues,
                         const RunLimits& limits, RunControl& control)
    : ways_(ways),
      costs_(costs),
      queues_(queues),
      limits_(limits),
      control_(control),
      solver_(ways.links(), ways.largest_weight(), ways.largest()),
      ports_(ways.ports()),
      moved_(ways.pairs().size(), 0) {}

void FlowNetwork::start(const Transfer& transfer) {
  CHECK(transfer.bytes.value > 0 && transfer.from != transfer.to);
  const Live live{transfer.id, ways_.number(transfer.from, transfer.to), transfer.bytes.value};
  std::uint32_t slot = static_cast<std::uint32_t>(live_.size());
  if (free_.empty()) {
    live_.push_back(live);
  } else {
    slot = free_.back();
    free_.pop_back();
    live_[slot] = live;
  }
  const bool crosses_nic = ways_.way(live.pair).crosses_nic;
  const Time cost = transfer_cost_before(costs_, crosses_nic, transfer.bytes);
  if (cost.value == 0) return ready(slot);
  timeline_.push(now_ + cost.value, {kStart, slot});
}

void FlowNetwork::ready(std::uint32_t slot) {
  Port& port = ports_[ways_.way(live_[slot].pair).port];
  if (port.flowing == queues_) return port.waiting.push_back(slot);
  ++port.flowing;
  attach(slot);
}

void FlowNetwork::attach(std::uint32_t slot) {
  const Live& live = live_[slot];
  solver_.attach(slot, ways_.shares(live.pair), Bytes(live.bytes));
}

void FlowNetwork::wake_at(Time time, std::uint32_t id) {
  CHECK(time.value >= now_);
  timeline_.push(time.value, {kWake, id});
}

// Now and then: progress out, orders in.
bool FlowNetwork::may_go_on() {
  control_.packet_hops.store(arrived_, std::memory_order_relaxed);
  control_.now_ps.store(now_, std::memory_order_relaxed);
  if (control_.stop.load(std::memory_order_relaxed)) end_ = RunEnd::kStopped;
  if (now_ > limits_.simulated_time.value) end_ = RunEnd::kTimeLimit;
  return end_ == RunEnd::kDone;
}

void FlowNetwork::run(Sink& sink) {
  sink_ = &sink;
  solver_.repair();
  while (true) {
    const std::int64_t next = std::min(timeline_.next(), solver_.next().value);
    if (next == MaxMin::kNever) break;  // done, or nothing that is under way can move
    now_ = std::max(now_, next);
    if ((++instants_ & 0xffU) == 0 && !may_go_on()) break;
    solver_.advance(Time(now_));
    take_ends();
    while (timeline_.next() <= now_) handle(timeline_.pop());
    solver_.repair();
  }
  sink_ = nullptr;
  if (end_ == RunEnd::kDone) static_cast<void>(may_go_on());
}

// Flows whose last byte leaves now, in order of their transfers.
void FlowNetwork::take_ends() {
  ended_.clear();
  solver_.take_due(ended_);
  std::sort(ended_.begin(), ended_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return live_[a].id < live_[b].id; });
  for (const std::uint32_t slot : ended_) {
    const Live& live = live_[slot];
    const Time delay = ways_.delay(live.pair, Bytes(live.bytes)) + transfer_cost_after(costs_);
    timeline_.push(now_ + delay.value, {kArrive, slot});
    Port& port = ports_[ways_.way(live.pair).port];
    if (port.waiting.empty()) {
      --port.flowing;
    } else {
      attach(port.waiting.front());
      port.waiting.pop_front();
    }
  }
}

void FlowNetwork::handle(Timeline::Event event) {
  if (event.kind == kWake) return sink_->woken(event.subject);
  if (event.kind == kStart) return ready(event.subject);
  const Live live = live_[event.subject];
  moved_[live.pair] += live.bytes;
  free_.push_back(event.subject);
  ++arrived_;
  sink_->delivered(live.id);
}

}  // namespace sim::flow
