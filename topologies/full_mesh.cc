// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/full_mesh.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>

#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::FabricBuilder;
using sim::LinkId;
using sim::Parameters;

class FullMesh final : public ScaleUp {
 public:
  FullMesh(std::uint32_t domains, std::uint32_t chips) {
    chips_.domains = domains;
    chips_.per_domain = chips;
  }

  void draw(const Parameters& parameters, FabricBuilder& builder) {
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) add_chip({}, builder);
    const sim::ClassId kind = add_link_class("scale-up link", parameters, builder);
    links_.resize(static_cast<std::size_t>(chips_.count()) * chips_.per_domain);
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) {
      for (std::uint32_t other = chip + 1; other < domain_end(chip); ++other) {
        const LinkId link = builder.connect(chips_.nodes[chip], chips_.nodes[other], kind,
                                            parameters.bandwidth("link.bandwidth"),
                                            parameters.time("link.latency"));
        links_[place_of(chip, other)] = link;
        links_[place_of(other, chip)] = reverse(link);
      }
    }
    add_endpoints(parameters, parameters.bytes("link.buffer"), builder);
    add_level("chip", builder, [](std::uint32_t chip) { return chip; });
    if (chips_.domains > 1) {
      add_level("server", builder, [this](std::uint32_t chip) { return chips_.domain_of(chip); });
    }
  }

  std::string place(std::uint32_t chip) const override {
    return fmt::format("{}chip {}", server_prefix(chips_.domain_of(chip)),
                       chip % chips_.per_domain);
  }

 private:
  [[nodiscard]] std::uint32_t domain_end(std::uint32_t chip) const {
    return (chips_.domain_of(chip) + 1) * chips_.per_domain;
  }
  [[nodiscard]] std::size_t place_of(std::uint32_t from, std::uint32_t to) const {
    return static_cast<std::size_t>(from) * chips_.per_domain + to % chips_.per_domain;
  }

  void append_way(std::uint32_t from, std::uint32_t to, std::vector<LinkId>& links) const override {
    links.push_back(links_[place_of(from, to)]);
  }

  std::vector<LinkId> links_;  // by chip x chips of a server + number of the other
};

}  // namespace

std::vector<sim::Key> full_mesh_keys() {
  std::vector<sim::Key> keys = {
      count_key("chips", {1, 256}, "chips of a server, each joined to each")};
  for (sim::Key& key : link_keys()) keys.push_back(std::move(key));
  return keys;
}

sim::Result<std::unique_ptr<const ScaleUp>> draw_full_mesh(const Parameters& parameters,
                                                           std::int64_t domains,
                                                           FabricBuilder& builder) {
  if (auto fault = fault_in_family(parameters, full_mesh_keys())) return *fault;
  const auto chips = static_cast<std::uint32_t>(parameters.count("chips"));
  if (auto fault = fault_in_size(domains * chips)) return *fault;
  auto server = std::make_unique<FullMesh>(static_cast<std::uint32_t>(domains), chips);
  server->draw(parameters, builder);
  return std::unique_ptr<const ScaleUp>(std::move(server));
}

}  // namespace topologies
