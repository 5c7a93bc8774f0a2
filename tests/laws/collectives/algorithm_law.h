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
inline std::int64_t log2_ceil(Rank n) { return std::bit_width(n - 1); }

// The steps of a phase of a flat algorithm other than all-reduce, or of its all-reduce when that is
// no pair of such phases.
inline std::int64_t phase_steps(const std::string& algorithm, Collective collective, Rank n) {
  if (algorithm == "direct" || algorithm == "one_shot" || algorithm == "in_switch") return 1;
  if (algorithm == "ring" || algorithm == "pairwise") return n - 1;
  if (algorithm == "bidirectional_ring") return n / 2;
  if (algorithm == "bruck" || algorithm == "pat") return log2_ceil(n);
  if (algorithm == "double_tree") return 2 * log2_ceil(n);
  if (algorithm == "kangaring") {
    return collective == Collective::kAllGather && n > 2 ? n / 2 - 1 : n / 2;
  }
  EXPECT_TRUE(algorithm == "recursive" || algorithm == "recursive_doubling" || algorithm == "swing")
      << "no law says how many steps " << algorithm << " takes";
  return log2_floor(n);
}

inline bool is_one_phase(const std::string& algorithm) {
  return algorithm == "one_shot" || algorithm == "recursive_doubling" ||
         algorithm == "double_tree" || algorithm == "in_switch";
}

// Steps of a flat algorithm: the longest chain of sends that wait for each other.
inline std::int64_t flat_steps(const std::string& algorithm, Collective collective, Rank n) {
  if (collective != Collective::kAllReduce) return phase_steps(algorithm, collective, n);
  const bool folds = algorithm.starts_with("recursive") && !std::has_single_bit(n);
  if (is_one_phase(algorithm)) return phase_steps(algorithm, collective, n) + (folds ? 2 : 0);
  return phase_steps(algorithm, Collective::kReduceScatter, n) +
         phase_steps(algorithm, Collective::kAllGather, n) + (folds ? 2 : 0);
}

// Where the steps of theory are an upper limit: a tree over n members that are no power of two is
// at most that deep, and has no chain of sends longer than the ones in a member's number.
inline bool may_take_fewer_steps(const std::string& algorithm, Rank n) {
  return (algorithm == "bruck" || algorithm == "pat" || algorithm == "double_tree") &&
         !std::has_single_bit(n);
}

// Thakur, Rabenseifner & Gropp 2005: with n = q + e, of the first 2e ranks the even ones send all
// they have once, the odd ones send the result on top of their halving and doubling.
inline Share folded_all_reduce(Rank n, Rank rank) {
  const std::int64_t q = std::bit_floor(n);
  const bool paired = rank < 2 * (n - q);
  if (paired && rank % 2 == 0) return {1, 1};
  return {2 * (q - 1) + (paired ? q : 0), q};
}

// Recursive doubling: all bytes in each step, and folding as above.
inline Share doubled_all_reduce(Rank n, Rank rank) {
  const bool paired = rank < 2 * (n - std::bit_floor(n));
  if (paired && rank % 2 == 0) return {1, 1};
  return {log2_floor(n) + (paired ? 1 : 0), 1};
}

// A part that has i places to go moves once for every one in i.
inline std::int64_t ones_below(Rank n) {
  std::int64_t ones = 0;
  for (Rank i = 0; i < n; ++i) ones += std::popcount(i);
  return ones;
}

inline Share flat_share(const std::string& algorithm, Collective collective, Rank n, Rank rank) {
  const std::int64_t others = std::int64_t{n} - 1;
  if (collective == Collective::kAllReduce) {
    if (algorithm == "one_shot") return {others, 1};
    if (algorithm == "in_switch") return {1, 1};
    if (algorithm == "recursive_doubling") return doubled_all_reduce(n, rank);
    return algorithm == "recursive" ? folded_all_reduce(n, rank) : Share{2 * others, n};
  }
  if (collective != Collective::kAllToAll || algorithm == "direct" || algorithm == "pairwise") {
    return {others, n};
  }
  if (algorithm == "ring") return {n * others / 2, n};
  if (algorithm == "bruck") return {ones_below(n), n};
  EXPECT_EQ(algorithm, "recursive") << "no law says how many bytes it sends";
  return {n / 2 * log2_floor(n), n};
}

}  // namespace laws
