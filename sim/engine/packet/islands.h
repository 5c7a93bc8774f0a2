// SPDX-License-Identifier: GPL-2.0-only
// Islands: the logical processes of a fabric, one per group of its outermost level (an
// UltraServer), plus one for what stands between them. Fixed by the fabric, never by how many
// threads run it: every event is ordered by (time, island that made it, number within that island),
// so a later run of islands side by side gives the same order. With one group everything is island
// 0.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fabric/fabric.h"

namespace sim::packet {

struct Islands {
  std::vector<std::uint16_t> of_node;
  std::uint16_t count = 1;
};

[[nodiscard]] Islands islands_of(const Fabric& fabric);

}  // namespace sim::packet
