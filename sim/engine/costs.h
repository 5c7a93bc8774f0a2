// SPDX-License-Identifier: GPL-2.0-only
// What the ends of a transfer cost, apart from the wires: all latencies unless said otherwise.
#pragma once

#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/units.h"

namespace sim {

struct EndCosts {
  Time launch;          // once per collective, before any op starts
  Time per_transfer;    // descriptor, DMA start and semaphore of one transfer
  Time issue_gap;       // one rank starts its transfers at least this far apart (occupancy)
  Time memory;          // HBM access, at the reading and at the writing end each
  Time nic_transfer;    // proxy, doorbell and completion, added when the path crosses a NIC
  Time nic_segmenting;  // of a transfer over NICs that is longer than `nic_packet`
  Bytes nic_packet;     // payload of one packet between NICs
  Bandwidth reduce;     // rate at which a rank merges arrived bytes; 0: free
  Bandwidth copy;       // rate at which a rank copies in its memory; 0: free
};

// Parameters that every scenario has: collective.launch, endpoint.per_transfer, endpoint.issue_gap,
// endpoint.memory_latency, endpoint.nic_transfer, endpoint.nic_segmenting, endpoint.reduce_rate,
// endpoint.copy_rate.
[[nodiscard]] const std::vector<Key>& end_cost_keys();
[[nodiscard]] EndCosts end_costs(const Parameters& parameters);

// Latency from the start of a transfer to its first byte on the wire, issue gaps apart.
[[nodiscard]] Time transfer_cost_before(const EndCosts& costs, bool crosses_nic, Bytes bytes);
// Latency from its last byte at the receiver to its being in memory.
[[nodiscard]] Time transfer_cost_after(const EndCosts& costs);

}  // namespace sim
