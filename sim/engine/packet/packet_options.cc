// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/packet_options.h"

namespace sim::packet {
namespace {

Key key(const char* name, Dimension dimension, const char* help, std::int64_t least,
        std::int64_t most) {
  Key k;
  k.name = name;
  k.dimension = dimension;
  k.help = help;
  k.required = true;
  k.least = least;
  k.most = most;
  return k;
}

}  // namespace

const std::vector<Key>& packet_keys() {
  static const std::vector<Key> keys = {
      key("dma.queues", Dimension::kCount,
          "transfers that one port of a rank interleaves, packet by packet", 1, 1024),
      key("efa.window", Dimension::kBytes, "bytes in flight from one NIC to one other", 1,
          std::int64_t{1} << 32),
      key("efa.nic_window", Dimension::kBytes, "bytes in flight from one NIC in all", 1,
          std::int64_t{1} << 32),
      key("efa.retransmit_timer", Dimension::kTime,
          "time until a packet that was not acknowledged is sent again", 1'000'000,
          10 * kPicosecondsPerSecond),
      key("efa.retransmit_limit", Dimension::kCount,
          "how often one packet is sent again before its transfer is given up", 0, 1000),
      key("efa.paths", Dimension::kCount, "most paths that one transfer is spread over", 1, 1024),
      key("efa.ack_size", Dimension::kBytes, "payload of an acknowledgement", 1, 4096),
      key("efa.loss", Dimension::kRatio, "chance of losing a packet on one Ethernet link", 0,
          kRatioOne),
  };
  return keys;
}

PacketOptions packet_options(const Parameters& parameters) {
  PacketOptions options;
  options.dma_queues = static_cast<std::uint32_t>(parameters.count("dma.queues"));
  options.paths = static_cast<std::uint32_t>(parameters.count("efa.paths"));
  options.loss = static_cast<std::uint64_t>(parameters.ratio("efa.loss"));
  options.reliable.window = parameters.bytes("efa.window").value;
  options.reliable.nic_window = parameters.bytes("efa.nic_window").value;
  options.reliable.timer = parameters.time("efa.retransmit_timer").value;
  options.reliable.limit = static_cast<std::uint32_t>(parameters.count("efa.retransmit_limit"));
  options.reliable.acknowledgement =
      static_cast<std::uint32_t>(parameters.bytes("efa.ack_size").value);
  return options;
}

}  // namespace sim::packet
