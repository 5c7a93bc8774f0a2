// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/costs.h"

#include <limits>

namespace sim {
namespace {

Key key(const char* name, Dimension dimension, const char* help, std::int64_t most) {
  Key k;
  k.name = name;
  k.dimension = dimension;
  k.help = help;
  k.required = true;
  k.least = dimension == Dimension::kBandwidth ? 1 : 0;
  k.most = most;
  return k;
}

Key optional_key(const char* name, Dimension dimension, const char* help, std::int64_t most,
                 const char* fallback) {
  Key k = key(name, dimension, help, most);
  k.required = false;
  k.fallback = fallback;
  return k;
}

Bandwidth rate(const Parameters& parameters, const char* name) {
  const Bandwidth rate = parameters.bandwidth(name);
  return rate.value == std::numeric_limits<std::int64_t>::max() ? Bandwidth(0) : rate;
}

}  // namespace

const std::vector<Key>& end_cost_keys() {
  constexpr std::int64_t kSecond = kPicosecondsPerSecond;
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  static const std::vector<Key> keys = {
      key("collective.launch", Dimension::kTime, "once per collective, before anything moves",
          kSecond),
      key("endpoint.per_transfer", Dimension::kTime,
          "descriptor, DMA start and semaphore of one transfer (latency)", kSecond),
      key("endpoint.issue_gap", Dimension::kTime,
          "least time between two transfers that one rank starts (occupancy)", kSecond),
      key("endpoint.memory_latency", Dimension::kTime,
          "HBM access, once where bytes are read and once where they are written", kSecond),
      key("endpoint.nic_transfer", Dimension::kTime,
          "proxy, doorbell and completion of a transfer that crosses NICs (latency)", kSecond),
      optional_key("endpoint.nic_segmenting", Dimension::kTime,
                   "cutting and joining a transfer over NICs that takes several packets (latency)",
                   kSecond, "0 us"),
      key("endpoint.reduce_rate", Dimension::kBandwidth,
          "rate at which a rank merges arrived bytes; unlimited: in the path, for free", kAny),
      key("endpoint.copy_rate", Dimension::kBandwidth,
          "rate at which a rank copies in its own memory; unlimited: free", kAny),
  };
  return keys;
}

EndCosts end_costs(const Parameters& parameters) {
  EndCosts costs;
  costs.launch = parameters.time("collective.launch");
  costs.per_transfer = parameters.time("endpoint.per_transfer");
  costs.issue_gap = parameters.time("endpoint.issue_gap");
  costs.memory = parameters.time("endpoint.memory_latency");
  costs.nic_transfer = parameters.time("endpoint.nic_transfer");
  costs.nic_segmenting = parameters.time("endpoint.nic_segmenting");
  costs.nic_packet = Bytes(std::numeric_limits<std::int64_t>::max());
  if (parameters.find("efa.mtu") != nullptr) costs.nic_packet = parameters.bytes("efa.mtu");
  costs.reduce = rate(parameters, "endpoint.reduce_rate");
  costs.copy = rate(parameters, "endpoint.copy_rate");
  return costs;
}

Time transfer_cost_before(const EndCosts& costs, bool crosses_nic, Bytes bytes) {
  Time cost = costs.per_transfer + costs.memory;
  if (crosses_nic) cost += costs.nic_transfer;
  if (crosses_nic && bytes > costs.nic_packet) cost += costs.nic_segmenting;
  return cost;
}

Time transfer_cost_after(const EndCosts& costs) { return costs.memory; }

}  // namespace sim
