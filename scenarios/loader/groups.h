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

// Every `stride`-th chip, from the first on.
[[nodiscard]] Chips every_nth(Chips chips, std::size_t stride);

// The first `count` chips.
[[nodiscard]] sim::Placement place(const sim::Fabric& fabric, const Chips& chips,
                                   std::size_t count);

// Ranks per part of the outermost level (ultraserver or server, else layer, rack, sled) that
// divides the ranks into at least two equal runs of at least two ranks; empty when no level does.
[[nodiscard]] std::optional<sim::Rank> inner_ranks(const sim::Fabric& fabric,
                                                   const sim::Placement& placement);

}  // namespace scenarios
