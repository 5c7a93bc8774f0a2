// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/scale_up.h"

#include <fmt/core.h>

#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::EndpointId;
using sim::Failure;
using sim::LinkId;
using sim::Parameters;

class ScaleUpRoutes final : public sim::Routes {
 public:
  explicit ScaleUpRoutes(std::unique_ptr<const ScaleUp> domain) : domain_(std::move(domain)) {}

  std::uint32_t path_count(EndpointId, EndpointId) const override { return 1; }

  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    CHECK(path == 0);
    domain_->append_path(from, to, links);
  }

  std::uint8_t lane(EndpointId from, EndpointId to) const override {
    return domain_->lane(from, to);
  }
  std::uint8_t lanes() const override { return domain_->lanes(); }

 private:
  std::unique_ptr<const ScaleUp> domain_;
};

}  // namespace

void ScaleUp::append_path(EndpointId from, EndpointId to, std::vector<LinkId>& links) const {
  CHECK(from != to);
  const std::uint32_t a = chips_.chip_of(from);
  const std::uint32_t b = chips_.chip_of(to);
  CHECK(chips_.domain_of(a) == chips_.domain_of(b));
  append_from_core(from, links);
  if (a != b) append_way(a, b, links);
  append_to_core(to, links);
}

std::uint8_t ScaleUp::lane(EndpointId from, EndpointId to) const {
  const std::uint32_t a = chips_.chip_of(from);
  const std::uint32_t b = chips_.chip_of(to);
  return a == b ? std::uint8_t{0} : way_lane(a, b);
}

void ScaleUp::append_from_core(EndpointId end, std::vector<LinkId>& links) const {
  if (chips_.cores > 0) links.push_back(chips_.core[index(end)]);
}

void ScaleUp::append_to_core(EndpointId end, std::vector<LinkId>& links) const {
  if (chips_.cores > 0) links.push_back(reverse(chips_.core[index(end)]));
}

void ScaleUp::add_chip(sim::Time forwarding, sim::FabricBuilder& builder) {
  const auto chip = static_cast<std::uint32_t>(chips_.nodes.size());
  chips_.nodes.push_back(builder.add_node({.kind = sim::NodeKind::kChip,
                                           .forwarding = sim::Forwarding::kCutThrough,
                                           .latency = forwarding,
                                           .name = fmt::format("chip({})", place(chip))}));
}

void ScaleUp::add_endpoints(const Parameters& parameters, sim::Bytes buffer,
                            sim::FabricBuilder& builder) {
  if (chips_.cores == 0) {
    for (const sim::NodeId chip : chips_.nodes) builder.add_endpoint(chip);
    return;
  }
  const OnChip stage = on_chip(parameters);
  const sim::ClassId kind =
      builder.add_class({.name = stage.whole_chip ? "memory link" : "core link",
                         .flow = sim::FlowControl::kCredits,
                         .buffer = buffer,
                         .payload = {},
                         .header = {},
                         .efficiency = sim::kRatioOne});
  for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) {
    for (std::uint32_t core = 0; core < chips_.cores; ++core) {
      add_core(stage, chip, core, kind, builder);
    }
  }
}

void ScaleUp::add_core(const OnChip& stage, std::uint32_t chip, std::uint32_t core,
                       sim::ClassId kind, sim::FabricBuilder& builder) {
  const std::string name = stage.whole_chip ? fmt::format("memory({})", place(chip))
                                            : fmt::format("core({}, core {})", place(chip), core);
  const sim::NodeId node = builder.add_node({.kind = sim::NodeKind::kCore,
                                             .forwarding = sim::Forwarding::kCutThrough,
                                             .latency = {},
                                             .name = name});
  chips_.core.push_back(builder.connect(node, chips_.nodes[chip], kind, stage.rate, stage.latency));
  builder.add_endpoint(node);
}

std::string ScaleUp::server_prefix(std::uint32_t domain) const {
  return chips_.domains == 1 ? "" : fmt::format("server {}, ", domain);
}

sim::Result<sim::Topology> make_alone(DrawScaleUp draw, const Parameters& parameters) {
  sim::FabricBuilder builder;
  auto domain = draw(parameters, 1, builder);
  if (!domain.ok()) return domain.failure();
  auto fabric = std::make_unique<const sim::Fabric>(std::move(builder).seal());
  if (auto fault = fault_in_stage(parameters, *fabric)) return *fault;
  return sim::Topology{std::move(fabric),
                       std::make_unique<const ScaleUpRoutes>(std::move(domain).value())};
}

std::vector<sim::Key> packet_keys() {
  return {
      share_key("link.efficiency", "share of the raw link rate left for payload"),
      size_key("link.buffer", kBufferBytes, "input buffer per link and lane"),
      size_key("packet.size", kPacketBytes, "most payload bytes of a packet"),
  };
}

std::vector<sim::Key> link_keys() {
  std::vector<sim::Key> keys = packet_keys();
  keys.push_back(bandwidth_key("link.bandwidth", "rate of one scale-up link, per direction"));
  keys.push_back(time_key("link.latency", "wire of one scale-up link"));
  return keys;
}

std::optional<Failure> fault_in_links(const Parameters& parameters) {
  if (parameters.bytes("link.buffer") >= parameters.bytes("packet.size")) return std::nullopt;
  return Failure{"link.buffer does not hold one packet", "at least packet.size"};
}

std::optional<Failure> fault_in_family(const Parameters& parameters,
                                       const std::vector<sim::Key>& keys) {
  if (std::optional<Failure> fault = fault_in(parameters, keys)) return fault;
  return fault_in_links(parameters);
}

sim::ClassId add_link_class(std::string name, const Parameters& parameters,
                            sim::FabricBuilder& builder) {
  return builder.add_class({.name = std::move(name),
                            .flow = sim::FlowControl::kCredits,
                            .buffer = parameters.bytes("link.buffer"),
                            .payload = parameters.bytes("packet.size"),
                            .header = {},
                            .efficiency = parameters.ratio("link.efficiency")});
}

std::vector<sim::Key> core_keys() {
  std::vector<sim::Key> keys = on_chip_keys();
  keys.insert(keys.begin(), count_key("endpoints_per_chip", {0, 8},
                                      "logical cores per chip; 0: ranks are whole chips"));
  return keys;
}

std::optional<Failure> fault_in_size(std::int64_t endpoints) {
  if (endpoints >= 2 && endpoints <= kMostEndpoints) return std::nullopt;
  return Failure{fmt::format("the fabric would have {} endpoints", endpoints),
                 fmt::format("between 2 and {}", kMostEndpoints)};
}

}  // namespace topologies
