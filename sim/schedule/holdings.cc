// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/holdings.h"

#include <algorithm>

namespace sim {
namespace {

Rank owner(const Layout& layout, std::uint32_t part) {
  return static_cast<Rank>(std::uint64_t{part} * layout.ranks / layout.sizes.parts());
}

std::optional<Holding> only_if(bool condition, const Holding& holding) {
  return condition ? std::optional(holding) : std::nullopt;
}

}  // namespace

std::optional<Holding> held_before(const Layout& layout, Rank rank, std::uint32_t part) {
  const Collective kind = layout.collective;
  const bool gathers = kind == Collective::kAllGather || kind == Collective::kGather ||
                       kind == Collective::kAllToAllV;
  const bool spreads = kind == Collective::kBroadcast || kind == Collective::kScatter;
  const bool nothing = (spreads && rank != layout.root) || (gathers && owner(layout, part) != rank);
  return only_if(!nothing, {part, rank});
}

std::optional<Holding> held_after(const Layout& layout, Rank rank, std::uint32_t part) {
  const Rank from = owner(layout, part);
  const bool root = layout.root == rank;
  const std::uint32_t each = layout.sizes.parts() / layout.ranks;
  switch (layout.collective) {
    case Collective::kAllReduce:
    case Collective::kBarrier:
      return Holding{part, {}};
    case Collective::kReduce:
      return only_if(root, {part, {}});
    case Collective::kReduceScatter:
      return only_if(from == rank, {part, {}});
    case Collective::kAllGather:
      return Holding{part, from};
    case Collective::kGather:
      return only_if(root, {part, from});
    case Collective::kBroadcast:
      return Holding{part, layout.root};
    case Collective::kScatter:
      return only_if(from == rank, {part, layout.root});
    case Collective::kAllToAll:
      return Holding{rank * each + part % each, from};
    case Collective::kAllToAllV:
      return only_if(part % layout.ranks == rank, {part, from});
    case Collective::kProgram:
      break;
    case Collective::kSendRecv:
    case Collective::kPermute: {
      const auto source = std::ranges::find(layout.targets, rank);
      return only_if(source != layout.targets.end(),
                     {part, static_cast<Rank>(source - layout.targets.begin())});
    }
  }
  return std::nullopt;  // a program: nothing is known
}

std::uint32_t first_result(const Layout& layout) {
  if (layout.result_block) return *layout.result_block;
  const bool moves = layout.collective == Collective::kAllToAll ||
                     layout.collective == Collective::kAllToAllV || has_pairs(layout.collective);
  return moves ? layout.sizes.parts() : 0;
}

}  // namespace sim
