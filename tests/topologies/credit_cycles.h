// SPDX-License-Identifier: GPL-2.0-only
// The proof that credits cannot deadlock: a packet that holds a buffer of one (link, lane) waits
// for one of the next on its path. When the graph of these waits over all routes has no cycle, some
// packet can always move on (Dally and Seitz 1987). Links without credits are counted too, which is
// stricter.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/fabric/routes.h"

namespace topologies_test {

using Channel = std::pair<std::uint32_t, std::uint8_t>;  // link, lane

inline std::set<std::pair<Channel, Channel>> waits(const sim::Fabric& fabric,
                                                   const sim::Routes& routes) {
  std::set<std::pair<Channel, Channel>> waits;
  std::vector<sim::LinkId> links;
  for (std::uint32_t from = 0; from < fabric.endpoints(); ++from) {
    for (std::uint32_t to = 0; to < fabric.endpoints(); ++to) {
      if (from == to) continue;
      const sim::EndpointId a{from};
      const sim::EndpointId b{to};
      for (std::uint32_t path = 0; path < routes.path_count(a, b); ++path) {
        links.clear();
        routes.append_path(a, b, path, links);
        for (std::size_t hop = 1; hop < links.size(); ++hop) {
          waits.insert(
              {{index(links[hop - 1]), routes.lane(a, b)}, {index(links[hop]), routes.lane(a, b)}});
        }
      }
    }
  }
  return waits;
}

// Takes away channels that wait for nothing until none is left, or a cycle is.
inline bool can_wait_in_a_cycle(const sim::Fabric& fabric, const sim::Routes& routes) {
  constexpr std::size_t kLanes = 256;
  const auto id = [](const Channel& channel) { return channel.first * kLanes + channel.second; };
  std::vector<std::uint32_t> waits_for(fabric.links().size() * kLanes, 0);
  std::vector<std::vector<Channel>> waited_by(waits_for.size());
  std::set<Channel> channels;
  for (const auto& [holder, wanted] : waits(fabric, routes)) {
    ++waits_for[id(holder)];
    waited_by[id(wanted)].push_back(holder);
    channels.insert({holder, wanted});
  }
  std::vector<Channel> free;
  for (const Channel& channel : channels) {
    if (waits_for[id(channel)] == 0) free.push_back(channel);
  }
  std::size_t freed = 0;
  for (; freed < free.size(); ++freed) {
    for (const Channel& holder : waited_by[id(free[freed])]) {
      if (--waits_for[id(holder)] == 0) free.push_back(holder);
    }
  }
  return freed < channels.size();
}

}  // namespace topologies_test
