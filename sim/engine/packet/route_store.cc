// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/route_store.h"

#include <algorithm>

namespace sim::packet {

std::vector<std::uint32_t>& RouteStore::free_of(std::uint32_t size) {
  for (Free& free : free_) {
    if (free.size == size) return free.places;
  }
  free_.push_back({size, {}});
  return free_.back().places;
}

PathSet RouteStore::take(std::uint32_t paths, std::uint32_t longest) {
  PathSet set{0, paths, longest + 1};
  const std::uint32_t size = set.paths * set.stride;
  std::vector<std::uint32_t>& free = free_of(size);
  if (free.empty()) {
    set.first = static_cast<std::uint32_t>(links_.size());
    links_.resize(links_.size() + size, kRouteEnd);
    return set;
  }
  set.first = free.back();
  free.pop_back();
  std::fill_n(links_.begin() + set.first, size, kRouteEnd);
  return set;
}

void RouteStore::give(const PathSet& set) { free_of(set.paths * set.stride).push_back(set.first); }

}  // namespace sim::packet
