// SPDX-License-Identifier: GPL-2.0-only
// What the laws of collectives say an algorithm sends and how many steps it takes: closed forms,
// written apart from the algorithms, by the algorithm's name. Bytes are what one rank sends.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

#include "collectives/collectives.h"

namespace laws {

using collectives::Job;
using sim::Collective;
using sim::Rank;

// Parts of 1/denominator of the job's bytes.
struct Share {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

inline std::int64_t log2_floor(Rank n) { return std::bit_width(n) - 1; }

// Steps of a flat algorithm: the longest chain of sends that wait for each other.
inline std::int64_t flat_steps(const std::string& algorithm, Collective collective, Rank n) {
  const std::int64_t phases = collective == Collective::kAllReduce ? 2 : 1;
  if (algorithm == "direct") return phases;
  if (algorithm == "ring") return phases * (n - 1);
  EXPECT_EQ(algorithm, "recursive") << "no law says how many steps it takes";
  const bool folds = !std::has_single_bit(n);
  return phases * log2_floor(n) + (folds ? 2 : 0);
}

// Thakur, Rabenseifner & Gropp 2005: with n = q + e, of the first 2e ranks the even ones send all
// they have once, the odd ones send the result on top of their halving and doubling.
inline Share folded_all_reduce(Rank n, Rank rank) {
  const std::int64_t q = std::bit_floor(n);
  const bool paired = rank < 2 * (n - q);
  if (paired && rank % 2 == 0) return {1, 1};
  return {2 * (q - 1) + (paired ? q : 0), q};
}

inline Share flat_share(const std::string& algorithm, Collective collective, Rank n, Rank rank) {
  const std::int64_t others = std::int64_t{n} - 1;
  if (collective == Collective::kAllReduce) {
    return algorithm == "recursive" ? folded_all_reduce(n, rank) : Share{2 * others, n};
  }
  if (collective != Collective::kAllToAll || algorithm == "direct") return {others, n};
  if (algorithm == "ring") return {n * others / 2, n};
  EXPECT_EQ(algorithm, "recursive") << "no law says how many bytes it sends";
  return {n / 2 * log2_floor(n), n};
}

}  // namespace laws
