// SPDX-License-Identifier: GPL-2.0-only
// ScaleUp: what joins the chips inside each scale-up domain (a server, an UltraServer). A family
// (ultraserver, torus, switched, full_mesh, pcie) draws all domains of a cluster into one builder
// and knows the one way between two chips of a domain. Chips are numbered domain after domain;
// endpoints follow the same order, the cores of a chip running fastest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/fabric.h"
#include "sim/fabric/routes.h"
#include "topologies/on_chip.h"

namespace topologies {

struct ChipSet {
  std::uint32_t domains = 1;
  std::uint32_t per_domain = 1;
  std::uint32_t cores = 0;           // endpoints with a link to their chip; 0: it is the endpoint
  std::vector<sim::NodeId> nodes{};  // by chip
  std::vector<sim::LinkId> core{};   // by endpoint: core to chip; the way back has the next id

  [[nodiscard]] std::uint32_t count() const { return domains * per_domain; }
  [[nodiscard]] std::uint32_t ends_per_chip() const { return cores == 0 ? 1 : cores; }
  [[nodiscard]] std::uint32_t chip_of(sim::EndpointId end) const {
    return index(end) / ends_per_chip();
  }
  [[nodiscard]] std::uint32_t domain_of(std::uint32_t chip) const { return chip / per_domain; }
};

class ScaleUp {
 public:
  virtual ~ScaleUp() = default;

  [[nodiscard]] const ChipSet& chips() const { return chips_; }

  // The way of one endpoint to another of the same domain, cores included, and its lane.
  void append_path(sim::EndpointId from, sim::EndpointId to, std::vector<sim::LinkId>& links) const;
  [[nodiscard]] std::uint8_t lane(sim::EndpointId from, sim::EndpointId to) const;
  [[nodiscard]] virtual std::uint8_t lanes() const { return 1; }

  // The way between a core and its chip; nothing where chips are the endpoints.
  void append_from_core(sim::EndpointId end, std::vector<sim::LinkId>& links) const;
  void append_to_core(sim::EndpointId end, std::vector<sim::LinkId>& links) const;

  // The PCIe switch that a chip shares with its NICs, and the link from the chip to it.
  struct Hub {
    sim::NodeId node{};
    sim::LinkId way{};
  };
  // Empty where the family draws none.
  [[nodiscard]] virtual std::optional<Hub> hub(std::uint32_t /*chip*/) const { return {}; }
  // Where a chip stands, for names: "rack 0, sled 3, position 1".
  [[nodiscard]] virtual std::string place(std::uint32_t chip) const = 0;

 protected:
  // For drawing: the next chip's node; then an endpoint per chip, or `cores` of them with links to
  // it; then levels, by the group of each chip.
  void add_chip(sim::Time forwarding, sim::FabricBuilder& builder);
  void add_endpoints(const sim::Parameters& parameters, sim::Bytes buffer,
                     sim::FabricBuilder& builder);
  template <class GroupOf>
  void add_level(std::string name, sim::FabricBuilder& builder, GroupOf group_of) const {
    std::vector<std::uint32_t> groups(chips_.count() * chips_.ends_per_chip());
    for (std::uint32_t end = 0; end < groups.size(); ++end) {
      groups[end] = group_of(chips_.chip_of(sim::EndpointId{end}));
    }
    builder.add_level(std::move(name), std::move(groups));
  }
  // "server 3, " where there are several, else nothing.
  [[nodiscard]] std::string server_prefix(std::uint32_t domain) const;

  ChipSet chips_;

 private:
  // Between two different chips of one domain.
  virtual void append_way(std::uint32_t from, std::uint32_t to,
                          std::vector<sim::LinkId>& links) const = 0;
  [[nodiscard]] virtual std::uint8_t way_lane(std::uint32_t /*from*/, std::uint32_t /*to*/) const {
    return 0;
  }
  void add_core(const OnChip& stage, std::uint32_t chip, std::uint32_t core, sim::ClassId kind,
                sim::FabricBuilder& builder);
};

// Checks the family's parameters and draws that many domains: nodes, links, endpoints, levels.
using DrawScaleUp = sim::Result<std::unique_ptr<const ScaleUp>> (*)(const sim::Parameters&,
                                                                    std::int64_t domains,
                                                                    sim::FabricBuilder&);

// One domain and nothing else.
[[nodiscard]] sim::Result<sim::Topology> make_alone(DrawScaleUp draw, const sim::Parameters&);

// Keys and drawing shared by the families whose chips are joined by one class of links
// (`link.efficiency`, `link.buffer`, `packet.size`).
[[nodiscard]] std::vector<sim::Key> packet_keys();
[[nodiscard]] std::vector<sim::Key> link_keys();  // and the rate and wire of a link
[[nodiscard]] std::optional<sim::Failure> fault_in_links(const sim::Parameters& parameters);
// What every such family checks first: its keys, then its links.
[[nodiscard]] std::optional<sim::Failure> fault_in_family(const sim::Parameters& parameters,
                                                          const std::vector<sim::Key>& keys);
[[nodiscard]] sim::ClassId add_link_class(std::string name, const sim::Parameters& parameters,
                                          sim::FabricBuilder& builder);
[[nodiscard]] std::vector<sim::Key> core_keys();  // endpoints_per_chip and the on-chip stage

// Fails outside 2 to `kMostEndpoints`.
[[nodiscard]] std::optional<sim::Failure> fault_in_size(std::int64_t endpoints);

inline constexpr std::int64_t kMostEndpoints = 10'000'000;

constexpr sim::LinkId reverse(sim::LinkId outward) { return sim::LinkId{index(outward) + 1}; }

}  // namespace topologies
