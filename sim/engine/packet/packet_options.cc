// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/packet_options.h"

#include <utility>

#include "sim/base/check.h"

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

// Presets need not give it; what is not published has its range where a preset does.
Key key(const char* name, Dimension dimension, const char* help, std::int64_t least,
        std::int64_t most, const char* fallback) {
  Key k = key(name, dimension, help, least, most);
  k.required = false;
  k.fallback = fallback;
  return k;
}

Key choice(const char* name, const char* help, std::vector<std::string> choices) {
  Key k = key(name, Dimension::kText, help, 0, 0);
  k.required = false;
  k.fallback = choices.front();
  k.choices = std::move(choices);
  return k;
}

std::vector<Key> window_keys() {
  return {
      key("dma.queues", Dimension::kCount,
          "transfers that one port of a rank interleaves, packet by packet", 1, 1024),
      key("dma.semaphore", Dimension::kBytes,
          "size of the write that tells the receiver, which follows the data on the same way over "
          "lossless links; 0: it is part of endpoint.per_transfer only",
          0, 4096, "0 B"),
      key("efa.window", Dimension::kBytes, "most bytes in flight from one NIC to one other", 1,
          std::int64_t{1} << 32),
      key("efa.nic_window", Dimension::kBytes, "bytes in flight from one NIC in all", 1,
          std::int64_t{1} << 32),
      key("efa.retransmit_timer", Dimension::kTime,
          "least time until a packet that was not acknowledged is sent again", 1'000'000,
          10 * kPicosecondsPerSecond),
      key("efa.retransmit_limit", Dimension::kCount,
          "how often one packet is sent again before its transfer is given up", 0, 1000),
      key("efa.paths", Dimension::kCount, "most paths that one transfer is spread over", 1, 1024),
      key("efa.ack_size", Dimension::kBytes, "payload of an acknowledgement", 1, 4096),
      key("efa.loss", Dimension::kRatio, "chance of losing a packet on one Ethernet link", 0,
          kRatioOne),
  };
}

