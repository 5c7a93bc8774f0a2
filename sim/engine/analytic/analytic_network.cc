// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/analytic/analytic_network.h"

#include <algorithm>

#include "sim/base/check.h"

namespace sim::analytic {

AnalyticNetwork::AnalyticNetwork(const flow::FlowWays& ways, const std::vector<SendTimes>& sends,
                                 const EndCosts& costs, const RunLimits& limits,
                                 RunControl& control)
    : ways_(ways),
      sends_(sends),
      costs_(costs),
      limits_(limits),
      control_(control),
      port_free_(ways.ports(), 0),
      moved_(ways.pairs().size(), 0),
      bytes_(sends.size(), 0),
      load_(ways.links().size(), 0) {}

void AnalyticNetwork::start(const Transfer& transfer) {
  const SendTimes& send = sends_[transfer.id];
  const flow::FlowWays::Way& way = ways_.way(send.pair);
  const Time cost = transfer_cost_before(costs_, way.crosses_nic, transfer.bytes);
  const std::int64_t begin = std::max(now_ + cost.value, port_free_[way.port]);
  port_free_[way.port] = begin + send.port_ps;
  moved_[send.pair] += transfer.bytes.value;
  bytes_[transfer.id] = transfer.bytes.value;
  const std::int64_t left = begin + std::max(send.port_ps, send.alone_ps);
  const Time after = ways_.delay(send.pair, transfer.bytes) + transfer_cost_after(costs_);
  timeline_.push(left + after.value, {kArrive, transfer.id});
}

void AnalyticNetwork::wake_at(Time time, std::uint32_t id) {
  CHECK(time.value >= now_);
  timeline_.push(time.value, {kWake, id});
}

std::int64_t AnalyticNetwork::let_through(std::uint32_t id) {
  std::int64_t time = now_;
  for (const flow::Share& share : ways_.shares(sends_[id].pair)) {
    __int128& load = load_[share.link];
    load += static_cast<__int128>(bytes_[id]) * share.weight;
    const flow::LinkRate& link = ways_.links()[share.link];
    const __int128 rate = static_cast<__int128>(link.rate.value) * link.scale;
    if (load * kPicosecondsPerSecond <= rate * time) continue;  // a product is cheaper
    time = static_cast<std::int64_t>((load * kPicosecondsPerSecond + rate - 1) / rate);
  }
  return time;
}

// Now and then: progress out, orders in.
bool AnalyticNetwork::may_go_on() {
  control_.packet_hops.store(arrived_, std::memory_order_relaxed);
  control_.now_ps.store(now_, std::memory_order_relaxed);
  if (control_.stop.load(std::memory_order_relaxed)) end_ = RunEnd::kStopped;
  if (now_ > limits_.simulated_time.value) end_ = RunEnd::kTimeLimit;
  return end_ == RunEnd::kDone;
}

void AnalyticNetwork::run(Sink& sink) {
  while (timeline_.next() != flow::Timeline::kNever) {
    now_ = timeline_.next();
    if ((++events_ & 0xfffU) == 0 && !may_go_on()) return;
    const flow::Timeline::Event event = timeline_.pop();
    if (event.kind == kWake) {
      sink.woken(event.subject);
      continue;
    }
    if (event.kind == kArrive) {
      const std::int64_t time = let_through(event.subject);
      if (time > now_) {
        timeline_.push(time, {kHeldUp, event.subject});
        continue;
      }
    }
    ++arrived_;
    sink.delivered(event.subject);
  }
  static_cast<void>(may_go_on());
}

}  // namespace sim::analytic
