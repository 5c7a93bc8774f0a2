// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "collectives/routing.h"
#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace collectives {
namespace {

using Model = Routing::Model;

template <class T>
void put_in_any_order(std::vector<T>& list, sim::Random& random) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

// 2^32 / place^exponent, at least 1.
std::uint64_t weight_of(std::size_t place, std::int64_t exponent_ppb) {
  constexpr double kScale = 4'294'967'296.0;
  const double exponent = static_cast<double>(exponent_ppb) / static_cast<double>(sim::kRatioOne);
  const double weight = kScale * std::pow(static_cast<double>(place), -exponent);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(weight)));
}

}  // namespace

ExpertDraw::ExpertDraw(const Routing& routing, std::uint64_t seed)
    : routing_(routing), random_(seed, "routing") {
  CHECK(routing.model != Model::kMatrix && routing.top_k <= routing.experts);
  pool_.resize(static_cast<std::size_t>(routing.experts));
  std::iota(pool_.begin(), pool_.end(), 0U);
  affinity_.resize(pool_.size());
  groups_.resize(static_cast<std::size_t>(routing.groups));
  std::iota(groups_.begin(), groups_.end(), 0U);
  if (routing.model == Model::kPowerLaw) {
    put_in_any_order(pool_, random_);
    taken_.resize(pool_.size());
    below_.push_back(0);
    for (std::size_t place = 1; place <= pool_.size(); ++place) {
      weight_.push_back(weight_of(place, routing.exponent_ppb));
      below_.push_back(below_.back() + weight_.back());
    }
  }
  if (routing.model == Model::kHotExpert) {
    hot_ = static_cast<std::uint32_t>(random_.below(pool_.size()));
    pool_.erase(pool_.begin() + hot_);
  }
}

const std::vector<std::uint32_t>& ExpertDraw::next() {
  chosen_.clear();
  switch (routing_.model) {
    case Model::kBalanced:
      in_turn();
      break;
    case Model::kUniform:
      any_of(pool_, static_cast<std::size_t>(routing_.top_k));
      break;
    case Model::kPowerLaw:
      by_weight();
      break;
    case Model::kHotExpert:
      around_the_hot_one();
      break;
    case Model::kNodeLimited:
      in_groups();
      break;
    case Model::kMatrix:
      break;
  }
  ++tokens_;
  return chosen_;
}

// Token after token the next expert, and the others of a token as far apart as they can be.
void ExpertDraw::in_turn() {
  const auto experts = static_cast<std::uint64_t>(routing_.experts);
  const std::uint64_t apart = experts / static_cast<std::uint64_t>(routing_.top_k);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(routing_.top_k); ++i) {
    chosen_.push_back(static_cast<std::uint32_t>((tokens_ + i * apart) % experts));
  }
}

// The first places of an order by chance: every set of `count` is as likely, whatever the order
// before.
void ExpertDraw::any_of(std::vector<std::uint32_t>& pool, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(pool[i], pool[i + random_.below(pool.size() - i)]);
    chosen_.push_back(pool[i]);
  }
}

// One draw by weight after another. Where it falls on one that is taken, the next draw is among
// those that are not: as likely as drawing until one is new.
void ExpertDraw::by_weight() {
  std::vector<std::size_t> places;
  while (places.size() < static_cast<std::size_t>(routing_.top_k)) {
    const std::uint64_t at = random_.below(below_.back());
    auto place =
        static_cast<std::size_t>(std::ranges::upper_bound(below_, at) - below_.begin() - 1);
    if (taken_[place]) {
      std::uint64_t left = below_.back();
      for (const std::size_t one : places) left -= weight_[one];
      std::uint64_t rest = random_.below(left);
      for (place = 0; taken_[place] || rest >= weight_[place]; ++place) {
        if (!taken_[place]) rest -= weight_[place];
      }
    }
    taken_[place] = true;
    places.push_back(place);
    chosen_.push_back(pool_[place]);
  }
  for (const std::size_t place : places) taken_[place] = false;
}

// A token takes the hot one with probability hot_factor x top_k / experts.
void ExpertDraw::around_the_hot_one() {
  const auto others = static_cast<std::size_t>(routing_.top_k);
  const auto share = static_cast<std::uint64_t>(static_cast<__int128>(routing_.hot_factor_ppb) *
                                                routing_.top_k / routing_.experts);
  if (!random_.one_in(share)) return any_of(pool_, others);
  chosen_.push_back(hot_);
  any_of(pool_, others - 1);
}

void ExpertDraw::in_groups() {
  const auto most = static_cast<std::size_t>(routing_.top_groups);
  if (routing_.groups_by_score) {
    for (std::uint64_t& one : affinity_) one = random_.next() >> 1U;  // so that two can be added
    groups_by_score();
    return best_of_groups();
  }
  for (std::size_t i = 0; i < most; ++i) {
    std::swap(groups_[i], groups_[i + random_.below(groups_.size() - i)]);
  }
  const std::uint32_t size = static_cast<std::uint32_t>(routing_.experts / routing_.groups);
  std::vector<std::uint32_t> open;
  for (std::size_t i = 0; i < most; ++i) {
    for (std::uint32_t e = 0; e < size; ++e) open.push_back(groups_[i] * size + e);
  }
  any_of(open, static_cast<std::size_t>(routing_.top_k));
}

// Puts the groups with the largest sums of their two best first; of equals the lower number.
void ExpertDraw::groups_by_score() {
  const auto size = static_cast<std::size_t>(routing_.experts / routing_.groups);
  std::vector<std::uint64_t> score;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::uint64_t best = 0;
    std::uint64_t second = 0;
    for (const std::uint64_t one : std::span(affinity_).subspan(group * size, size)) {
      second = std::max(second, std::min(best, one));
      best = std::max(best, one);
    }
    score.push_back(best + second);
  }
  std::iota(groups_.begin(), groups_.end(), 0U);
  std::ranges::stable_sort(groups_, std::greater(), [&](std::uint32_t g) { return score[g]; });
}

void ExpertDraw::best_of_groups() {
  const auto size = static_cast<std::uint32_t>(routing_.experts / routing_.groups);
  for (std::size_t i = 0; i < static_cast<std::size_t>(routing_.top_groups); ++i) {
    for (std::uint32_t e = 0; e < size; ++e) chosen_.push_back(groups_[i] * size + e);
  }
  const auto keep = chosen_.begin() + routing_.top_k;
  std::partial_sort(chosen_.begin(), keep, chosen_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return affinity_[a] != affinity_[b] ? affinity_[a] > affinity_[b] : a < b;
  });
  chosen_.erase(keep, chosen_.end());
}

}  // namespace collectives
