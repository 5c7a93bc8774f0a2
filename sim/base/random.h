// SPDX-License-Identifier: GPL-2.0-only
// Seeded random numbers, one stream per named purpose, the same on every machine (xoshiro256**,
// seeded by splitmix64 over the seed and the purpose; Blackman & Vigna 2018). Not std::
// distributions: those may differ between standard libraries.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sim {

class Random {
 public:
  Random(std::uint64_t seed, std::string_view purpose);

  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);      // uniform in [0, bound), bound > 0, no bias
  bool one_in(std::uint64_t parts_per_billion);  // true with probability ppb / 1e9

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace sim
