// SPDX-License-Identifier: GPL-2.0-only
// Chance as a function: of a seed, a place and a count, never of a shared stream, so that no order
// of events can change what strikes whom.
#pragma once

#include <cstdint>

namespace sim::packet {

// splitmix64 over the three.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t place,
                                         std::uint64_t count) {
  std::uint64_t x = seed + 0x9e37'79b9'7f4a'7c15ULL * (place + 1);
  x ^= count * 0xbf58'476d'1ce4'e5b9ULL;
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebULL;
  return x ^ (x >> 31);
}

// True with a chance of `parts_per_billion`; 1e9: always.
[[nodiscard]] inline bool strikes(std::uint64_t parts_per_billion, std::uint64_t seed,
                                  std::uint64_t place, std::uint64_t count) {
  if (parts_per_billion >= 1'000'000'000) return true;
  const auto limit = (static_cast<unsigned __int128>(parts_per_billion) << 64) / 1'000'000'000;
  return mixed(seed, place, count) < static_cast<std::uint64_t>(limit);
}

}  // namespace sim::packet
