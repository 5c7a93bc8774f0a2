// SPDX-License-Identifier: GPL-2.0-only
// Expert routing: which experts each token goes to, and so the traffic of the all-to-all-v that
// dispatches them. Experts lie on the ranks in order, equally many on each; every rank holds
// `tokens`, and each goes to `top_k` different experts. Combining them again is the same traffic
// turned round. Random models draw from one stream of the seed, rank by rank and token by token.
//  balanced      every expert as many rows as any other, as far as numbers divide
//  uniform       any `top_k` experts alike
//  power law     drawn one after another by weight 1 / place^exponent without repeats, places given
//                to experts at random (`power_law_1.2` of GenZ and aiconfigurator)
//  hot expert    one expert gets `hot_factor` times the mean, the others alike
//  node limited  DeepSeek-V3 (arXiv 2412.19437): of `groups` of experts the `top_groups` by the sum
//                of the two best affinities, then the `top_k` best inside; affinities even in
//                [0, 1). By score a chosen group has high affinities, so that tokens reach more
//                groups than when the groups are drawn at random
//  matrix        given, in bytes
// A capacity cuts the rows of a rank for an expert to ceil(tokens top_k / experts x factor)
// (Megatron): what is beyond is dropped, or all are padded to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/schedule/traffic.h"

namespace collectives {

struct Routing {
  enum class Model { kBalanced, kUniform, kPowerLaw, kHotExpert, kNodeLimited, kMatrix };
  // How often a row goes to ranks that several of its experts are on.
  enum class Dedup {
    kNone,    // once for each expert
    kRank,    // once for each rank
    kServer,  // once for each server, then once for each rank in it
  };

  Model model = Model::kBalanced;
  std::int64_t tokens = 0;  // of a rank
  std::int64_t experts = 0;
  std::int64_t top_k = 1;
  sim::Bytes token_bytes;
  std::int64_t exponent_ppb = 0;
  std::int64_t hot_factor_ppb = 0;
  std::int64_t groups = 1;
  std::int64_t top_groups = 1;
  bool groups_by_score = true;    // else drawn at random
  std::int64_t capacity_ppb = 0;  // 0: none
  bool pad = false;
  Dedup dedup = Dedup::kNone;
  std::vector<std::int64_t> matrix = {};  // row by row

  [[nodiscard]] bool is_random() const;
  // Rows that an expert may get of a rank; nothing: any number.
  [[nodiscard]] std::optional<std::int64_t> capacity() const;
};

// Why it cannot be, over `ranks` of which `server` share a server (1 where none do), and the key to
// blame; empty when it can.
struct RoutingFault {
  std::string key;
  std::string what;
  std::string expected;
};
[[nodiscard]] std::optional<RoutingFault> fault_in(const Routing& routing, sim::Rank ranks,
                                                   sim::Rank server);

// The traffic of one that has no fault.
[[nodiscard]] sim::Traffic routed(const Routing& routing, sim::Rank ranks, sim::Rank server,
                                  std::uint64_t seed);

// Draws the experts of one token after another.
class ExpertDraw {
 public:
  ExpertDraw(const Routing& routing, std::uint64_t seed);

  // All different, `top_k` of them; valid until the next call.
  [[nodiscard]] const std::vector<std::uint32_t>& next();

 private:
  void in_turn();
  void any_of(std::vector<std::uint32_t>& pool, std::size_t count);  // appends to chosen_
  void by_weight();
  void around_the_hot_one();
  void in_groups();
  void groups_by_score();
  void best_of_groups();

  const Routing& routing_;
  sim::Random random_;
  std::uint64_t tokens_ = 0;           // drawn so far
  std::vector<std::uint32_t> chosen_;  // of the token at hand
  std::vector<std::uint32_t> pool_;    // experts in any order; without the hot one
  std::uint32_t hot_ = 0;
  std::vector<std::uint64_t> weight_;    // by place in pool_
  std::vector<std::uint64_t> below_;     // by place: sum of the weights before it, and of all
  std::vector<bool> taken_;              // by place
  std::vector<std::uint64_t> affinity_;  // by expert
  std::vector<std::uint32_t> groups_;    // in any order; the first `top_groups` are chosen
};

}  // namespace collectives
