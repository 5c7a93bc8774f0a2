// SPDX-License-Identifier: GPL-2.0-only
// Collective kinds, with what each rank starts with and must end with. `bytes` always means, as in
// nccl-tests and nccom-test: all-reduce: the tensor every rank holds; all-gather: the gathered
// output; reduce-scatter: the unreduced input of one rank; all-to-all: the send buffer of one rank.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/units.h"

namespace sim {

using Rank = std::uint32_t;

enum class Collective : std::uint8_t { kAllReduce, kAllGather, kReduceScatter, kAllToAll };

[[nodiscard]] std::string_view name_of(Collective collective);  // "all_reduce"
[[nodiscard]] const std::vector<Collective>& all_collectives();

// Bus bandwidth = algorithm bandwidth x this factor (nccl-tests): 2(n-1)/n for all-reduce, else
// (n-1)/n. As numerator over n, so that it stays exact.
[[nodiscard]] std::int64_t bus_numerator(Collective collective, Rank ranks);

}  // namespace sim
