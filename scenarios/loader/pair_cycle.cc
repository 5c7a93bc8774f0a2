// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/pair_cycle.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "scenarios/loader/groups.h"

namespace scenarios {
namespace {

constexpr std::uint64_t kMostVisits = 1'000'000;
constexpr sim::Rank kMostRanks = 2'048;

// A pair and which of its ranks is the primary.
struct Seat {
  sim::Rank primary = 0;
  sim::Rank secondary = 0;
};

// Depth first, to the pair with the fewest ways on first (Warnsdorff).
class Search {
 public:
  Search(const sim::Fabric& fabric, const sim::Placement& placement)
      : pairs_(placement.ranks() / 2), used_(pairs_, false) {
    std::map<std::uint32_t, sim::Rank> rank_at;
    for (sim::Rank rank = 0; rank < placement.ranks(); ++rank) {
      rank_at[sim::index(fabric.node_of(placement.endpoint_of[rank]))] = rank;
    }
    near_.resize(placement.ranks());
    for (sim::Rank rank = 0; rank < placement.ranks(); ++rank) {
      for (const sim::LinkId link : fabric.out_links(fabric.node_of(placement.endpoint_of[rank]))) {
        const auto other = rank_at.find(sim::index(fabric.link(link).to));
        if (other != rank_at.end() && !fabric.dead(link)) near_[rank].insert(other->second);
      }
    }
  }

  std::vector<sim::Rank> run() {
    if (pairs_ < 3 || near_[0].count(1) == 0) return {};
    cycle_.push_back({0, 1});
    used_[0] = true;
    if (!go_on()) return {};
    std::vector<sim::Rank> seats;
    for (const Seat& seat : cycle_) {
      seats.push_back(seat.primary);
      seats.push_back(seat.secondary);
    }
    return seats;
  }

 private:
  [[nodiscard]] bool joined(const Seat& a, const Seat& b) const {
    return near_[a.primary].count(b.primary) != 0 && near_[a.secondary].count(b.secondary) != 0;
  }

  [[nodiscard]] std::vector<Seat> next_of(const Seat& at) const {
    std::vector<Seat> found;
    for (const sim::Rank rank : near_[at.primary]) {
      const Seat seat{rank, rank ^ 1U};
      if (!used_[rank / 2] && joined(at, seat)) found.push_back(seat);
    }
    return found;
  }

  bool go_on() {
    if (cycle_.size() == pairs_) return joined(cycle_.back(), cycle_.front());
    if (++visits_ > kMostVisits) return false;
    std::vector<std::pair<std::size_t, Seat>> ways;
    for (const Seat& seat : next_of(cycle_.back())) ways.emplace_back(next_of(seat).size(), seat);
    std::ranges::stable_sort(ways, {}, [](const auto& way) { return way.first; });
    for (const auto& [onward, seat] : ways) {
      cycle_.push_back(seat);
      used_[seat.primary / 2] = true;
      if (go_on()) return true;
      used_[seat.primary / 2] = false;
      cycle_.pop_back();
    }
    return false;
  }

  sim::Rank pairs_;
  std::vector<std::set<sim::Rank>> near_;  // by rank: those it has a link to
  std::vector<bool> used_;                 // by pair
  std::vector<Seat> cycle_;
  std::uint64_t visits_ = 0;
};

}  // namespace

std::vector<sim::Rank> pair_cycle(const sim::Fabric& fabric, const sim::Placement& placement) {
  if (placement.ranks() % 2 != 0 || placement.ranks() > kMostRanks) return {};
  return Search(fabric, placement).run();
}

void seat_pairs(const sim::Fabric& fabric, CaseSpec& spec) {
  if (spec.algorithm != "kangaring") return;
  for (std::uint32_t group = 0; group < spec.groups; ++group) {
    const sim::Placement given = one_group(spec.placement, spec.job.ranks, group);
    const std::vector<sim::Rank> seats = pair_cycle(fabric, given);
    const std::size_t first = std::size_t{group} * spec.job.ranks;
    for (std::size_t seat = 0; seat < seats.size(); ++seat) {
      spec.placement.endpoint_of[first + seat] = given.endpoint_of[seats[seat]];
      if (!given.pace.empty()) spec.placement.pace[first + seat] = given.pace[seats[seat]];
    }
  }
}

}  // namespace scenarios