std::vector<Key> transport_keys() {
  constexpr std::int64_t kSecond = kPicosecondsPerSecond;
  return {
      choice("efa.transport",
             "srd: congestion control from round trips and delivery, steering; window: a fixed "
             "window; dcqcn: RoCE, one path and a rate cut by ECN; ideal: endless queues",
             {"srd", "window", "dcqcn", "ideal"}),
      key("efa.target_queue", Dimension::kTime, "srd: queueing delay that a sender aims at", 1'000,
          kSecond, "5 us"),
      key("efa.ack_every", Dimension::kCount, "packets that one acknowledgement stands for", 1, 64,
          "1"),
      key("efa.ack_delay", Dimension::kTime,
          "how long an acknowledgement waits for more packets, at most", 0, kSecond, "5 us"),
      key("efa.corruption", Dimension::kRatio,
          "chance that one Ethernet link damages a packet, found at the receiver", 0, kRatioOne,
          "0"),
      key("efa.late", Dimension::kRatio, "chance that one Ethernet link holds a packet up", 0,
          kRatioOne, "0"),
      key("efa.lateness", Dimension::kTime, "how long it holds it up", 0, kSecond, "10 us"),
      key("efa.not_ready", Dimension::kRatio, "chance that a receiver is not ready (RNR)", 0,
          kRatioOne, "0"),
      key("efa.not_ready_timer", Dimension::kTime, "time until a sender tries again then", 0,
          kSecond, "100 us"),
      key("efa.not_ready_limit", Dimension::kCount,
          "how often a receiver may refuse one packet before its transfer is given up; 7: always",
          0, kRetryForEver, "3"),
      key("efa.stripe_above", Dimension::kBytes,
          "transfers longer than this spread over all NICs of their chips, others take one in turn",
          0, std::int64_t{1} << 40, "128 KiB"),
      key("efa.reroute_time", Dimension::kTime,
          "with fabric.rerouting: static: how long after a link has gone down or come back while a "
          "case runs the paths between NICs are set anew",
          0, 1'000 * kSecond, "1 s"),
  };
}

std::vector<Key> queueing_keys() {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return {
      choice(
          "neuronlink.arbitration",
          "how outputs of lossless switches and chips serve their inputs: in turn, or by time of "
          "arrival",
          {"round_robin", "arrival"}),
      choice("efa.flow_control",
             "drop: Ethernet drops at full queues; pause: priority flow "
             "control (PFC), as credits of the buffer",
             {"drop", "pause"}),
      key("efa.shared_buffer", Dimension::kBytes,
          "buffer that all ports of an Ethernet switch share; 0: a fixed one per port", 0, kMost,
          "0 B"),
      key("efa.buffer_share", Dimension::kRatio,
          "most of the free shared buffer that one port may fill (dynamic threshold)", 0,
          64 * kRatioOne, "1"),
      key("efa.ecn_threshold", Dimension::kBytes,
          "queue of an Ethernet port above which packets are marked; 0: never", 0, kMost, "0 B"),
  };
}

TransportKind kind_of(const std::string& name) {
  if (name == "srd") return TransportKind::kSrd;
  if (name == "dcqcn") return TransportKind::kDcqcn;
  if (name == "ideal") return TransportKind::kIdeal;
  CHECK(name == "window");
  return TransportKind::kWindow;
}

ReliableOptions reliable_options(const Parameters& parameters) {
  ReliableOptions options;
  options.kind = kind_of(parameters.text("efa.transport"));
  options.window = parameters.bytes("efa.window").value;
  options.nic_window = parameters.bytes("efa.nic_window").value;
  options.timer = parameters.time("efa.retransmit_timer").value;
  options.limit = static_cast<std::uint32_t>(parameters.count("efa.retransmit_limit"));
  options.acknowledgement = static_cast<std::uint32_t>(parameters.bytes("efa.ack_size").value);
  options.ack_every = static_cast<std::uint32_t>(parameters.count("efa.ack_every"));
  options.ack_delay = parameters.time("efa.ack_delay").value;
  options.target_queue = parameters.time("efa.target_queue").value;
  options.not_ready = static_cast<std::uint64_t>(parameters.ratio("efa.not_ready"));
  options.not_ready_timer = parameters.time("efa.not_ready_timer").value;
  options.not_ready_limit = static_cast<std::uint32_t>(parameters.count("efa.not_ready_limit"));
  return options;
}

QueueingOptions queueing_options(const Parameters& parameters) {
  QueueingOptions options;
  options.round_robin = parameters.text("neuronlink.arbitration") == "round_robin";
  options.pfc = parameters.text("efa.flow_control") == "pause";
  options.endless = parameters.text("efa.transport") == "ideal";
  options.shared_buffer = parameters.bytes("efa.shared_buffer").value;
  options.share_ppb = parameters.ratio("efa.buffer_share");
  options.ecn_threshold = parameters.bytes("efa.ecn_threshold").value;
  return options;
}

}  // namespace

const std::vector<Key>& packet_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all = window_keys();
    for (Key& key : transport_keys()) all.push_back(std::move(key));
    for (Key& key : queueing_keys()) all.push_back(std::move(key));
    return all;
  }();
  return keys;
}

PacketOptions packet_options(const Parameters& parameters) {
  PacketOptions options;
  options.dma_queues = static_cast<std::uint32_t>(parameters.count("dma.queues"));
  options.semaphore = static_cast<std::uint32_t>(parameters.bytes("dma.semaphore").value);
  options.paths = static_cast<std::uint32_t>(parameters.count("efa.paths"));
  options.loss = static_cast<std::uint64_t>(parameters.ratio("efa.loss"));
  options.corruption = static_cast<std::uint64_t>(parameters.ratio("efa.corruption"));
  options.late = static_cast<std::uint64_t>(parameters.ratio("efa.late"));
  options.lateness = parameters.time("efa.lateness").value;
  options.reliable = reliable_options(parameters);
  options.stripe_above = parameters.bytes("efa.stripe_above").value;
  const sim::Parameter* rerouting = parameters.find("fabric.rerouting");
  if (rerouting != nullptr && rerouting->value.text == "static") {
    options.reroute_time = parameters.time("efa.reroute_time").value;
  }
  options.queueing = queueing_options(parameters);
  if (options.reliable.kind == TransportKind::kDcqcn) options.paths = 1;  // in order, by ECMP
  return options;
}

}  // namespace sim::packet
