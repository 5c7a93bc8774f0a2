// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/outline.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/base/quantity.h"
#include "topologies/clos_shape.h"
#include "topologies/scale_up.h"
#include "topologies/ultraserver.h"

namespace topologies {
namespace {

using sim::Bandwidth;
using sim::Bytes;
using sim::Failure;
using sim::Parameters;
using sim::Time;

bool cut_through(const Parameters& parameters) {
  return parameters.text("nic.family") == "infiniband";
}

Bandwidth for_payload(const Parameters& parameters, Bandwidth rate) {
  const std::int64_t payload = parameters.bytes("efa.mtu").value;
  const std::int64_t packet = payload + parameters.bytes("efa.header").value;
  return Bandwidth(static_cast<std::int64_t>(static_cast<__int128>(rate.value) * payload / packet));
}

Bandwidth part_of(Bandwidth rate, std::int64_t share) {
  const auto left = static_cast<__int128>(rate.value) * share / sim::kRatioOne;
  return Bandwidth(std::max<std::int64_t>(static_cast<std::int64_t>(left), 1));
}

// Chip, NIC, ToR and on up to the meeting tier, and down again.
sim::Crossing crossing(const Parameters& parameters, const ClosShape& shape, std::uint32_t tier,
                       const sim::PortShare& from, const sim::PortShare& to) {
  const Bytes payload = parameters.bytes("efa.mtu");
  const Bytes packet = payload + parameters.bytes("efa.header");
  sim::Crossing way;
  way.payload = payload;
  const std::int64_t switches = 2 * tier + 1;
  way.latency = parameters.time("nic.bus_latency") * 2 + parameters.time("nic.latency") * 2 +
                parameters.time("ethernet.wire_latency") * 2 +
                parameters.time("ethernet.switch_latency") * switches;
  // The stretches between nodes that store and forward: all links, or bus, network, bus.
  Time slowest;
  Time sum;
  Time network;
  const auto add = [&](Time stretch) {
    sum += stretch;
    slowest = std::max(slowest, stretch);
  };
  for (const sim::PortShare& end : {from, to}) {
    add(sim::transfer_time(payload, part_of(parameters.bandwidth("nic.bus_bandwidth"), end.bus)));
    const Time link = sim::transfer_time(packet, part_of(shape.rate[0], end.nic));
    network = std::max(network, link);
    if (!cut_through(parameters)) add(link);
  }
  for (std::uint32_t t = 1; t <= tier; ++t) {
    way.latency += parameters.time(tier_prefix(t) + "wire_latency") * 2;
    const Time link = sim::transfer_time(packet, shape.rate[t]);
    network = std::max(network, link);
    if (cut_through(parameters)) continue;
    add(link);
    add(link);
  }
  if (cut_through(parameters)) add(network);
  way.fill = sum - slowest;
  return way;
}

Bandwidth rate_of_nic(const Parameters& parameters, const ClosShape& shape,
                      const sim::PortShare& share) {
  const Bandwidth bus = part_of(parameters.bandwidth("nic.bus_bandwidth"), share.bus);
  if (share.nic == sim::kRatioOne) {
    return std::min(bus, for_payload(parameters, parameters.bandwidth("nic.bandwidth")));
  }
  const Bandwidth link = for_payload(parameters, part_of(shape.rate[0], share.nic));
  return std::min(bus, Bandwidth(link.value * shape.planes[0]));
}

// A switch sends up at least what all NICs below it can send, for payload.
std::optional<Failure> could_fill(const Parameters& parameters, const ClosShape& shape,
                                  Bandwidth nic) {
  __int128 below = nic.value;  // of one place, all its switches together
  for (std::uint32_t tier = 1; tier < shape.tiers; ++tier) {
    below *= shape.children[tier - 1];
    const Bandwidth rate = for_payload(parameters, shape.rate[tier]);
    const __int128 above = static_cast<__int128>(rate.value) * shape.planes[tier];
    if (above >= below) continue;
    return Failure{fmt::format("tier {} of the network can fill: {} NICs share it", tier + 1,
                               shape.nics.count()),
                   "ethernet.*.oversubscription: 1, or fewer UltraServers and symmetry: never"};
  }
  return std::nullopt;
}

Bandwidth largest_rate(const Parameters& parameters, const sim::Fabric& domain,
                       const ClosShape& shape) {
  Bandwidth largest = parameters.bandwidth("nic.bus_bandwidth");
  for (std::uint32_t link = 0; link < domain.links().size(); ++link) {
    largest = std::max(largest, domain.usable(sim::LinkId{link}));
  }
  for (std::uint32_t tier = 0; tier < shape.tiers; ++tier) {
    largest = std::max(largest, for_payload(parameters, shape.rate[tier]));
  }
  return largest;
}

}  // namespace

sim::Result<sim::Outline> make_outline(const Parameters& parameters) {
  if (parameters.count("nic.per_chip") != 1 || parameters.count("nic.chips_per_nic") != 1 ||
      on_chip(parameters).ends != 0) {
    return Failure{
        "only clusters with ranks: chips on their ports and one NIC per chip can be told by "
        "symmetry",
        "ranks: chips, chip.stage: ports, nic.per_chip: 1 and nic.chips_per_nic: 1"};
  }
  sim::Result<sim::Topology> domain = make_alone(draw_ultraservers, parameters);
  if (!domain.ok()) return domain.failure();
  sim::Outline outline;
  outline.domain = std::move(domain).value();
  outline.domains = static_cast<std::uint32_t>(parameters.count("ultraservers"));
  const sim::Result<ClosShape> read = clos_shape(parameters, {outline.domains, outline.ends()});
  if (!read.ok()) return read.failure();
  const ClosShape& shape = read.value();
  outline.nic = rate_of_nic(parameters, shape, {});
  if (auto fault = could_fill(parameters, shape, outline.nic)) return *std::move(fault);
  outline.largest = largest_rate(parameters, *outline.domain.fabric, shape);
  for (std::uint32_t tier = 0; tier < shape.tiers; ++tier) {
    outline.tiers.push_back(crossing(parameters, shape, tier, {}, {}));
  }
  outline.crossing = [parameters, shape](std::uint32_t tier, const sim::PortShare& from,
                                         const sim::PortShare& to) {
    return crossing(parameters, shape, tier, from, to);
  };
  outline.rate_of_nic = [parameters, shape](const sim::PortShare& share) {
    return rate_of_nic(parameters, shape, share);
  };
  outline.place = [shape](std::uint32_t end, std::uint32_t in, std::uint32_t tier) {
    return shape.group_of(in * shape.nics.per_domain + end, tier);
  };
  return outline;
}

}  // namespace topologies
