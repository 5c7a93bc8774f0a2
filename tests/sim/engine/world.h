// SPDX-License-Identifier: GPL-2.0-only
// Small fabrics made by hand and a network on them, for tests of the packet level: nothing of the
// scenario loader, so that each test states all that matters to it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/packet/packet_network.h"
#include "sim/fabric/routes.h"

namespace sim::packet {

inline PacketOptions default_options() {
  PacketOptions options;
  options.dma_queues = 4;
  options.reliable = {.window = 1 << 20,
                      .nic_window = 1 << 22,
                      .timer = 100'000'000,
                      .limit = 7,
                      .acknowledgement = 64};
  return options;
}

// Notes when each id was delivered or woken; optionally starts more.
class Recorder final : public Sink {
 public:
  void delivered(std::uint32_t id) override {
    times[id] = network->now().value;
    ++deliveries[id];
  }
  void woken(std::uint32_t id) override {
    wakes[id] = network->now().value;
    if (const auto later = starts.find(id); later != starts.end()) network->start(later->second);
  }

  Network* network = nullptr;
  std::map<std::uint32_t, std::int64_t> times;
  std::map<std::uint32_t, int> deliveries;
  std::map<std::uint32_t, std::int64_t> wakes;
  std::map<std::uint32_t, Transfer> starts;  // by id of the wake-up
};

struct Wire {
  Bandwidth rate = gigabytes_per_second(100);
  Time latency = nanoseconds(100);
  FlowControl flow = FlowControl::kUnbounded;
  Bytes buffer = kibibytes(1024);
  Bytes payload = Bytes(4000);
  Bytes header = Bytes(0);
};

inline LinkClass link_class(const std::string& name, const Wire& wire) {
  return {.name = name,
          .flow = wire.flow,
          .buffer = wire.buffer,
          .payload = wire.payload,
          .header = wire.header};
}

// `ends` chips on one switch, all by `wire`.
inline Topology star(std::uint32_t ends, const Wire& wire,
                     Forwarding forwarding = Forwarding::kStoreAndForward,
                     Time switch_latency = Time(0)) {
  FabricBuilder builder;
  const ClassId kind = builder.add_class(link_class("link", wire));
  const NodeId hub = builder.add_node({NodeKind::kSwitch, forwarding, switch_latency, "switch"});
  for (std::uint32_t i = 0; i < ends; ++i) {
    const NodeId end = builder.add_node(
        {NodeKind::kChip, Forwarding::kStoreAndForward, Time(0), "end " + std::to_string(i)});
    builder.connect(end, hub, kind, wire.rate, wire.latency);
    builder.add_endpoint(end);
  }
  auto fabric = std::make_unique<const Fabric>(std::move(builder).seal());
  auto routes = shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

// chip - switch - chip with different wires before and after the switch.
inline Topology two_links(const Wire& first, const Wire& second, Forwarding forwarding,
                          Time switch_latency = Time(0)) {
  FabricBuilder builder;
  const ClassId a = builder.add_class(link_class("first", first));
  const ClassId b = builder.add_class(link_class("second", second));
  const NodeId from = builder.add_node({NodeKind::kChip, forwarding, Time(0), "from"});
  const NodeId mid = builder.add_node({NodeKind::kSwitch, forwarding, switch_latency, "switch"});
  const NodeId to = builder.add_node({NodeKind::kChip, forwarding, Time(0), "to"});
  builder.connect(from, mid, a, first.rate, first.latency);
  builder.connect(mid, to, b, second.rate, second.latency);
  builder.add_endpoint(from);
  builder.add_endpoint(to);
  auto fabric = std::make_unique<const Fabric>(std::move(builder).seal());
  auto routes = shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

// A network with its control and recorder. One at a time: ns-3 has one simulator.
struct World {
  explicit World(Topology t, PacketOptions options = default_options(), EndCosts costs = {},
                 std::uint64_t seed = 1)
      : topology(std::move(t)), network(topology, costs, options, seed, RunLimits{}, control) {
    recorder.network = &network;
  }
  void send(std::uint32_t id, std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    network.start({id, EndpointId(from), EndpointId(to), Bytes(bytes)});
  }
  void send_at(std::int64_t time, std::uint32_t id, std::uint32_t from, std::uint32_t to,
               std::int64_t bytes) {
    recorder.starts[id] = {id, EndpointId(from), EndpointId(to), Bytes(bytes)};
    network.wake_at(Time(time), id);
  }
  void run() { network.run(recorder); }
  std::int64_t time(std::uint32_t id) const { return recorder.times.at(id); }

  Topology topology;
  RunControl control;
  PacketNetwork network;
  Recorder recorder;
};

}  // namespace sim::packet
