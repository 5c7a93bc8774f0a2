// SPDX-License-Identifier: GPL-2.0-only
// Link sequences of the transfers under way, in one array: a packet carries its place in it. A path
// set holds `paths` sequences, `stride` apart, each ended by kRouteEnd; sets are handed back when
// their transfer is done and their space is used again.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/packet/records.h"

namespace sim::packet {

struct PathSet {
  std::uint32_t first = kNone;
  std::uint32_t paths = 0;
  std::uint32_t stride = 0;

  [[nodiscard]] std::uint32_t path(std::uint32_t number) const { return first + number * stride; }
};

class RouteStore {
 public:
  // Space for `paths` sequences of up to `longest` links, filled with kRouteEnd.
  PathSet take(std::uint32_t paths, std::uint32_t longest);
  void give(const PathSet& set);

  void write(std::uint32_t place, std::uint32_t link) { links_[place] = link; }
  std::uint32_t operator[](std::uint32_t place) const { return links_[place]; }

 private:
  std::vector<std::uint32_t> links_;
  struct Free {
    std::uint32_t size = 0;
    std::vector<std::uint32_t> places;
  };
  std::vector<std::uint32_t>& free_of(std::uint32_t size);

  std::vector<Free> free_;  // a handful of sizes
};

}  // namespace sim::packet
