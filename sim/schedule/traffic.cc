// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/traffic.h"

#include <algorithm>

#include "sim/base/check.h"

namespace sim {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

bool bundles_fit(const Traffic& traffic) {
  if (traffic.server == 0) return traffic.bundles.empty();
  if (traffic.ranks % traffic.server != 0) return false;
  if (traffic.bundles.size() != std::size_t{traffic.ranks} * traffic.servers()) return false;
  for (Rank from = 0; from < traffic.ranks; ++from) {
    for (Rank server = 0; server < traffic.servers(); ++server) {
      std::int64_t largest = 0;
      std::int64_t sum = 0;
      for (Rank place = 0; place < traffic.server; ++place) {
        const std::int64_t pair = traffic.of(from, server * traffic.server + place);
        largest = std::max(largest, pair);
        sum += pair;
      }
      const std::int64_t bundle = traffic.bundle(from, server);
      if (bundle < largest || bundle > sum) return false;
    }
  }
  return true;
}

}  // namespace

Bytes Traffic::sent_by(Rank rank) const {
  std::int64_t sum = 0;
  for (Rank to = 0; to < ranks; ++to) sum += to == rank ? 0 : of(rank, to);
  return Bytes(sum);
}

Bytes Traffic::mean_buffer() const {
  __int128 sum = 0;
  for (const std::int64_t pair : pairs) sum += pair;
  return Bytes(static_cast<std::int64_t>(sum / std::max<Rank>(1, ranks)));
}

Traffic even_traffic(Rank ranks, Bytes bytes) {
  CHECK(ranks > 0 && ranks <= kMostRoutedRanks);
  Traffic traffic;
  traffic.ranks = ranks;
  const BlockSizes parts(bytes, ranks, 1);
  for (Rank from = 0; from < ranks; ++from) {
    for (Rank to = 0; to < ranks; ++to) {
      traffic.pairs.push_back(parts.bytes_of({to, 1, 1, 1}).value);
    }
  }
  return traffic;
}

bool is_sound(const Traffic& traffic) {
  if (traffic.ranks == 0 || traffic.ranks > kMostRoutedRanks) return false;
  if (traffic.pairs.size() != std::size_t{traffic.ranks} * traffic.ranks) return false;
  std::int64_t sum = 0;
  for (const std::int64_t pair : traffic.pairs) {
    if (pair < 0 || pair > kMostBytes - sum) return false;
    sum += pair;
  }
  return bundles_fit(traffic);
}

BlockSizes traffic_blocks(const Traffic& traffic) {
  CHECK(is_sound(traffic));
  std::vector<std::int64_t> sizes = traffic.pairs;
  sizes.insert(sizes.end(), traffic.pairs.begin(), traffic.pairs.end());
  sizes.insert(sizes.end(), traffic.bundles.begin(), traffic.bundles.end());
  return {sizes, traffic.ranks * traffic.ranks};
}

}  // namespace sim
