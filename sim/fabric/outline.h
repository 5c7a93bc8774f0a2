// SPDX-License-Identifier: GPL-2.0-only
// Outline: a cluster of many equal domains (UltraServers, servers) told without drawing it. One
// domain is drawn; what a transfer between two domains meets depends only on the tier of the
// network where their ways meet. Holds where nothing above the NICs can fill and every end has its
// own NIC. Faults inside domains and slow NICs are told domain by domain.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/base/quantity.h"
#include "sim/base/units.h"
#include "sim/fabric/routes.h"

namespace sim {

// Between an end of one domain and an end of another, by the tier where their ways meet.
struct Crossing {
  Time latency;   // wires and nodes
  Time fill;      // of one full packet through nodes that store and forward
  Bytes payload;  // of a full packet
};

// What faults leave of an end's way out: parts per billion of the rate of the bus between chip and
// NIC and of the NIC's links, and of the rate of its own work.
struct PortShare {
  std::int64_t bus = kRatioOne;
  std::int64_t nic = kRatioOne;
  std::int64_t work = kRatioOne;

  auto operator<=>(const PortShare&) const = default;
};

// An end whose way out is not all there.
struct SlowPort {
  std::uint32_t end = 0;
  std::uint32_t domain = 0;
  PortShare share;
};

struct Outline {
  Topology domain;  // one healthy domain, its ends numbered as in the cluster
  std::uint32_t domains = 1;
  Bandwidth largest;            // rate left for payload on the fastest link of the cluster
  Bandwidth nic;                // what an end sends to (and gets from) other domains, for payload
  std::vector<Crossing> tiers;  // by meeting tier, 0 at the ToRs
  // Place of an end of a domain at a tier: where it meets all others of that place.
  std::function<std::uint32_t(std::uint32_t end, std::uint32_t domain, std::uint32_t tier)> place;
  // Between ends of which faults have left that much.
  std::function<Crossing(std::uint32_t tier, const PortShare& from, const PortShare& to)> crossing;
  std::function<Bandwidth(const PortShare& share)> rate_of_nic;

  std::vector<Topology> faulty;        // domains with faults, each kind of them once
  std::vector<std::uint32_t> kind_of;  // by domain: 0, or 1 + number in `faulty`; empty: all 0
  std::vector<SlowPort> slow_ports;    // by end, then domain; each once

  // Lowest tier where the ways between `end` of domain a and `end` of domain b meet.
  [[nodiscard]] std::uint32_t meeting_tier(std::uint32_t end, std::uint32_t a,
                                           std::uint32_t b) const {
    std::uint32_t tier = 0;
    while (tier + 1 < tiers.size() && place(end, a, tier) != place(end, b, tier)) ++tier;
    return tier;
  }
  [[nodiscard]] std::uint32_t ends() const { return domain.fabric->endpoints(); }
  [[nodiscard]] std::uint32_t kind(std::uint32_t of_domain) const {
    return kind_of.empty() ? 0 : kind_of[of_domain];
  }
  [[nodiscard]] const Topology& topology(std::uint32_t of_kind) const {
    return of_kind == 0 ? domain : faulty[of_kind - 1];
  }
};

}  // namespace sim
