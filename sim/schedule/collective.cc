// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/collective.h"

#include <algorithm>

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
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kReduce:
      return "reduce";
    case Collective::kGather:
      return "gather";
    case Collective::kScatter:
      return "scatter";
    case Collective::kBarrier:
      return "barrier";
    case Collective::kSendRecv:
      return "send_recv";
    case Collective::kPermute:
      return "permute";
    case Collective::kAllToAllV:
      return "all_to_all_v";
    case Collective::kProgram:
      return "program";
  }
  check_failed("a known collective", __FILE__, __LINE__);
}

const std::vector<Collective>& all_collectives() {
  static const std::vector<Collective> all = {
      Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter,
      Collective::kAllToAll,  Collective::kBroadcast, Collective::kReduce,
      Collective::kGather,    Collective::kScatter,   Collective::kBarrier,
      Collective::kSendRecv,  Collective::kPermute,   Collective::kAllToAllV};
  return all;
}

const std::vector<Collective>& symmetric_collectives() {
  static const std::vector<Collective> all = {Collective::kAllReduce, Collective::kAllGather,
                                              Collective::kReduceScatter, Collective::kAllToAll};
  return all;
}

bool is_symmetric(Collective collective) {
  return std::ranges::find(symmetric_collectives(), collective) != symmetric_collectives().end();
}

bool is_flat_kind(Collective collective) {
  return is_symmetric(collective) || collective == Collective::kAllToAllV;
}

bool has_root(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce ||
         collective == Collective::kGather || collective == Collective::kScatter;
}

bool has_pairs(Collective collective) {
  return collective == Collective::kSendRecv || collective == Collective::kPermute;
}

std::int64_t bus_numerator(Collective collective, Rank ranks) {
  const std::int64_t others = static_cast<std::int64_t>(ranks) - 1;
  if (collective == Collective::kAllReduce) return 2 * others;
  const bool keeps_own = is_flat_kind(collective) || collective == Collective::kGather ||
                         collective == Collective::kScatter;
  return keeps_own ? others : ranks;
}

}  // namespace sim
