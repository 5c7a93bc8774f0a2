// SPDX-License-Identifier: GPL-2.0-only
// What each rank holds before and after a collective, part by part, as Layout lays it out. Used by
// verify.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/schedule/schedule.h"

namespace sim {

struct Holding {
  std::uint32_t part = 0;
  std::optional<Rank> from = {};  // whose data it is; none: all ranks' data, merged
};

// What `rank` starts with as `part`, at block first_block + part; empty: nothing.
[[nodiscard]] std::optional<Holding> held_before(const Layout& layout, Rank rank,
                                                 std::uint32_t part);
// What it has to hold in the end as `part` of its result; empty: whatever it likes.
[[nodiscard]] std::optional<Holding> held_after(const Layout& layout, Rank rank,
                                                std::uint32_t part);
// The block where part 0 of a result is.
[[nodiscard]] std::uint32_t first_result(const Layout& layout);

}  // namespace sim
