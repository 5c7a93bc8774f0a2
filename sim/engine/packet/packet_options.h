// SPDX-License-Identifier: GPL-2.0-only
// Parameters of the packet level beyond the fabric: DMA queues and the reliable transport. The
// names in scenarios are dma.queues, efa.window, efa.nic_window, efa.retransmit_timer,
// efa.retransmit_limit, efa.paths, efa.ack_size and efa.loss.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/engine/packet/reliable.h"

namespace sim::packet {

struct PacketOptions {
  std::uint32_t dma_queues = 1;  // transfers of one port interleaved packet by packet
  std::uint32_t semaphore = 0;   // bytes that follow the data of a transfer over lossless links
  std::uint32_t paths = 64;      // most paths one transfer is spread over
  std::uint64_t loss = 0;        // per packet and lossy link, parts per billion
  std::uint64_t corruption = 0;  // the same: damaged, thrown away at the end
  std::uint64_t late = 0;        // the same: held up by `lateness`
  std::int64_t lateness = 0;     // ps
  ReliableOptions reliable;
  QueueingOptions queueing;
  std::int64_t stripe_above = 0;       // bytes: longer transfers use all NICs of their chips
  std::int64_t reroute_time = kNever;  // ps until paths leave out a link that went down meanwhile
};

[[nodiscard]] const std::vector<Key>& packet_keys();
[[nodiscard]] PacketOptions packet_options(const Parameters& parameters);

}  // namespace sim::packet
