// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/star.h"

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "sim/base/check.h"
#include "topologies/keys.h"

namespace topologies {

namespace {

using sim::EndpointId;
using sim::LinkId;
using sim::Parameters;

// End e is joined by link 2e (to the switch) and 2e + 1 (from the switch).
class StarRoutes final : public sim::Routes {
 public:
  std::uint32_t path_count(EndpointId, EndpointId) const override { return 1; }

  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    CHECK(from != to && path == 0);
    links.push_back(LinkId{2 * index(from)});
    links.push_back(LinkId{2 * index(to) + 1});
  }
};

sim::FlowControl flow_of(const std::string& text) {
  if (text == "credits") return sim::FlowControl::kCredits;
  if (text == "drop") return sim::FlowControl::kDrop;
  return sim::FlowControl::kUnbounded;
}

sim::LinkClass link_class(const Parameters& parameters) {
  return {.name = "link",
          .flow = flow_of(parameters.text("link.flow")),
          .buffer = parameters.bytes("link.buffer"),
          .payload = parameters.bytes("packet.size"),
          .header = parameters.bytes("link.header"),
          .efficiency = parameters.ratio("link.efficiency")};
}

sim::Node switch_node(const Parameters& parameters) {
  const bool cut_through = parameters.text("switch.forwarding") == "cut_through";
  return {
      .kind = sim::NodeKind::kSwitch,
      .forwarding = cut_through ? sim::Forwarding::kCutThrough : sim::Forwarding::kStoreAndForward,
      .latency = parameters.time("switch.latency"),
      .name = "switch"};
}

sim::Fabric star_fabric(const Parameters& parameters) {
  const auto ends = static_cast<std::uint32_t>(parameters.count("ends"));
  sim::FabricBuilder builder;
  const sim::ClassId kind = builder.add_class(link_class(parameters));
  const sim::NodeId hub = builder.add_node(switch_node(parameters));
  for (std::uint32_t end = 0; end < ends; ++end) {
    const sim::NodeId node = builder.add_node({.kind = sim::NodeKind::kChip,
                                               .forwarding = sim::Forwarding::kCutThrough,
                                               .latency = {},
                                               .name = fmt::format("end {}", end)});
    builder.connect(node, hub, kind, parameters.bandwidth("link.bandwidth"),
                    parameters.time("link.latency"));
    builder.add_endpoint(node);
  }
  std::vector<std::uint32_t> chips(ends);
  std::iota(chips.begin(), chips.end(), 0U);
  builder.add_level("chip", std::move(chips));
  return std::move(builder).seal();
}

}  // namespace

std::vector<sim::Key> star_keys() {
  return {
      count_key("ends", {2, 100'000}, "ends on the switch; each is one chip"),
      bandwidth_key("link.bandwidth", "rate of each link, per direction"),
      time_key("link.latency", "propagation delay of each link"),
      size_key("link.header", kHeaderBytes, "wire bytes added to every packet"),
      share_key("link.efficiency", "share of the raw rate left for packets"),
      choice_key("link.flow", {"unbounded", "credits", "drop"},
                 "what happens when a buffer is full: no limit, wait for credits, or drop"),
      size_key("link.buffer", kBufferBytes,
               "buffer of each link (input buffer with credits, output queue with drop)"),
      time_key("switch.latency", "from arrival to readiness at the output port"),
      choice_key("switch.forwarding", {"store_and_forward", "cut_through"},
                 "whether the switch waits for the whole packet"),
      size_key("packet.size", kPacketBytes, "most payload bytes of a packet"),
  };
}

sim::Result<sim::Topology> make_star(const Parameters& parameters) {
  if (std::optional<sim::Failure> fault = fault_in(parameters, star_keys())) return *fault;
  const sim::Bytes packet = parameters.bytes("packet.size") + parameters.bytes("link.header");
  if (parameters.text("link.flow") != "unbounded" && parameters.bytes("link.buffer") < packet) {
    return sim::Failure{"link.buffer does not hold one packet",
                        "at least packet.size + link.header"};
  }
  auto fabric = std::make_unique<const sim::Fabric>(star_fabric(parameters));
  return sim::Topology{std::move(fabric), std::make_unique<const StarRoutes>()};
}

}  // namespace topologies
