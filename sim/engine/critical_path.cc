// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/critical_path.h"

#include <algorithm>
#include <vector>

#include "sim/base/check.h"

namespace sim {
namespace {

// Bytes on the wire of a link for `bytes` of payload, headers included.
Time time_on_link(const Fabric& fabric, LinkId link, Bytes bytes) {
  const LinkClass& kind = fabric.kind(link);
  const std::int64_t payload = kind.payload.value > 0 ? kind.payload.value : bytes.value;
  const std::int64_t packets = (bytes.value + payload - 1) / payload;
  return transfer_time(bytes + kind.header * packets, fabric.usable(link));
}

// Takes up to `most` of `left` for one part.
std::int64_t take(std::int64_t& left, Time most) {
  const std::int64_t part = std::min(left, most.value);
  left -= part;
  return part;
}

}  // namespace

Unloaded unloaded(const Topology& topology, const EndCosts& costs, EndpointId from, EndpointId to,
                  Bytes bytes) {
  const Fabric& fabric = *topology.fabric;
  std::vector<LinkId> links;
  topology.routes->append_path(from, to, 0, links);
  const std::uint32_t paths = topology.routes->path_count(from, to);
  Unloaded parts;
  bool nic = false;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkId id = links[i];
    const Link& link = fabric.link(id);
    nic = nic || fabric.node(link.to).kind == NodeKind::kNic;
    parts.latency += link.latency;
    if (i + 1 < links.size()) parts.latency += fabric.passing(id, links[i + 1]);
    // Packets of one transfer share links between switches with the other paths.
    const bool spread = paths > 1 && fabric.node(link.from).kind == NodeKind::kSwitch &&
                        fabric.node(link.to).kind == NodeKind::kSwitch;
    const Bytes share(spread ? (bytes.value + paths - 1) / paths : bytes.value);
    parts.transmission = std::max(parts.transmission, time_on_link(fabric, id, share));
  }
  parts.endpoint = transfer_cost_before(costs, nic, bytes) + transfer_cost_after(costs);
  return parts;
}

Breakdown critical_path(const Executor& executor, const Schedule& schedule,
                        const Placement& placement, const Topology& topology, const EndCosts& costs,
                        const Repairs& repairs) {
  CHECK(executor.finished());
  const OpTimes& times = executor.times();
  Breakdown sum;
  if (schedule.ops() == 0) {
    sum.launch_ps = executor.time().value;
    return sum;
  }
  OpId id = executor.last();
  while (true) {
    const Op& op = schedule.op(id);
    std::int64_t left = (times.end[id] - times.begin[id]).value;
    if (op.transfers()) {
      const EndpointId from = placement.endpoint_of[schedule.rank_of(id)];
      const EndpointId to = placement.endpoint_of[op.peer];
      const Unloaded parts = unloaded(topology, costs, from, to, schedule.bytes(op));
      sum.endpoint_ps += take(left, times.issue[id] - times.begin[id]);
      sum.endpoint_ps += take(left, parts.endpoint);
      sum.latency_ps += take(left, parts.latency);
      sum.transmission_ps += take(left, parts.transmission);
      if (const auto repair = repairs.find(id); repair != repairs.end()) {
        sum.repair_ps += take(left, repair->second);
      }
      sum.queueing_ps += left;
    } else {
      sum.compute_ps += left;
    }
    const OpId before = times.released_by[id];
    if (before == id) break;
    CHECK(times.end[before] == times.begin[id]);
    id = before;
  }
  sum.launch_ps = times.begin[id].value;
  if (!placement.arrival.empty()) {
    sum.late_ps = placement.arrival[schedule.rank_of(id)].value;
    sum.launch_ps -= sum.late_ps;
  }
  return sum;
}

}  // namespace sim
