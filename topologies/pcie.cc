// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/pcie.h"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::FabricBuilder;
using sim::LinkId;
using sim::NodeId;
using sim::Parameters;

struct PcieShape {
  std::uint32_t domains = 1;
  std::uint32_t sockets = 1;   // per server
  std::uint32_t switches = 1;  // per socket
  std::uint32_t chips = 1;     // per switch

  [[nodiscard]] std::uint32_t per_server() const { return sockets * switches * chips; }
};

class Pcie final : public ScaleUp {
 public:
  explicit Pcie(const PcieShape& shape) : shape_(shape) {
    chips_.domains = shape.domains;
    chips_.per_domain = shape.per_server();
  }

  void draw(const Parameters& parameters, FabricBuilder& builder) {
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) add_chip({}, builder);
    add_switches(parameters, builder);
    add_sockets(parameters, builder);
    add_endpoints(parameters, parameters.bytes("link.buffer"), builder);
    add_level("chip", builder, [](std::uint32_t chip) { return chip; });
    if (shape_.chips > 1 && shape_.chips < chips_.per_domain) {
      add_level("sled", builder, [this](std::uint32_t chip) { return switch_of(chip); });
    }
    if (chips_.domains > 1) {
      add_level("server", builder, [this](std::uint32_t chip) { return chips_.domain_of(chip); });
    }
  }

  std::optional<Hub> hub(std::uint32_t chip) const override {
    return Hub{switches_[switch_of(chip)], chip_links_[chip]};
  }

  std::string place(std::uint32_t chip) const override {
    return fmt::format("{}chip {}", server_prefix(chips_.domain_of(chip)),
                       chip % chips_.per_domain);
  }

 private:
  [[nodiscard]] std::uint32_t switch_of(std::uint32_t chip) const { return chip / shape_.chips; }
  [[nodiscard]] std::uint32_t socket_of(std::uint32_t pcie_switch) const {
    return pcie_switch / shape_.switches;
  }

  NodeId add_switch(const std::string& name, std::uint32_t number, std::uint32_t of_server,
                    const char* latency, const Parameters& parameters, FabricBuilder& builder) {
    return builder.add_node(
        {.kind = sim::NodeKind::kSwitch,
         .forwarding = sim::Forwarding::kCutThrough,
         .latency = parameters.time(latency),
         .name =
             fmt::format("{}({}{})", name, server_prefix(number / of_server), number % of_server)});
  }

  void add_switches(const Parameters& parameters, FabricBuilder& builder) {
    const sim::ClassId kind = add_link_class("PCIe link", parameters, builder);
    const std::uint32_t of_server = shape_.sockets * shape_.switches;
    for (std::uint32_t number = 0; number < shape_.domains * of_server; ++number) {
      switches_.push_back(
          add_switch("PCIe switch", number, of_server, "switch.latency", parameters, builder));
    }
    for (std::uint32_t chip = 0; chip < chips_.count(); ++chip) {
      chip_links_.push_back(builder.connect(chips_.nodes[chip], switches_[switch_of(chip)], kind,
                                            parameters.bandwidth("link.bandwidth"),
                                            parameters.time("link.latency")));
    }
  }

  void add_sockets(const Parameters& parameters, FabricBuilder& builder) {
    std::vector<NodeId> sockets;
    for (std::uint32_t number = 0; number < shape_.domains * shape_.sockets; ++number) {
      sockets.push_back(
          add_switch("socket", number, shape_.sockets, "socket.latency", parameters, builder));
    }
    const sim::ClassId up = add_link_class("PCIe uplink", parameters, builder);
    for (std::uint32_t number = 0; number < switches_.size(); ++number) {
      up_links_.push_back(builder.connect(switches_[number], sockets[socket_of(number)], up,
                                          parameters.bandwidth("uplink.bandwidth"),
                                          parameters.time("link.latency")));
    }
    if (shape_.sockets == 1) return;
    const sim::ClassId kind = add_link_class("socket link", parameters, builder);
    socket_links_.resize(sockets.size() * shape_.sockets);
    for (std::uint32_t socket = 0; socket < sockets.size(); ++socket) {
      const std::uint32_t end = (socket / shape_.sockets + 1) * shape_.sockets;
      for (std::uint32_t other = socket + 1; other < end; ++other) {
        const LinkId link = builder.connect(sockets[socket], sockets[other], kind,
                                            parameters.bandwidth("socket.bandwidth"),
                                            parameters.time("socket.wire_latency"));
        socket_links_[socket * shape_.sockets + other % shape_.sockets] = link;
        socket_links_[other * shape_.sockets + socket % shape_.sockets] = reverse(link);
      }
    }
  }

  void append_way(std::uint32_t from, std::uint32_t to, std::vector<LinkId>& links) const override {
    const std::uint32_t a = switch_of(from);
    const std::uint32_t b = switch_of(to);
    links.push_back(chip_links_[from]);
    if (a != b) {
      links.push_back(up_links_[a]);
      if (socket_of(a) != socket_of(b)) {
        links.push_back(
            socket_links_[socket_of(a) * shape_.sockets + socket_of(b) % shape_.sockets]);
      }
      links.push_back(reverse(up_links_[b]));
    }
    links.push_back(reverse(chip_links_[to]));
  }

  PcieShape shape_;
  std::vector<NodeId> switches_;
  std::vector<LinkId> chip_links_;    // by chip
  std::vector<LinkId> up_links_;      // by switch
  std::vector<LinkId> socket_links_;  // by socket x sockets of a server + number of the other
};

}  // namespace

std::vector<sim::Key> pcie_keys() {
  std::vector<sim::Key> keys = {
      count_key("sockets", {1, 8}, "sockets of a server, each joined to each"),
      count_key("switches_per_socket", {1, 16}, "PCIe switches on a socket"),
      count_key("chips_per_switch", {1, 16}, "chips on a PCIe switch"),
      time_key("switch.latency", "cut-through latency of a PCIe switch"),
      time_key("socket.latency", "through a socket's root complex"),
      bandwidth_key("uplink.bandwidth", "PCIe switch to socket, per direction"),
      bandwidth_key("socket.bandwidth", "between two sockets, per direction"),
      time_key("socket.wire_latency", "between two sockets"),
  };
  for (sim::Key& key : link_keys()) keys.push_back(std::move(key));
  return keys;
}

sim::Result<std::unique_ptr<const ScaleUp>> draw_pcie(const Parameters& parameters,
                                                      std::int64_t domains,
                                                      FabricBuilder& builder) {
  if (auto fault = fault_in_family(parameters, pcie_keys())) return *fault;
  const auto count = [&](const char* name) {
    return static_cast<std::uint32_t>(parameters.count(name));
  };
  const PcieShape shape{.domains = static_cast<std::uint32_t>(domains),
                        .sockets = count("sockets"),
                        .switches = count("switches_per_socket"),
                        .chips = count("chips_per_switch")};
  if (auto fault = fault_in_size(domains * shape.per_server())) return *fault;
  auto server = std::make_unique<Pcie>(shape);
  server->draw(parameters, builder);
  return std::unique_ptr<const ScaleUp>(std::move(server));
}

}  // namespace topologies
