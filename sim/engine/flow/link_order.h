// SPDX-License-Identifier: GPL-2.0-only
// Which links wait to be looked at, and in which order: by rank, a possibly stale order of levels.
// The order decides speed only, never the result.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace sim::flow {

class LinkOrder {
 public:
  explicit LinkOrder(std::size_t links)
      : rank_(links), link_(links), words_((links + 63) / 64), outer_((words_.size() + 63) / 64) {
    std::iota(rank_.begin(), rank_.end(), 0U);
    std::iota(link_.begin(), link_.end(), 0U);
  }

  void add(std::uint32_t link) {
    const std::uint32_t rank = rank_[link];
    words_[rank / 64] |= std::uint64_t{1} << rank % 64;
    outer_[rank / 4096] |= std::uint64_t{1} << rank / 64 % 64;
    first_ = std::min(first_, rank / 4096);
  }
  [[nodiscard]] bool has(std::uint32_t link) const {
    const std::uint32_t rank = rank_[link];
    return (words_[rank / 64] >> rank % 64 & 1U) != 0;
  }
  // Takes the link of lowest rank; false: none waits.
  bool take(std::uint32_t& link) {
    for (; first_ < outer_.size(); ++first_) {
      if (outer_[first_] == 0) continue;
      const auto word = first_ * 64 + static_cast<std::uint32_t>(std::countr_zero(outer_[first_]));
      const auto rank = word * 64 + static_cast<std::uint32_t>(std::countr_zero(words_[word]));
      link = link_[rank];
      erase(rank);
      return true;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t link) const { return rank_[link]; }
  void remove(std::uint32_t link) {
    if (has(link)) erase(rank_[link]);
  }

  // Exchanges the ranks of two links; what waits goes on waiting.
  void swap(std::uint32_t a, std::uint32_t b) {
    const bool a_waits = has(a);
    const bool b_waits = has(b);
    remove(a);
    remove(b);
    std::swap(link_[rank_[a]], link_[rank_[b]]);
    std::swap(rank_[a], rank_[b]);
    if (a_waits) add(a);
    if (b_waits) add(b);
  }
  // Ranks anew by less(a, b), a strict total order of links.
  template <class Less>
  void sort(Less less) {
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t link = 0; link < rank_.size(); ++link) {
      if (!has(link)) continue;
      waiting.push_back(link);
    }
    for (const std::uint32_t link : waiting) remove(link);
    std::sort(link_.begin(), link_.end(), less);
    for (std::uint32_t rank = 0; rank < link_.size(); ++rank) rank_[link_[rank]] = rank;
    for (const std::uint32_t link : waiting) add(link);
  }

 private:
  void erase(std::uint32_t rank) {
    words_[rank / 64] &= ~(std::uint64_t{1} << rank % 64);
    if (words_[rank / 64] == 0) outer_[rank / 4096] &= ~(std::uint64_t{1} << rank / 64 % 64);
  }

  std::vector<std::uint32_t> rank_;  // by link
  std::vector<std::uint32_t> link_;  // by rank
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> outer_;  // which words are not empty
  std::uint32_t first_ = 0;           // no outer word before this one holds anything
};

}  // namespace sim::flow
