// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace collectives {
namespace {

using sim::Rank;
using sim::Traffic;
using Dedup = Routing::Dedup;
using Model = Routing::Model;

constexpr std::int64_t kMostDraws = std::int64_t{1} << 28;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;  // of all pairs

// Counts the rows of one rank after another.
class Count {
 public:
  Count(const Routing& routing, Rank ranks, Rank server)
      : routing_(routing),
        servers_(server == 0 ? 0 : ranks / server),
        experts_per_rank_(static_cast<std::uint32_t>(routing.experts / ranks)),
        capacity_(routing.capacity()),
        of_expert_(static_cast<std::size_t>(routing.experts)),
        rank_seen_(ranks, kNever),
        server_seen_(servers_, kNever) {
    traffic_.ranks = ranks;
    traffic_.server = server;
    traffic_.pairs.resize(std::size_t{ranks} * ranks);
    traffic_.bundles.resize(std::size_t{ranks} * servers_);
  }

  void begin_rank(Rank from) {
    from_ = from;
    std::ranges::fill(of_expert_, 0);
  }

  void add(const std::vector<std::uint32_t>& experts) {
    ++token_;
    for (const std::uint32_t expert : experts) {
      if (capacity_ && of_expert_[expert] >= *capacity_) continue;  // dropped
      ++of_expert_[expert];
      add_row(expert / experts_per_rank_);
    }
  }

  Traffic take() && {
    for (auto* sizes : {&traffic_.pairs, &traffic_.bundles}) {
      for (std::int64_t& rows : *sizes) rows *= routing_.token_bytes.value;
    }
    return std::move(traffic_);
  }

 private:
  static constexpr std::uint64_t kNever = 0;

  void add_row(Rank to) {
    const bool again = std::exchange(rank_seen_[to], token_) == token_;
    if (!again || routing_.dedup == Dedup::kNone) {
      ++traffic_.pairs[std::size_t{from_} * traffic_.ranks + to];
    }
    if (servers_ == 0) return;
    const Rank server = to / traffic_.server;
    if (std::exchange(server_seen_[server], token_) == token_) return;
    ++traffic_.bundles[std::size_t{from_} * servers_ + server];
  }

  const Routing& routing_;
  Rank servers_;
  std::uint32_t experts_per_rank_;
  std::optional<std::int64_t> capacity_;
  Traffic traffic_;
  Rank from_ = 0;
  std::uint64_t token_ = kNever;
  std::vector<std::int64_t> of_expert_;   // rows of this rank so far
  std::vector<std::uint64_t> rank_seen_;  // the last token that went there
  std::vector<std::uint64_t> server_seen_;
};

Traffic padded_traffic(const Routing& routing, Rank ranks) {
  Traffic traffic;
  traffic.ranks = ranks;
  const std::int64_t rows = *routing.capacity() * (routing.experts / ranks);
  traffic.pairs.assign(std::size_t{ranks} * ranks, rows * routing.token_bytes.value);
  return traffic;
}

using Fault = std::optional<RoutingFault>;

Fault fault_in_matrix(const Routing& routing, Rank ranks) {
  const std::size_t wanted = std::size_t{ranks} * ranks;
  if (routing.matrix.size() != wanted) {
    return RoutingFault{
        "matrix", fmt::format("a matrix of {} sizes for {} ranks", routing.matrix.size(), ranks),
        fmt::format("{} x {} = {} of them, row by row", ranks, ranks, wanted)};
  }
  __int128 sum = 0;
  for (const std::int64_t bytes : routing.matrix) sum += bytes;
  if (sum <= kMostBytes) return std::nullopt;
  return RoutingFault{"matrix", "the matrix adds up to more than 1 PiB", "at most 1 PiB in all"};
}

Fault fault_in_groups(const Routing& routing) {
  if (routing.model != Model::kNodeLimited) return std::nullopt;
  if (routing.experts % routing.groups != 0 || routing.experts / routing.groups < 2) {
    return RoutingFault{"groups",
                        fmt::format("{} experts in {} groups", routing.experts, routing.groups),
                        "groups that divide the experts, of at least 2 experts each"};
  }
  if (routing.top_groups > routing.groups) {
    return RoutingFault{"top_groups",
                        fmt::format("{} of {} groups", routing.top_groups, routing.groups),
                        fmt::format("at most {}", routing.groups)};
  }
  const std::int64_t open = routing.experts / routing.groups * routing.top_groups;
  if (routing.top_k <= open) return std::nullopt;
  return RoutingFault{
      "top_k",
      fmt::format("{} experts of a token in groups with {} experts in all", routing.top_k, open),
      fmt::format("at most {}", open)};
}

Fault fault_in_factors(const Routing& routing) {
  const __int128 hot = static_cast<__int128>(routing.hot_factor_ppb) * routing.top_k;
  const __int128 most = static_cast<__int128>(routing.experts) * sim::kRatioOne;
  if (routing.model == Model::kHotExpert && (hot > most || routing.experts <= routing.top_k)) {
    return RoutingFault{
        "hot_factor",
        fmt::format("a hot expert cannot get {} times the mean of {} experts when a token goes to "
                    "{}",
                    sim::to_text(routing.hot_factor_ppb, sim::Dimension::kRatio), routing.experts,
                    routing.top_k),
        "at most experts / top_k, and more experts than top_k"};
  }
  if (routing.pad && routing.dedup != Dedup::kNone) {
    return RoutingFault{"dedup", "padded rows belong to one expert each", "dedup: none, or drop"};
  }
  return std::nullopt;
}

Fault fault_in_size(const Routing& routing, Rank ranks) {
  const bool scores = routing.model == Model::kNodeLimited && routing.groups_by_score;
  const __int128 draws =
      static_cast<__int128>(ranks) * routing.tokens * (scores ? routing.experts : routing.top_k);
  if (draws > kMostDraws) {
    return RoutingFault{"tokens",
                        fmt::format("{} tokens of {} ranks are too many to route one by one",
                                    routing.tokens, ranks),
                        fmt::format("at most {} draws", kMostDraws)};
  }
  const std::int64_t rows =
      routing.pad ? *routing.capacity() * routing.experts : routing.tokens * routing.top_k;
  if (static_cast<__int128>(ranks) * rows * routing.token_bytes.value <= kMostBytes) {
    return std::nullopt;
  }
  return RoutingFault{"token_bytes", "the rows of all ranks are more than 1 PiB",
                      "at most 1 PiB in all"};
}

}  // namespace

