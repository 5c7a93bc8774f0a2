// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/ultracluster.h"

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "topologies/chip_shape.h"
#include "topologies/chip_wiring.h"
#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::ClassId;
using sim::EndpointId;
using sim::Failure;
using sim::LinkId;
using sim::NodeId;
using sim::Parameters;

struct ClosShape {
  std::uint32_t nics_per_tor = 1;
  std::uint32_t tors = 1;
  std::uint32_t spines = 1;
};

// Links away from the chip; the way back has the next id.
struct ClosWiring {
  ClosShape shape;
  std::vector<LinkId> bus;    // by chip: chip to NIC
  std::vector<LinkId> efa;    // by chip: NIC to ToR
  std::vector<LinkId> spine;  // by ToR x spines + spine: ToR to spine
};

// Between UltraServers a packet takes the NIC of the source chip and the NIC of the destination
// chip, and may take any spine. Path 0 starts at another spine for each source, so that few paths
// use all spines.
class UltraclusterRoutes final : public sim::Routes {
 public:
  UltraclusterRoutes(ChipWiring chips, ClosWiring clos)
      : chips_(std::move(chips)), clos_(std::move(clos)) {}

  std::uint32_t path_count(EndpointId from, EndpointId to) const override {
    const std::uint32_t a = chips_.shape.chip_of(from);
    const std::uint32_t b = chips_.shape.chip_of(to);
    return same_ultraserver(a, b) || tor_of(a) == tor_of(b) ? 1 : clos_.shape.spines;
  }

  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    CHECK(path < path_count(from, to));
    const std::uint32_t a = chips_.shape.chip_of(from);
    const std::uint32_t b = chips_.shape.chip_of(to);
    if (same_ultraserver(a, b)) return chips_.append_path(from, to, links);
    chips_.append_from_core(from, links);
    links.push_back(clos_.bus[a]);
    links.push_back(clos_.efa[a]);
    if (tor_of(a) != tor_of(b)) {
      const std::uint32_t spine = (path + a) % clos_.shape.spines;
      links.push_back(clos_.spine[tor_of(a) * clos_.shape.spines + spine]);
      links.push_back(reverse(clos_.spine[tor_of(b) * clos_.shape.spines + spine]));
    }
    links.push_back(reverse(clos_.efa[b]));
    links.push_back(reverse(clos_.bus[b]));
    chips_.append_to_core(to, links);
  }

  std::uint8_t lane(EndpointId from, EndpointId to) const override {
    const bool inside = same_ultraserver(chips_.shape.chip_of(from), chips_.shape.chip_of(to));
    return inside ? chips_.lane(from, to) : 0;
  }
  std::uint8_t lanes() const override { return chips_.lanes(); }

 private:
  bool same_ultraserver(std::uint32_t a, std::uint32_t b) const {
    return chips_.shape.ultraserver_of(a) == chips_.shape.ultraserver_of(b);
  }
  std::uint32_t tor_of(std::uint32_t chip) const { return chip / clos_.shape.nics_per_tor; }

  ChipWiring chips_;
  ClosWiring clos_;
};

std::vector<NodeId> add_nics(const ChipWiring& chips, const Parameters& parameters,
                             sim::FabricBuilder& builder, ClosWiring& clos) {
  const ClassId kind = builder.add_class({.name = "NIC bus",
                                          .flow = sim::FlowControl::kCredits,
                                          .buffer = parameters.bytes("neuronlink.buffer"),
                                          .payload = {},
                                          .header = {},
                                          .efficiency = sim::kRatioOne});
  std::vector<NodeId> nics;
  for (std::uint32_t chip = 0; chip < chips.shape.all_chips(); ++chip) {
    nics.push_back(builder.add_node({.kind = sim::NodeKind::kNic,
                                     .forwarding = sim::Forwarding::kStoreAndForward,
                                     .latency = parameters.time("nic.latency"),
                                     .name = fmt::format("nic({})", chips.shape.place(chip))}));
    clos.bus.push_back(builder.connect(chips.nodes[chip], nics.back(), kind,
                                       parameters.bandwidth("nic.bus_bandwidth"),
                                       parameters.time("nic.bus_latency")));
  }
  return nics;
}

std::vector<NodeId> add_ethernet_switches(const std::string& name, std::uint32_t count,
                                          const Parameters& parameters,
                                          sim::FabricBuilder& builder) {
  std::vector<NodeId> switches;
  for (std::uint32_t number = 0; number < count; ++number) {
    switches.push_back(builder.add_node({.kind = sim::NodeKind::kSwitch,
                                         .forwarding = sim::Forwarding::kStoreAndForward,
                                         .latency = parameters.time("ethernet.switch_latency"),
                                         .name = fmt::format("{} {}", name, number)}));
  }
  return switches;
}

ClassId add_ethernet_class(std::string name, const Parameters& parameters,
                           sim::FabricBuilder& builder) {
  return builder.add_class({.name = std::move(name),
                            .flow = sim::FlowControl::kDrop,
                            .buffer = parameters.bytes("ethernet.buffer"),
                            .payload = parameters.bytes("efa.mtu"),
                            .header = parameters.bytes("efa.header"),
                            .efficiency = sim::kRatioOne});
}

