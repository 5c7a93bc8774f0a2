// SPDX-License-Identifier: GPL-2.0-only
// Traffic: what each rank owes each other in an all-to-all-v, in bytes. Where rows may go to a
// server once for all its ranks (deduplicated dispatch), also the bytes of the distinct rows, the
// bundle of a server: any rank of it that holds the bundle of a source can pass on what that source
// owes to each of its ranks. Own parts are included: they are copied, not sent.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/schedule/collective.h"
#include "sim/schedule/program.h"

namespace sim {

struct Traffic {
  Rank ranks = 0;
  std::vector<std::int64_t> pairs;  // [from * ranks + to]
  // Consecutive ranks that share a bundle; 0: there are no bundles, and every pair goes by itself.
  Rank server = 0;
  std::vector<std::int64_t> bundles = {};  // [from * servers + server]

  [[nodiscard]] std::int64_t of(Rank from, Rank to) const {
    return pairs[std::size_t{from} * ranks + to];
  }
  [[nodiscard]] Rank servers() const { return server == 0 ? 0 : ranks / server; }
  [[nodiscard]] std::int64_t bundle(Rank from, Rank to_server) const {
    return bundles[std::size_t{from} * servers() + to_server];
  }
  [[nodiscard]] Bytes sent_by(Rank rank) const;  // to others, pair by pair
  [[nodiscard]] Bytes mean_buffer() const;       // send buffer of a rank, own part included, mean
};

// Every rank owes `bytes` in equal parts, to within one byte.
[[nodiscard]] Traffic even_traffic(Rank ranks, Bytes bytes);

// Sizes right: square, nothing negative, at most 2^60 bytes in all; no bundle smaller than its
// largest pair or larger than the sum of its pairs.
[[nodiscard]] bool is_sound(const Traffic& traffic);

// How the blocks of a rank lie in an all-to-all-v over n ranks. Every rank names them alike: block
// from * n + to of the first region is what `from` owes `to`, in the send buffer; the same in the
// second region, in the receive buffer or on its way; then the bundles.
struct TrafficBlocks {
  explicit TrafficBlocks(Rank n) : ranks(n) {}

  [[nodiscard]] std::uint32_t regions_end() const { return 2 * ranks * ranks; }
  [[nodiscard]] std::uint32_t owed(Rank from, Rank to) const { return from * ranks + to; }
  [[nodiscard]] std::uint32_t held(Rank from, Rank to) const {
    return ranks * ranks + from * ranks + to;
  }
  [[nodiscard]] std::uint32_t bundle(Rank from, Rank server, Rank servers) const {
    return regions_end() + from * servers + server;
  }
  // The pairs, held, that a bundle consists of.
  [[nodiscard]] Blocks held_of_server(Rank from, Rank server, Rank size) const {
    return {held(from, server * size), size, size, 1};
  }
  Rank ranks;
};

[[nodiscard]] BlockSizes traffic_blocks(const Traffic& traffic);

inline constexpr Rank kMostRoutedRanks = 4'096;  // n^2 sizes are kept

}  // namespace sim
