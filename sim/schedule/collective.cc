// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/collective.h"

#include "sim/base/check.h"

namespace sim {

std::string_view name_of(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
      return "all_reduce";
    case Collective::kAllGather:
      return "all_gather";
    case Collective::kReduceScatter:
      return "reduce_scatter";
    case Collective::kAllToAll:
      return "all_to_all";
  }
  check_failed("a known collective", __FILE__, __LINE__);
}

const std::vector<Collective>& all_collectives() {
  static const std::vector<Collective> all = {Collective::kAllReduce, Collective::kAllGather,
                                              Collective::kReduceScatter, Collective::kAllToAll};
  return all;
}

std::int64_t bus_numerator(Collective collective, Rank ranks) {
  const std::int64_t others = static_cast<std::int64_t>(ranks) - 1;
  return collective == Collective::kAllReduce ? 2 * others : others;
}

}  // namespace sim
