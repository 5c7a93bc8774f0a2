// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/hierarchical_v.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "collectives/flat.h"

namespace collectives {
namespace {

using sim::Blocks;
using sim::Rank;

// One level: peers are `stride` ranks apart, `size` of them.
struct Level {
  Rank stride;
  Rank size;

  [[nodiscard]] Rank place(Rank rank) const { return rank / stride % size; }
};

std::vector<Level> levels_of(const Job& job) {
  const Rank inner = job.options.inner;
  const Rank middle = job.options.middle;
  if (middle == 0) return {{1, inner}, {inner, job.ranks / inner}};
  return {{1, inner}, {inner, middle / inner}, {middle, job.ranks / middle}};
}

// What `holder` holds before `level` that goes to ranks whose place there is `place`: it came from
// the `stride` ranks that the levels before joined, and goes to every rank that agrees with the
// holder in those levels. One strided set: from one source to the next, destinations go on in step.
Blocks bound_for(Rank ranks, const Level& level, Rank holder, Rank place) {
  const Rank first_source = holder / level.stride * level.stride;
  const Rank first_target = holder % level.stride + place * level.stride;
  const Rank apart = level.stride * level.size;
  const std::uint32_t first = sim::TrafficBlocks(ranks).held(first_source, first_target);
  return {first, 1, apart, level.stride * (ranks / apart)};
}

// From the inside out. All is copied in first, as messages take own and relayed parts together.
std::uint32_t plan_by_rail(const Job& job, sim::Planner& planner) {
  const Rank me = planner.rank();
  const Rank n = job.ranks;
  const sim::TrafficBlocks blocks(n);
  planner.copy({blocks.held(me, 0), n, n, 1}, blocks.owed(me, 0));
  std::uint32_t slot = 0;
  for (const Level& level : levels_of(job)) {
    const Rank mine = level.place(me);
    const auto peer_at = [&](Rank place) { return me + (place - mine) * level.stride; };
    for (Rank d = 1; d < level.size; ++d) {
      const Rank place = (mine + d) % level.size;
      const Blocks set = bound_for(n, level, me, place);
      planner.send(peer_at(place), set, set.first, slot + d - 1);
    }
    for (Rank d = 1; d < level.size; ++d) {
      const Rank source = peer_at((mine + level.size - d) % level.size);
      planner.receive(bound_for(n, level, source, mine), slot + d - 1);
    }
    slot += level.size - 1;
  }
  return slot;
}

// From the outside in. Inside, a rank passes on what its place of every server sent to a peer.
std::uint32_t plan_by_server(const Job& job, sim::Planner& planner) {
  const Rank inner = job.options.inner;
  const Rank outer = job.ranks / inner;
  const Rank me = planner.rank();
  const Rank home = me / inner;
  const Rank place = me % inner;
  const sim::TrafficBlocks blocks(job.ranks);
  for (Rank d = 1; d < outer; ++d) {
    const Rank server = (home + d) % outer;
    const std::uint32_t bundle = blocks.bundle(me, server, outer);
    planner.send(server * inner + place, {bundle, 1, 1, 1}, bundle, d - 1);
  }
  planner.copy(blocks.held_of_server(me, home, inner), blocks.owed(me, home * inner));
  for (Rank d = 1; d < outer; ++d) {
    const Rank source = (home + outer - d) % outer * inner + place;
    planner.receive({blocks.bundle(source, home, outer), 1, 1, 1}, d - 1);
    planner.receive(blocks.held_of_server(source, home, inner), d - 1);
  }
  const auto relayed = [&](Rank through, Rank to) {
    return Blocks{blocks.held(through % inner, to), 1, inner * job.ranks, outer};
  };
  for (Rank d = 1; d < inner; ++d) {
    const Rank peer = home * inner + (place + d) % inner;
    const Blocks set = relayed(me, peer);
    planner.send(peer, set, set.first, outer - 1 + d - 1);
  }
  for (Rank d = 1; d < inner; ++d) {
    const Rank through = home * inner + (place + inner - d) % inner;
    planner.receive(relayed(through, me), outer - 1 + d - 1);
  }
  return outer - 1 + inner - 1;
}

}  // namespace

sim::Key middle_key() {
  sim::Key key;
  key.name = "middle_ranks";
  key.dimension = sim::Dimension::kCount;
  key.help =
      "all_to_all_v: ranks of a group of inner groups, for a third level between inner and outer; "
      "a multiple of inner_ranks";
  key.least = 4;
  key.most = 1'000'000;
  return key;
}

std::optional<std::string> levels_v_obstacle(const Job& job) {
  if (auto obstacle = traffic_obstacle(job, true)) return obstacle;
  const std::array<std::pair<const char*, const std::string*>, 2> names = {
      {{"inner", &job.options.inner_algorithm}, {"outer", &job.options.outer_algorithm}}};
  for (const auto& [word, name] : names) {
    if (*name == "direct") continue;
    return fmt::format("its {}_algorithm {} cannot serve a level of all_to_all_v; direct can", word,
                       *name);
  }
  const Rank inner = job.options.inner;
  const Rank middle = job.options.middle;
  const bool divides = middle > inner && middle < job.ranks && middle % inner == 0;
  if (middle != 0 && (!divides || job.ranks % middle != 0)) {
    return fmt::format("middle_ranks is {}, and must be a multiple of {} that divides {}", middle,
                       inner, job.ranks);
  }
  if (!job.traffic || job.traffic->server == 0) return std::nullopt;
  if (job.traffic->server != inner) {
    return fmt::format("rows go once to {} ranks, and its inner groups have {}",
                       job.traffic->server, inner);
  }
  if (middle != 0) return "rows that a server shares go over two levels, not three";
  return std::nullopt;
}

sim::RankProgram plan_levels_v(const Job& job, const sim::Layout& layout, sim::Rank rank) {
  sim::Planner planner(rank, layout.sizes);
  const bool shared = layout.traffic->server > 0;
  const std::uint32_t slots = shared ? plan_by_server(job, planner) : plan_by_rail(job, planner);
  return std::move(planner).take(slots);
}

}  // namespace collectives
