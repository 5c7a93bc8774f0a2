// SPDX-License-Identifier: GPL-2.0-only
// The shape of a scale-out Clos: a fat tree in which each place below has the same number of
// parents on every tier (an extended generalised fat tree: Ohring et al., 1995). Tier 1 are ToRs;
// a place of tier i has `parents[i]` switches above it for every switch it has itself. So the
// choices made on the way up (which ToR of the NIC, which second-tier switch of the ToR, ...) name
// a plane: switches of two planes never meet, and a way up that ends at a common ancestor fixes the
// way down.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/base/units.h"

namespace topologies {

inline constexpr std::uint32_t kMostTiers = 4;

// NICs of a cluster, numbered domain after domain.
struct NicSet {
  std::uint32_t domains = 1;
  std::uint32_t per_domain = 1;
  [[nodiscard]] std::uint32_t count() const { return domains * per_domain; }
};

// By tier: index 0 is the tier of the ToRs.
struct ClosShape {
  template <class T>
  using ByTier = std::array<T, kMostTiers>;

  NicSet nics;
  bool rails = false;                // NICs of one number of neighbouring domains share a ToR
  std::uint32_t tiers = 1;           // drawn
  ByTier<std::uint32_t> children{};  // places below a switch: NICs, ToRs, pods, ...
  ByTier<std::uint32_t> parents{};   // switches of the tier above each NIC or switch below
  ByTier<std::uint32_t> groups{};    // places of the tier: ToR positions, pods, ...
  ByTier<std::uint32_t> planes{};    // product of the parents: switches per place
  ByTier<sim::Bandwidth> rate{};     // of each link that ends on the tier from below

  [[nodiscard]] std::uint32_t tor_of(std::uint32_t nic) const;
  [[nodiscard]] std::uint32_t group_of(std::uint32_t nic, std::uint32_t tier) const;
  // The lowest tier where both have one place.
  [[nodiscard]] std::uint32_t meeting_tier(std::uint32_t a, std::uint32_t b) const;
};

[[nodiscard]] std::vector<sim::Key> clos_keys();

// Reads and checks what `clos_keys` declares. Tiers that would join nothing are not drawn.
[[nodiscard]] sim::Result<ClosShape> clos_shape(const sim::Parameters& parameters, NicSet nics);

// "ethernet.tier2.", the prefix of a tier's keys; tier 0 (the ToRs) has "ethernet.tor.".
[[nodiscard]] std::string tier_prefix(std::uint32_t tier);

}  // namespace topologies
