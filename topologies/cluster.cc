// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/cluster.h"

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "topologies/clos_shape.h"
#include "topologies/clos_wiring.h"
#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::EndpointId;
using sim::FabricBuilder;
using sim::Failure;
using sim::LinkId;
using sim::NodeId;
using sim::Parameters;

// Which NICs a chip has. Links lead away from the chip; the way back has the next id.
struct NicWiring {
  std::uint32_t per_chip = 1;
  std::uint32_t chips_per_nic = 1;
  std::vector<LinkId> hub;  // by chip: to the PCIe switch; empty where NICs hang on chips
  std::vector<LinkId> bus;  // by NIC: from the chip or the PCIe switch

  [[nodiscard]] std::uint32_t nic_of(std::uint32_t chip, std::uint32_t number) const {
    return chip / chips_per_nic * per_chip + number;
  }
};

class ClusterRoutes final : public sim::Routes {
 public:
  ClusterRoutes(std::unique_ptr<const ScaleUp> domains, NicWiring nics, ClosWiring clos)
      : domains_(std::move(domains)), nics_(std::move(nics)), clos_(clos) {}

  std::uint32_t path_count(EndpointId from, EndpointId to) const override {
    const std::uint32_t a = chips().chip_of(from);
    const std::uint32_t b = chips().chip_of(to);
    if (same_domain(a, b)) return 1;
    return nics_.per_chip * clos_.path_count(nics_.nic_of(a, 0), nics_.nic_of(b, 0));
  }

  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    const std::uint32_t a = chips().chip_of(from);
    const std::uint32_t b = chips().chip_of(to);
    if (same_domain(a, b)) return domains_->append_path(from, to, links);
    const std::uint32_t nic_a = nics_.nic_of(a, path % nics_.per_chip);
    const std::uint32_t nic_b = nics_.nic_of(b, path % nics_.per_chip);
    domains_->append_from_core(from, links);
    if (!nics_.hub.empty()) links.push_back(nics_.hub[a]);
    links.push_back(nics_.bus[nic_a]);
    clos_.append_path(nic_a, nic_b, path / nics_.per_chip, a, links);
    links.push_back(reverse(nics_.bus[nic_b]));
    if (!nics_.hub.empty()) links.push_back(reverse(nics_.hub[b]));
    domains_->append_to_core(to, links);
  }

  std::uint8_t lane(EndpointId from, EndpointId to) const override {
    const bool inside = same_domain(chips().chip_of(from), chips().chip_of(to));
    return inside ? domains_->lane(from, to) : 0;
  }
  std::uint8_t lanes() const override { return domains_->lanes(); }

 private:
  const ChipSet& chips() const { return domains_->chips(); }
  bool same_domain(std::uint32_t a, std::uint32_t b) const {
    return chips().domain_of(a) == chips().domain_of(b);
  }

  std::unique_ptr<const ScaleUp> domains_;
  NicWiring nics_;
  ClosWiring clos_;
};

// Adds NICs, their buses and, where the family has none, PCIe switches.
class NicDrawing {
 public:
  NicDrawing(const ScaleUp& domains, const Joined& joined, const Parameters& parameters,
             FabricBuilder& builder)
      : domains_(domains), parameters_(parameters), builder_(builder) {
    wiring_.per_chip = static_cast<std::uint32_t>(parameters.count("nic.per_chip"));
    wiring_.chips_per_nic = static_cast<std::uint32_t>(parameters.count("nic.chips_per_nic"));
    bus_ = add_bus_class("NIC bus", joined);
    one_to_one_ = wiring_.per_chip == 1 && wiring_.chips_per_nic == 1;
    const bool own_hubs = domains.hub(0).has_value();
    if (!one_to_one_ && !own_hubs) hub_class_ = add_bus_class("PCIe link", joined);
  }

  // Once.
  NicWiring draw() {
    const std::uint32_t chips = domains_.chips().count();
    for (std::uint32_t chip = 0; chip < chips; chip += wiring_.chips_per_nic) add_nics(chip);
    return std::move(wiring_);
  }

  std::vector<NodeId> nodes;  // by NIC

 private:
  sim::ClassId add_bus_class(std::string name, const Joined& joined) {
    return builder_.add_class({.name = std::move(name),
                               .flow = sim::FlowControl::kCredits,
                               .buffer = parameters_.bytes(joined.buffer),
                               .payload = {},
                               .header = {},
                               .efficiency = sim::kRatioOne});
  }

  // The NICs of one chip, or the one of several chips.
  void add_nics(std::uint32_t chip) {
    const NodeId near =
        one_to_one_ && !domains_.hub(chip) ? domains_.chips().nodes[chip] : hub_of(chip);
    for (std::uint32_t number = 0; number < wiring_.per_chip; ++number) {
      nodes.push_back(builder_.add_node({.kind = sim::NodeKind::kNic,
                                         .forwarding = sim::Forwarding::kStoreAndForward,
                                         .latency = parameters_.time("nic.latency"),
                                         .name = nic_name(chip, number)}));
      wiring_.bus.push_back(builder_.connect(near, nodes.back(), bus_,
                                             parameters_.bandwidth("nic.bus_bandwidth"),
                                             parameters_.time("nic.bus_latency")));
    }
  }

