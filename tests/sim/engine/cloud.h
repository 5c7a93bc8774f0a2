// SPDX-License-Identifier: GPL-2.0-only
// A Clos of one ToR per end for tests of the transports between NICs.
#pragma once

#include "tests/sim/engine/world.h"

namespace sim::packet {

inline constexpr std::int64_t kPacket = 80'000;  // 2000 B at 25 GB/s
inline constexpr std::int64_t kWire = 500'000;

struct Cloud {
  std::uint32_t ends = 2;
  std::uint32_t spines = 4;
  Bytes queue = kibibytes(4096);
  std::uint32_t ends_per_tor = 1;
};

// `ends` chips with a NIC each, `spines` paths between any two, over spines also inside a ToR. NIC
// buses are so fast that they hardly count.
class SprayRoutes final : public Routes {
 public:
  SprayRoutes(std::vector<std::vector<LinkId>> up, std::vector<std::vector<LinkId>> down,
              std::uint32_t spines)
      : up_(std::move(up)), down_(std::move(down)), spines_(spines) {}
  std::uint32_t path_count(EndpointId, EndpointId) const override { return spines_; }
  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    const auto& up = up_[index(from)];    // bus, NIC to ToR, ToR to spine 0, 1, ...
    const auto& down = down_[index(to)];  // bus, ToR to NIC, spine 0, 1, ... to ToR
    links.insert(links.end(), {up[0], up[1], up[2 + path], down[2 + path], down[1], down[0]});
  }

 private:
  std::vector<std::vector<LinkId>> up_;
  std::vector<std::vector<LinkId>> down_;
  std::uint32_t spines_;
};

inline Topology cloud(const Cloud& cloud) {
  FabricBuilder b;
  Wire wire{.rate = gigabytes_per_second(25),
            .latency = nanoseconds(500),
            .flow = FlowControl::kDrop,
            .buffer = cloud.queue,
            .payload = Bytes(2'000)};
  const ClassId ethernet = b.add_class(link_class("EFA link", wire));
  Wire bus;
  bus.payload = Bytes(0);
  const ClassId bus_kind = b.add_class(link_class("NIC bus", bus));
  const auto node = [&](NodeKind kind) {
    return b.add_node({kind, Forwarding::kStoreAndForward, Time(0), "node"});
  };
  std::vector<NodeId> spines;
  for (std::uint32_t s = 0; s < cloud.spines; ++s) spines.push_back(node(NodeKind::kSwitch));
  std::vector<std::vector<LinkId>> up;
  std::vector<std::vector<LinkId>> down;
  const auto back = [](LinkId id) { return LinkId(index(id) + 1); };
  std::vector<LinkId> tor_up;  // of the ToR being built
  NodeId tor{};
  for (std::uint32_t e = 0; e < cloud.ends; ++e) {
    if (e % cloud.ends_per_tor == 0) {
      tor = node(NodeKind::kSwitch);
      tor_up.clear();
      for (const NodeId spine : spines) {
        tor_up.push_back(b.connect(tor, spine, ethernet, wire.rate, wire.latency));
      }
    }
    const NodeId chip = node(NodeKind::kChip);
    const NodeId nic = node(NodeKind::kNic);
    const LinkId to_nic = b.connect(chip, nic, bus_kind, gigabytes_per_second(1'000'000), Time(0));
    const LinkId to_tor = b.connect(nic, tor, ethernet, wire.rate, wire.latency);
    up.push_back({to_nic, to_tor});
    down.push_back({back(to_nic), back(to_tor)});
    for (const LinkId link : tor_up) {
      up.back().push_back(link);
      down.back().push_back(back(link));
    }
    b.add_endpoint(chip);
  }
  auto fabric = std::make_unique<const Fabric>(std::move(b).seal());
  auto routes = std::make_unique<const SprayRoutes>(up, down, cloud.spines);
  return {std::move(fabric), std::move(routes)};
}

}  // namespace sim::packet