// The links of a ToR to all spines together carry what its NICs can send.
sim::Bandwidth spine_bandwidth(const ClosShape& shape, sim::Bandwidth nic) {
  const std::int64_t sum = nic.value * shape.nics_per_tor;
  return sim::Bandwidth((sum + shape.spines - 1) / shape.spines);
}

ClosWiring draw_clos(const ClosShape& shape, const ChipWiring& chips, const Parameters& parameters,
                     sim::FabricBuilder& builder) {
  ClosWiring clos{.shape = shape, .bus = {}, .efa = {}, .spine = {}};
  const std::vector<NodeId> nics = add_nics(chips, parameters, builder, clos);
  const std::vector<NodeId> tors = add_ethernet_switches("ToR", shape.tors, parameters, builder);
  const std::vector<NodeId> spines =
      add_ethernet_switches("spine", shape.spines, parameters, builder);

  const ClassId efa = add_ethernet_class("EFA link", parameters, builder);
  const sim::Bandwidth rate = parameters.bandwidth("nic.bandwidth");
  const sim::Time wire = parameters.time("ethernet.wire_latency");
  for (std::uint32_t nic = 0; nic < nics.size(); ++nic) {
    clos.efa.push_back(builder.connect(nics[nic], tors[nic / shape.nics_per_tor], efa, rate, wire));
  }
  const ClassId up = add_ethernet_class("spine link", parameters, builder);
  for (const NodeId tor : tors) {
    for (const NodeId spine : spines) {
      clos.spine.push_back(builder.connect(tor, spine, up, spine_bandwidth(shape, rate), wire));
    }
  }
  return clos;
}

std::vector<sim::Key> clos_keys() {
  return {
      count_key("ultraservers", {1, 10'000}, "UltraServers in the cluster"),
      bandwidth_key("nic.bandwidth", "line rate of one EFA NIC, per direction"),
      time_key("nic.latency", "through a NIC, at the sending and at the receiving side each"),
      bandwidth_key("nic.bus_bandwidth", "what chip memory and NIC exchange, per direction"),
      time_key("nic.bus_latency", "between chip and NIC"),
      size_key("efa.mtu", {1, 64 << 10}, "most payload bytes of an EFA packet"),
      size_key("efa.header", kHeaderBytes, "wire bytes added to every EFA packet"),
      time_key("ethernet.switch_latency", "of a ToR or a spine, unloaded"),
      time_key("ethernet.wire_latency", "of each EFA and spine link"),
      size_key("ethernet.buffer", kBufferBytes, "output queue of each Ethernet port"),
      count_key("ethernet.nics_per_tor", {1, 512}, "NICs on one ToR; must divide the chips"),
      count_key("ethernet.spines", {1, 256}, "spines, each joined to every ToR"),
  };
}

sim::Result<ClosShape> clos_shape(const Parameters& parameters, const ChipShape& chips) {
  const auto nics = static_cast<std::uint32_t>(parameters.count("ethernet.nics_per_tor"));
  if (chips.all_chips() % nics != 0) {
    return Failure{fmt::format("{} NICs per ToR do not divide {} chips", nics, chips.all_chips()),
                   "ethernet.nics_per_tor must divide the number of chips"};
  }
  const sim::Bytes packet = parameters.bytes("efa.mtu") + parameters.bytes("efa.header");
  for (const char* buffer : {"ethernet.buffer", "neuronlink.buffer"}) {
    if (parameters.bytes(buffer) >= packet) continue;
    return Failure{fmt::format("{} does not hold one EFA packet", buffer),
                   "at least efa.mtu + efa.header"};
  }
  return ClosShape{.nics_per_tor = nics,
                   .tors = chips.all_chips() / nics,
                   .spines = static_cast<std::uint32_t>(parameters.count("ethernet.spines"))};
}

}  // namespace

std::vector<sim::Key> ultracluster_keys() {
  std::vector<sim::Key> keys = chip_keys();
  for (sim::Key& key : clos_keys()) keys.push_back(std::move(key));
  return keys;
}

sim::Result<sim::Topology> make_ultracluster(const Parameters& parameters) {
  if (std::optional<Failure> fault = fault_in(parameters, clos_keys())) return *fault;
  const sim::Result<ChipShape> chips = chip_shape(parameters, parameters.count("ultraservers"));
  if (!chips.ok()) return chips.failure();
  const sim::Result<ClosShape> shape = clos_shape(parameters, chips.value());
  if (!shape.ok()) return shape.failure();

  sim::FabricBuilder builder;
  ChipWiring wiring = draw_chips(chips.value(), parameters, builder);
  ClosWiring clos = draw_clos(shape.value(), wiring, parameters, builder);
  return sim::Topology{
      std::make_unique<const sim::Fabric>(std::move(builder).seal()),
      std::make_unique<const UltraclusterRoutes>(std::move(wiring), std::move(clos))};
}

}  // namespace topologies