  std::string nic_name(std::uint32_t chip, std::uint32_t number) const {
    if (wiring_.per_chip == 1) return fmt::format("nic({})", domains_.place(chip));
    return fmt::format("nic({}, {})", domains_.place(chip), number);
  }

  // The PCIe switch of a chip and of those that share its NIC; their links to it are kept.
  NodeId hub_of(std::uint32_t chip) {
    if (const std::optional<ScaleUp::Hub> own = domains_.hub(chip)) {
      for (std::uint32_t near = chip; near < chip + wiring_.chips_per_nic; ++near) {
        wiring_.hub.push_back(domains_.hub(near)->way);
      }
      return own->node;
    }
    const NodeId hub =
        builder_.add_node({.kind = sim::NodeKind::kSwitch,
                           .forwarding = sim::Forwarding::kCutThrough,
                           .latency = parameters_.time("nic.bus_latency"),
                           .name = fmt::format("PCIe switch({})", domains_.place(chip))});
    for (std::uint32_t near = chip; near < chip + wiring_.chips_per_nic; ++near) {
      wiring_.hub.push_back(builder_.connect(domains_.chips().nodes[near], hub, hub_class_,
                                             parameters_.bandwidth("nic.chip_bandwidth"),
                                             parameters_.time("nic.bus_latency")));
    }
    return hub;
  }

  const ScaleUp& domains_;
  const Parameters& parameters_;
  FabricBuilder& builder_;
  NicWiring wiring_;
  sim::ClassId bus_{};
  sim::ClassId hub_class_{};
  bool one_to_one_ = true;
};

std::vector<sim::Key> nic_keys() {
  return {
      choice_key("nic.family", {"efa", "roce", "infiniband"},
                 "kind of network: efa and roce are Ethernet; infiniband never drops"),
      count_key("nic.per_chip", {1, 16}, "NICs of each chip, which spreads over them"),
      count_key("nic.chips_per_nic", {1, 16}, "chips that share a NIC"),
      bandwidth_key("nic.bandwidth", "line rate of one NIC, per direction"),
      time_key("nic.latency", "through a NIC, at the sending and at the receiving side each"),
      bandwidth_key("nic.bus_bandwidth", "what one NIC exchanges with memory, per direction"),
      bandwidth_key("nic.chip_bandwidth",
                    "of a chip to the PCIe switch of its NICs; not read with one NIC per chip"),
      time_key("nic.bus_latency", "of a link between chip, PCIe switch and NIC"),
      size_key("efa.mtu", {1, 64 << 10}, "most payload bytes of a packet of the network"),
      size_key("efa.header", kHeaderBytes, "wire bytes added to every such packet"),
  };
}

std::optional<Failure> fault_in_nics(const Parameters& parameters, const Joined& joined,
                                     const ChipSet& chips) {
  const std::int64_t shared = parameters.count("nic.chips_per_nic");
  if (parameters.count("nic.per_chip") > 1 && shared > 1) {
    return Failure{"chips cannot have several NICs and share them", "one of the two must be 1"};
  }
  if (chips.per_domain % shared != 0) {
    return Failure{fmt::format("{} chips per NIC do not divide {} chips", shared, chips.per_domain),
                   "nic.chips_per_nic must divide the chips of a server"};
  }
  const sim::Bytes packet = parameters.bytes("efa.mtu") + parameters.bytes("efa.header");
  for (const std::string& buffer : {std::string("ethernet.buffer"), joined.buffer}) {
    if (parameters.bytes(buffer) >= packet) continue;
    return Failure{fmt::format("{} does not hold one network packet", buffer),
                   "at least efa.mtu + efa.header"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<sim::Key> joined_keys(std::vector<sim::Key> family, const std::string& domains) {
  family.push_back(count_key(domains, {1, 1'000'000}, domains + " in the cluster"));
  for (sim::Key& key : nic_keys()) family.push_back(std::move(key));
  for (sim::Key& key : clos_keys()) family.push_back(std::move(key));
  return family;
}

sim::Result<sim::Topology> make_joined(const Joined& joined, const Parameters& parameters) {
  if (auto fault = fault_in(parameters, joined_keys({}, joined.domains))) return *fault;
  FabricBuilder builder;
  auto drawn = joined.draw(parameters, parameters.count(joined.domains), builder);
  if (!drawn.ok()) return drawn.failure();
  std::unique_ptr<const ScaleUp> domains = std::move(drawn).value();
  const ChipSet& chips = domains->chips();
  if (auto fault = fault_in_nics(parameters, joined, chips)) return *fault;
  const auto per_domain = static_cast<std::uint32_t>(
      chips.per_domain * parameters.count("nic.per_chip") / parameters.count("nic.chips_per_nic"));
  const sim::Result<ClosShape> shape = clos_shape(parameters, {chips.domains, per_domain});
  if (!shape.ok()) return shape.failure();

  NicDrawing drawing(*domains, joined, parameters, builder);
  NicWiring nics = drawing.draw();
  ClosWiring clos(shape.value());
  clos.draw(drawing.nodes, parameters, builder);
  auto routes = std::make_unique<const ClusterRoutes>(std::move(domains), std::move(nics), clos);
  auto fabric = std::make_unique<const sim::Fabric>(std::move(builder).seal());
  if (auto fault = fault_in_stage(parameters, *fabric)) return *fault;
  return sim::Topology{std::move(fabric), std::move(routes)};
}

}  // namespace topologies
