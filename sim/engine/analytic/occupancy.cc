// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/analytic/occupancy.h"

#include <algorithm>

#include "sim/base/check.h"

namespace sim::analytic {
namespace {

// Time of `load` (bytes x weight) on a link, in ps, rounded up.
std::int64_t time_on(const flow::LinkRate& link, __int128 load) {
  const __int128 rate = static_cast<__int128>(link.rate.value) * link.scale;
  CHECK(rate > 0);
  return static_cast<std::int64_t>((load * kPicosecondsPerSecond + rate - 1) / rate);
}

// One wave after another, over arrays by link and by port that only the wave's own entries touch.
class Waves {
 public:
  Waves(const Schedule& schedule, const flow::FlowWays& ways, std::vector<SendTimes>& times)
      : schedule_(schedule),
        ways_(ways),
        times_(times),
        load_(ways.links().size(), 0),
        port_need_(ways.ports(), 0),
        port_least_(ways.ports(), 0) {}

  void add(std::span<const OpId> wave) {
    for (const OpId id : wave) note_load(id);
    for (const OpId id : wave) note_port(id);
    for (const OpId id : wave) stretch(id);
    for (const OpId id : wave) forget(id);
  }

 private:
  void note_load(OpId id) {
    const std::int64_t bytes = schedule_.bytes(schedule_.op(id)).value;
    std::int64_t& alone = times_[id].alone_ps;
    for (const flow::Share& share : ways_.shares(times_[id].pair)) {
      load_[share.link] += static_cast<__int128>(bytes) * share.weight;
      alone = std::max(
          alone, time_on(ways_.links()[share.link], static_cast<__int128>(bytes) * share.weight));
    }
  }

  // What the port needs for all its sends of the wave by itself, and what the links need.
  void note_port(OpId id) {
    const flow::FlowWays::Way& way = ways_.way(times_[id].pair);
    const std::int64_t bytes = schedule_.bytes(schedule_.op(id)).value;
    times_[id].port_ps = transfer_time(Bytes(bytes), way.port_rate).value;
    port_need_[way.port] += times_[id].port_ps;
    for (const flow::Share& share : ways_.shares(times_[id].pair)) {
      port_least_[way.port] =
          std::max(port_least_[way.port], time_on(ways_.links()[share.link], load_[share.link]));
    }
  }

  void stretch(OpId id) {
    const std::uint32_t port = ways_.way(times_[id].pair).port;
    if (port_least_[port] <= port_need_[port]) return;
    const __int128 stretched = static_cast<__int128>(times_[id].port_ps) * port_least_[port];
    times_[id].port_ps =
        static_cast<std::int64_t>((stretched + port_need_[port] - 1) / port_need_[port]);
  }

  void forget(OpId id) {
    const std::uint32_t port = ways_.way(times_[id].pair).port;
    port_need_[port] = port_least_[port] = 0;
    for (const flow::Share& share : ways_.shares(times_[id].pair)) load_[share.link] = 0;
  }

  const Schedule& schedule_;
  const flow::FlowWays& ways_;
  std::vector<SendTimes>& times_;
  std::vector<__int128> load_;
  std::vector<std::int64_t> port_need_;
  std::vector<std::int64_t> port_least_;
};

}  // namespace

std::vector<std::uint32_t> waves(const Schedule& schedule, const Dependencies& depends) {
  std::vector<std::uint32_t> wave(schedule.ops(), 0);
  std::vector<std::uint32_t> open = depends.waits();
  std::vector<bool> is_send(schedule.ops(), false);
  std::vector<OpId> ready;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    OpId id = schedule.first_op(rank);
    for (const Op& op : schedule.program(rank).ops) is_send[id++] = op.transfers();
  }
  for (OpId id = 0; id < schedule.ops(); ++id) {
    if (open[id] == 0) ready.push_back(id);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const std::uint32_t next = wave[ready[i]] + (is_send[ready[i]] ? 1 : 0);
    for (const OpId dependent : depends.dependents(ready[i])) {
      wave[dependent] = std::max(wave[dependent], next);
      if (--open[dependent] == 0) ready.push_back(dependent);
    }
  }
  return wave;
}

std::vector<SendTimes> occupancy(const Schedule& schedule, const Placement& placement,
                                 const flow::FlowWays& ways) {
  const std::vector<std::uint32_t> wave = waves(schedule, Dependencies(schedule));
  std::vector<SendTimes> times(schedule.ops());
  const std::uint32_t count = wave.empty() ? 0 : *std::max_element(wave.begin(), wave.end()) + 1;
  std::vector<std::uint32_t> first(count + 1, 0);
  const auto for_each_send = [&](auto visit) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      OpId id = schedule.first_op(rank);
      for (const Op& op : schedule.program(rank).ops) {
        if (op.transfers()) visit(rank, op, id);
        ++id;
      }
    }
  };
  for_each_send([&](Rank rank, const Op& op, OpId id) {
    times[id].pair = ways.number(placement.endpoint_of[rank], placement.endpoint_of[op.peer]);
    ++first[wave[id] + 1];
  });
  for (std::size_t w = 1; w < first.size(); ++w) first[w] += first[w - 1];
  std::vector<OpId> sends(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for_each_send([&](Rank, const Op&, OpId id) { sends[next[wave[id]]++] = id; });
  Waves loads(schedule, ways, times);
  for (std::uint32_t w = 0; w < count; ++w) {
    loads.add({sends.data() + first[w], first[w + 1] - first[w]});
  }
  return times;
}

}  // namespace sim::analytic
