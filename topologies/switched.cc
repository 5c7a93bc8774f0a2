// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/switched.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::FabricBuilder;
using sim::Failure;
using sim::LinkId;
using sim::Parameters;

class Switched final : public ScaleUp {
 public:
  Switched(std::uint32_t domains, std::uint32_t chips, std::uint32_t trays)
      : per_tray_(chips / trays) {
    chips_.domains = domains;
    chips_.per_domain = chips;
  }

  void draw(const Parameters& parameters, FabricBuilder& builder) {
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) add_chip({}, builder);
    const sim::ClassId kind = add_link_class("scale-up link", parameters, builder);
    sim::NodeId hub{};
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) {
      if (chip % chips_.per_domain == 0) hub = add_switch(chip, parameters, builder);
      links_.push_back(builder.connect(chips_.nodes[chip], hub, kind,
                                       parameters.bandwidth("link.bandwidth"),
                                       parameters.time("link.latency")));
    }
    add_endpoints(parameters, parameters.bytes("link.buffer"), builder);
    add_level("chip", builder, [](std::uint32_t chip) { return chip; });
    if (has_trays()) {
      add_level("sled", builder, [this](std::uint32_t chip) { return chip / per_tray_; });
    }
    if (chips_.domains > 1) {
      add_level("server", builder, [this](std::uint32_t chip) { return chips_.domain_of(chip); });
    }
  }

  std::string place(std::uint32_t chip) const override {
    const std::uint32_t own = chip % chips_.per_domain;
    const std::string text = server_prefix(chips_.domain_of(chip));
    if (!has_trays()) return fmt::format("{}chip {}", text, own);
    return fmt::format("{}sled {}, position {}", text, own / per_tray_, own % per_tray_);
  }

 private:
  [[nodiscard]] bool has_trays() const { return per_tray_ > 1 && per_tray_ < chips_.per_domain; }

  sim::NodeId add_switch(std::uint32_t chip, const Parameters& parameters,
                         FabricBuilder& builder) const {
    const std::uint32_t domain = chips_.domain_of(chip);
    return builder.add_node({.kind = sim::NodeKind::kSwitch,
                             .forwarding = sim::Forwarding::kCutThrough,
                             .latency = parameters.time("switch.latency"),
                             .name = chips_.domains == 1
                                         ? "scale-up switch"
                                         : fmt::format("scale-up switch(server {})", domain),
                             .reduces = parameters.text("switch.reduces") == "yes"});
  }

  void append_way(std::uint32_t from, std::uint32_t to, std::vector<LinkId>& links) const override {
    links.push_back(links_[from]);
    links.push_back(reverse(links_[to]));
  }

  std::uint32_t per_tray_;
  std::vector<LinkId> links_;  // by chip
};

}  // namespace

std::vector<sim::Key> switched_keys() {
  std::vector<sim::Key> keys = {
      count_key("chips", {1, 4096}, "chips of a server or rack"),
      count_key("trays", {1, 512}, "trays that the chips stand in; must divide the chips"),
      time_key("switch.latency", "cut-through latency of a scale-up switch"),
      count_key("switch.count", {1, 1024},
                "switches that work side by side and are drawn as one, for faults of single ones"),
      count_key("switch.links", {1, 4096},
                "links of a chip to them, drawn as one, for faults of single ones"),
      choice_key("switch.reduces", {"yes", "no"},
                 "whether the switches can reduce what passes (collectives decide to use it)"),
  };
  for (sim::Key& key : link_keys()) keys.push_back(std::move(key));
  return keys;
}

sim::Result<std::unique_ptr<const ScaleUp>> draw_switched(const Parameters& parameters,
                                                          std::int64_t domains,
                                                          FabricBuilder& builder) {
  if (auto fault = fault_in_family(parameters, switched_keys())) return *fault;
  const auto chips = static_cast<std::uint32_t>(parameters.count("chips"));
  const auto trays = static_cast<std::uint32_t>(parameters.count("trays"));
  if (chips % trays != 0) {
    return Failure{fmt::format("{} trays do not divide {} chips", trays, chips),
                   "each tray holds the same number of chips"};
  }
  if (auto fault = fault_in_size(domains * chips)) return *fault;
  auto server = std::make_unique<Switched>(static_cast<std::uint32_t>(domains), chips, trays);
  server->draw(parameters, builder);
  return std::unique_ptr<const ScaleUp>(std::move(server));
}

}  // namespace topologies
