// SPDX-License-Identifier: GPL-2.0-only
// Outline: a cluster of many equal domains (UltraServers, servers) told without drawing it. One
// domain is drawn; what a transfer between two domains meets depends only on the tier of the
// network where their ways meet. Holds where nothing above the NICs can fill and every end has its
// own NIC.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/base/units.h"
#include "sim/fabric/routes.h"

namespace sim {

// Between an end of one domain and an end of another, by the tier where their ways meet.
struct Crossing {
  Time latency;   // wires and nodes
  Time fill;      // of one full packet through nodes that store and forward
  Bytes payload;  // of a full packet
};

struct Outline {
  Topology domain;  // one domain, its ends numbered as in the cluster
  std::uint32_t domains = 1;
  Bandwidth largest;            // rate left for payload on the fastest link of the cluster
  Bandwidth nic;                // what an end sends to (and gets from) other domains, for payload
  std::vector<Crossing> tiers;  // by meeting tier, 0 at the ToRs
  // Place of an end of a domain at a tier: where it meets all others of that place.
  std::function<std::uint32_t(std::uint32_t end, std::uint32_t domain, std::uint32_t tier)> place;

  // Lowest tier where the ways between `end` of domain a and `end` of domain b meet.
  [[nodiscard]] std::uint32_t meeting_tier(std::uint32_t end, std::uint32_t a,
                                           std::uint32_t b) const {
    std::uint32_t tier = 0;
    while (tier + 1 < tiers.size() && place(end, a, tier) != place(end, b, tier)) ++tier;
    return tier;
  }
  [[nodiscard]] std::uint32_t ends() const { return domain.fabric->endpoints(); }
};

}  // namespace sim
