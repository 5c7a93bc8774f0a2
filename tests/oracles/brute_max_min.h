// SPDX-License-Identifier: GPL-2.0-only
// Max-min fair rates by progressive filling as the textbook says it, in long double: all flows rise
// together until a link is full, its flows stay, the others go on. For comparison only: cubic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace oracle {

struct BruteFlow {
  std::vector<std::uint32_t> links;
  std::vector<long double> weights;  // by link of the flow
  long double cap = std::numeric_limits<long double>::infinity();
  long double rate = 0;
};

inline void fill_max_min(const std::vector<long double>& capacity, std::vector<BruteFlow>& flows) {
  std::vector<long double> left = capacity;
  std::vector<bool> frozen(flows.size(), false);
  std::size_t open = flows.size();
  while (open > 0) {
    std::vector<long double> weight(capacity.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (frozen[f]) continue;
      for (std::size_t i = 0; i < flows[f].links.size(); ++i) {
        weight[flows[f].links[i]] += flows[f].weights[i];
      }
    }
    long double level = std::numeric_limits<long double>::infinity();
    for (std::size_t l = 0; l < capacity.size(); ++l) {
      if (weight[l] > 0) level = std::min(level, std::max(0.0L, left[l]) / weight[l]);
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!frozen[f]) level = std::min(level, flows[f].cap);
    }
    const long double edge = level * (1 + 1e-15L);
    std::vector<bool> full(capacity.size(), false);
    for (std::size_t l = 0; l < capacity.size(); ++l) {
      full[l] = weight[l] > 0 && std::max(0.0L, left[l]) / weight[l] <= edge;
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (frozen[f]) continue;
      const bool ends =
          flows[f].cap <= edge || std::any_of(flows[f].links.begin(), flows[f].links.end(),
                                              [&](std::uint32_t l) { return full[l]; });
      if (!ends) continue;
      frozen[f] = true;
      --open;
      flows[f].rate = level;
      for (std::size_t i = 0; i < flows[f].links.size(); ++i) {
        left[flows[f].links[i]] -= level * flows[f].weights[i];
      }
    }
  }
}

}  // namespace oracle
