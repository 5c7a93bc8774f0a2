// SPDX-License-Identifier: GPL-2.0-only
// The sweep in level order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/base/check.h"
#include "sim/engine/flow/dense_solver.h"

namespace sim::flow {
namespace {

// Eight counts that are added to at once.
using Eight = std::int64_t __attribute__((vector_size(64)));

// By byte: all ones where a bit is set.
constexpr std::array<std::array<std::int64_t, 8>, 256> kMasks = [] {
  std::array<std::array<std::int64_t, 8>, 256> masks{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t bit = 0; bit < 8; ++bit) masks[byte][bit] = (byte >> bit & 1U) != 0 ? -1 : 0;
  }
  return masks;
}();

// values[i] += amount where bit i of `bits` is set. With the widest vectors that the machine has:
// integers, so the results are the same on all.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
void add_where(std::int64_t* values, const std::uint64_t* bits, std::size_t words,
               std::int64_t amount) {
  for (std::size_t w = 0; w < words; ++w, values += 64) {
    std::uint64_t word = bits[w];
    if (word == 0) continue;
    for (std::size_t byte = 0; byte < 8; ++byte, word >>= 8U) {
      Eight sum;
      Eight mask;
      std::memcpy(&sum, values + byte * 8, sizeof sum);
      std::memcpy(&mask, kMasks[word & 0xffU].data(), sizeof mask);
      sum += mask & amount;
      std::memcpy(values + byte * 8, &sum, sizeof sum);
    }
  }
}

#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
std::int64_t
least_of(const std::int64_t* values, std::size_t count) {
  std::int64_t least = values[0];
  for (std::size_t i = 0; i < count; ++i) least = values[i] < least ? values[i] : least;
  return least;
}

}  // namespace

// The level that the link should have as it stands.
std::int64_t DenseSolver::target(std::uint32_t link) const {
  const Own& own = own_[link];
  if (own.pinned) return own.capacity;
  const std::int64_t room = own.capacity - load_[link];
  if (room < 0) return -1;
  return own.weight == 0 ? kInfiniteLevel : room / own.weight;
}

bool DenseSolver::crosses(std::uint32_t owner, std::uint32_t link) const {
  return heads_[std::size_t{owner} * links_ + link] != kNone;
}

void DenseSolver::repair() {
  ++counts_.repairs;
  settle();
  refresh_times();
}

void DenseSolver::settle() {
  const std::uint64_t most = counts_.evaluations + std::uint64_t{links_} * links_ + 1'024;
  for (std::uint32_t place = lowest_; place < links_;) {
    const std::uint32_t link = order_[place];
    const std::uint64_t bit = std::uint64_t{1} << link % 64;
    std::int64_t level = level_[link];
    if ((dirty_[link / 64] & bit) != 0) {
      dirty_[link / 64] &= ~bit;
      level = target(link);
      CHECK(++counts_.evaluations < most);
    } else if (place == 0 || level_[order_[place - 1]] <= level) {
      ++place;
      continue;
    }
    place = insert(place, link, level);
  }
  lowest_ = links_;
}

// Puts the link of `place` where its level belongs among those before it. Returns the place to go
// on from: right behind it when it took flows, as their links stand behind it.
std::uint32_t DenseSolver::insert(std::uint32_t place, std::uint32_t link, std::int64_t level) {
  std::uint32_t at = place;
  bool took = false;
  while (at > 0) {
    const std::uint32_t left = order_[at - 1];
    if (level_[left] <= level) break;
    if (crosses(left, link)) {
      take_all(left, link);
      level = target(link);
      took = true;
    }
    order_[at] = left;
    place_[left] = at;
    --at;
  }
  order_[at] = link;
  place_[link] = at;
  if (level != level_[link]) set_level(link, level);
  dirty_[link / 64] &= ~(std::uint64_t{1} << link % 64);
  return took ? at + 1 : place + 1;
}

// The flows of `from` that cross `link` are its own from now on.
void DenseSolver::take_all(std::uint32_t from, std::uint32_t link) {
  advance_clock(from);
  advance_clock(link);
  std::uint32_t& head = heads_[std::size_t{from} * links_ + link];
  while (head != kNone) {
    const std::uint32_t flow = hops_[head].flow;
    const Clock key = own_[from].heap[flows_[flow].place].key();
    const Clock read = own_[from].clock;
    remove_ending(flows_, own_[from].heap, flows_[flow].place);
    disown(flow);
    own(flow, link, key > read ? key - read : 0);
    ++counts_.moved;
  }
}

void DenseSolver::set_level(std::uint32_t link, std::int64_t level) {
  advance_clock(link);
  const std::int64_t rise = level - level_[link];
  level_[link] = level;
  ++counts_.level_changes;
  if (own_[link].heap.empty()) return;
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    const std::uint64_t* bits = planes_[p].data() + row(link);
    add_where(load_.data(), bits, words_, rise * (std::int64_t{1} << p));
    for (std::size_t w = 0; w < words_; ++w) dirty_[w] |= bits[w];
  }
}

void DenseSolver::refresh_times() {
  for (const std::uint32_t link : marked_) {
    own_[link].marked = false;
    times_[link] = finish(link);
  }
  marked_.clear();
  least_ = least_of(times_.data(), times_.size());
}

std::string DenseSolver::fault_of(std::uint32_t link, std::int64_t load) const {
  const Own& own = own_[link];
  if (load_[link] != load) return "its load is not the sum of its flows";
  if (own.heap.empty() && own.weight != 0) return "own flows are not counted right";
  if (!own.heap.empty() && level_[link] != target(link)) return "its level is not its share";
  if (own.heap.empty() && !own.pinned && own.capacity < load) return "it is overloaded by others";
  return times_[link] == finish(link) ? "" : "its next time is not that of its first flow";
}

std::string DenseSolver::fault() const {
  std::vector<std::int64_t> load(links_, 0);
  for (const Flow& f : flows_) {
    for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
      const std::int64_t level = level_[f.owner];
      const std::uint32_t link = hops_[h].link;
      if (link == f.owner) continue;
      load[link] += level * hops_[h].weight;
      if ((!own_[link].heap.empty() || own_[link].pinned) && level_[link] < level) {
        return fmt::format("flow {} of link {} crosses link {}, which gives less", f.tag, f.owner,
                           link);
      }
    }
  }
  for (std::uint32_t link = 0; link < links_; ++link) {
    const std::string what = fault_of(link, load[link]);
    if (!what.empty()) return fmt::format("link {}: {}", link, what);
  }
  return {};
}

}  // namespace sim::flow