bool Routing::is_random() const {
  return model != Model::kMatrix && model != Model::kBalanced && !pad;
}

std::optional<std::int64_t> Routing::capacity() const {
  if (capacity_ppb == 0) return std::nullopt;
  const __int128 scaled = static_cast<__int128>(tokens) * top_k * capacity_ppb;
  const __int128 whole = static_cast<__int128>(experts) * sim::kRatioOne;
  return static_cast<std::int64_t>((scaled + whole - 1) / whole);
}

std::optional<RoutingFault> fault_in(const Routing& routing, Rank ranks, Rank server) {
  if (routing.dedup == Dedup::kServer && (server < 2 || ranks % server != 0)) {
    return RoutingFault{"dedup", fmt::format("no equal servers among {} ranks share rows", ranks),
                        "algorithm: hierarchical over equal inner groups, or dedup: rank"};
  }
  if (routing.model == Model::kMatrix) {
    if (routing.dedup == Dedup::kNone) return fault_in_matrix(routing, ranks);
    return RoutingFault{"dedup", "a matrix does not say which rows are the same", "dedup: none"};
  }
  if (routing.experts < ranks || routing.experts % ranks != 0) {
    return RoutingFault{"experts", fmt::format("{} experts over {} ranks", routing.experts, ranks),
                        "a multiple of the ranks"};
  }
  if (routing.top_k > routing.experts) {
    return RoutingFault{"top_k", fmt::format("{} of {} experts", routing.top_k, routing.experts),
                        fmt::format("at most {}", routing.experts)};
  }
  if (auto fault = fault_in_groups(routing)) return fault;
  if (auto fault = fault_in_factors(routing)) return fault;
  return fault_in_size(routing, ranks);
}

Traffic routed(const Routing& routing, Rank ranks, Rank server, std::uint64_t seed) {
  CHECK(!fault_in(routing, ranks, server));
  if (routing.model == Model::kMatrix) return {ranks, routing.matrix};
  if (routing.pad) return padded_traffic(routing, ranks);
  Count count(routing, ranks, routing.dedup == Dedup::kServer ? server : 0);
  ExpertDraw draw(routing, seed);
  for (Rank from = 0; from < ranks; ++from) {
    count.begin_rank(from);
    for (std::int64_t token = 0; token < routing.tokens; ++token) count.add(draw.next());
  }
  return std::move(count).take();
}

}  // namespace collectives
