// SPDX-License-Identifier: GPL-2.0-only
// Which endpoints a group of chips takes, and in which order: the span of a group. Ranks are the
// endpoints of the chips taken, chip after chip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/engine/placement.h"
#include "sim/fabric/fabric.h"

namespace scenarios {

// The endpoints of every chip that faults did not cut off, chips in the order of `span`:
//  sled_first   as the endpoints are numbered: ultraserver, rack, sled, position
//  plane_first  all chips of a plane before the next plane of the rack
//  twin_first   the two chips joined rack to rack stand beside each other
using Chips = std::vector<std::vector<sim::EndpointId>>;

// Fails when the fabric lacks the level that the span goes by.
[[nodiscard]] sim::Result<Chips> chips_in_order(const sim::Fabric& fabric, const std::string& span);

// Groups beside each other: each of `chips` chips, `stride` apart; with a stride the groups between
// them come first (tensor parallel groups of 8 and data parallel groups of stride 8, say).
struct Pattern {
  std::size_t chips = 1;
  std::size_t stride = 1;
  std::size_t first = 0;  // chips left out, in the order

  // How many such groups `all` chips hold.
  [[nodiscard]] std::size_t fit(std::size_t all) const;
  // Which chip member `member` of group `group` is.
  [[nodiscard]] std::size_t chip(std::size_t group, std::size_t member) const;
};

// The first `count` chips.
[[nodiscard]] sim::Placement place(const sim::Fabric& fabric, const Chips& chips,
                                   std::size_t count);

// One of several groups of `ranks` ranks.
[[nodiscard]] sim::Placement one_group(const sim::Placement& placement, sim::Rank ranks,
                                       std::size_t group);

// Ranks of each part of the outermost level (ultraserver or server, else layer, rack, sled) that
// divides the ranks into at least two equal runs of at least two ranks; empty when no level does.
[[nodiscard]] std::vector<sim::Rank> inner_groups(const sim::Fabric& fabric,
                                                  const sim::Placement& placement);

}  // namespace scenarios
