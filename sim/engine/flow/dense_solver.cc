// SPDX-License-Identifier: GPL-2.0-only
// Links, flows, lists and rows. The repair is in dense_repair.cc.
#include "sim/engine/flow/dense_solver.h"

#include <algorithm>
#include <numeric>

#include "sim/base/check.h"

namespace sim::flow {
DenseSolver::DenseSolver(std::span<const LinkRate> links, unsigned q, Time now)
    : q_(q),
      links_(static_cast<std::uint32_t>(links.size())),
      words_((links.size() + 63) / 64),
      now_(now.value),
      own_(links.size()),
      level_(words_ * 64, kInfiniteLevel),
      load_(words_ * 64, 0),
      times_(words_ * 64, kNeverEnds),
      order_(links.size()),
      place_(links.size()),
      dirty_(words_, 0),
      lowest_(links_),
      planes_(1, Words(words_ * links.size(), 0)),
      heads_(links.size() * links.size(), kNone) {
  CHECK(links.size() <= kMostLinks);
  for (std::uint32_t link = 0; link < links_; ++link) {
    own_[link].capacity = rate_units(links[link], q_);
    own_[link].pinned = links[link].pinned;
    own_[link].at = now_;
    if (links[link].pinned) level_[link] = own_[link].capacity;
  }
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return level_[a] < level_[b]; });
  for (std::uint32_t place = 0; place < links_; ++place) place_[order_[place]] = place;
}

void DenseSolver::advance(Time now) {
  CHECK(now.value >= now_);
  now_ = now.value;
}

void DenseSolver::advance_clock(std::uint32_t link) {
  Own& own = own_[link];
  if (!own.heap.empty()) {
    own.clock += static_cast<Clock>(level_[link]) * static_cast<Clock>(now_ - own.at);
  }
  own.at = now_;
  mark(link);
}

void DenseSolver::mark(std::uint32_t link) {
  if (own_[link].marked) return;
  own_[link].marked = true;
  marked_.push_back(link);
}

void DenseSolver::note_dirty(std::uint32_t link) {
  dirty_[link / 64] |= std::uint64_t{1} << link % 64;
  lowest_ = std::min(lowest_, place_[link]);
}

std::int64_t DenseSolver::finish(std::uint32_t link) const {
  const Own& own = own_[link];
  if (own.heap.empty()) return kNeverEnds;
  const Clock key = own.heap.front().key();
  return finish_time(own.at, key <= own.clock ? 0 : key - own.clock, level_[link]);
}

Clock DenseSolver::left_of(const Flow& flow) const {
  const Own& own = own_[flow.owner];
  const Clock key = own.heap[flow.place].key();
  const Clock read =
      own.clock + static_cast<Clock>(level_[flow.owner]) * static_cast<Clock>(now_ - own.at);
  return key > read ? key - read : 0;
}

void DenseSolver::take_due(std::vector<std::uint32_t>& tags) {
  due_.clear();
  for (std::uint32_t link = 0; link < links_; ++link) {
    if (times_[link] > now_) continue;
    while (finish(link) <= now_) {
      due_.push_back(own_[link].heap.front().flow);
      remove_ending(flows_, own_[link].heap, 0);
    }
    mark(link);
  }
  const std::size_t first = tags.size();
  for (const std::uint32_t flow : due_) tags.push_back(flows_[flow].tag);
  const auto begin = tags.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(begin, tags.end())) std::sort(begin, tags.end());
  if (due_.size() == active_) return end_all();
  for (const std::uint32_t flow : due_) {
    disown(flow);
    free_flow(flow);
  }
  active_ -= due_.size();
}

// When all end together nothing has to be undone one by one.
void DenseSolver::end_all() {
  for (const std::uint32_t flow : due_) {
    const Flow& f = flows_[flow];
    for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
      heads_[std::size_t{f.owner} * links_ + hops_[h].link] = kNone;
      load_[hops_[h].link] = 0;
      note_dirty(hops_[h].link);
    }
    own_[f.owner].weight = 0;
  }
  for (Words& plane : planes_) std::fill(plane.begin(), plane.end(), 0);
  flows_.clear();
  hops_.clear();
  free_flows_.clear();
  for (std::vector<std::uint32_t>& free : free_hops_) free.clear();
  active_ = 0;
}

// A flow joins the first of its links: owners come before users. One that limited nobody starts at
// level 0, so that no sum grows before the sweep.
void DenseSolver::attach(std::uint32_t tag, std::span<const Share> route, Clock amount,
                         std::uint32_t weight) {
  const std::uint32_t flow = new_flow(tag, route, weight);
  std::uint32_t link = route[0].link;
  for (const Share& share : route) {
    if (place_[share.link] < place_[link]) link = share.link;
  }
  advance_clock(link);
  own(flow, link, amount);
  ++active_;
  for (const Share& share : route) {
    const std::int64_t capacity = own_[share.link].capacity;
    if (!own_[share.link].pinned && load_[share.link] / 2 > capacity) return settle();
  }
}

std::uint32_t DenseSolver::new_flow(std::uint32_t tag, std::span<const Share> route,
                                    std::uint32_t weight) {
  const auto hops = static_cast<std::uint32_t>(route.size());
  if (free_hops_.size() <= hops) free_hops_.resize(hops + 1);
  auto first = static_cast<std::uint32_t>(hops_.size());
  if (free_hops_[hops].empty()) {
    hops_.grow(hops);
  } else {
    first = free_hops_[hops].back();
    free_hops_[hops].pop_back();
  }
  auto flow = static_cast<std::uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.grow(1);
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  flows_[flow] = {kNone, kNone, first, hops, tag};
  for (std::uint32_t i = 0; i < hops; ++i) {
    hops_[first + i] = {route[i].link, route[i].weight * weight, kNone, kNone, flow};
  }
  return flow;
}

void DenseSolver::free_flow(std::uint32_t flow) {
  free_hops_[flows_[flow].hops].push_back(flows_[flow].first);
  flows_[flow].hops = 0;
  free_flows_.push_back(flow);
}

// Makes `link` the flow's owner, its clock advanced; the flow's load on others is at its level.
void DenseSolver::own(std::uint32_t flow, std::uint32_t link, Clock left) {
  Own& own = own_[link];
  if (own.heap.empty() && !own.pinned) level_[link] = 0;
  Flow& f = flows_[flow];
  f.owner = link;
  for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
    const Hop& hop = hops_[h];
    if (hop.link == link) {
      own.weight += hop.weight;
      continue;
    }
    load_[hop.link] += level_[link] * hop.weight;
    list_hop(link, h);
    note_dirty(hop.link);
  }
  push_ending(flows_, own.heap, own.clock + left, flow);
  note_dirty(link);
}

// Of a flow that has left its owner's heap.
void DenseSolver::disown(std::uint32_t flow) {
  const Flow f = flows_[flow];
  const std::int64_t level = level_[f.owner];
  for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
    const Hop& hop = hops_[h];
    if (hop.link == f.owner) {
      own_[f.owner].weight -= hop.weight;
      continue;
    }
    load_[hop.link] -= level * hop.weight;
    unlist_hop(f.owner, h);
    note_dirty(hop.link);
  }
  note_dirty(f.owner);
}

void DenseSolver::list_hop(std::uint32_t owner, std::uint32_t hop) {
  Hop& h = hops_[hop];
  std::uint32_t& head = heads_[std::size_t{owner} * links_ + h.link];
  h.previous = kNone;
  h.next = head;
  if (head != kNone) hops_[head].previous = hop;
  head = hop;
  add_weight(owner, h.link, h.weight);
}

void DenseSolver::unlist_hop(std::uint32_t owner, std::uint32_t hop) {
  const Hop h = hops_[hop];
  if (h.next != kNone) hops_[h.next].previous = h.previous;
  if (h.previous != kNone) {
    hops_[h.previous].next = h.next;
  } else {
    heads_[std::size_t{owner} * links_ + h.link] = h.next;
  }
  subtract_weight(owner, h.link, h.weight);
}

// A binary counter per pair, its bits in the planes.
void DenseSolver::add_weight(std::uint32_t owner, std::uint32_t link, std::uint32_t weight) {
  const std::size_t word = row(owner) + link / 64;
  const std::uint64_t bit = std::uint64_t{1} << link % 64;
  std::uint32_t carry = 0;
  for (std::size_t p = 0; weight != 0 || carry != 0; ++p, weight >>= 1U) {
    if (p == planes_.size()) planes_.emplace_back(words_ * links_, 0);
    const std::uint32_t held = (planes_[p][word] & bit) != 0 ? 1 : 0;
    const std::uint32_t sum = held + (weight & 1U) + carry;
    if ((sum & 1U) != held) planes_[p][word] ^= bit;
    carry = sum >> 1U;
  }
}

void DenseSolver::subtract_weight(std::uint32_t owner, std::uint32_t link, std::uint32_t weight) {
  const std::size_t word = row(owner) + link / 64;
  const std::uint64_t bit = std::uint64_t{1} << link % 64;
  std::uint32_t borrow = 0;
  for (std::size_t p = 0; weight != 0 || borrow != 0; ++p, weight >>= 1U) {
    const std::uint32_t held = (planes_[p][word] & bit) != 0 ? 1 : 0;
    const std::uint32_t taken = (weight & 1U) + borrow;
    if ((taken & 1U) != 0) planes_[p][word] ^= bit;
    borrow = taken > held ? 1 : 0;
  }
}

void DenseSolver::set_rate(std::uint32_t link, const LinkRate& rate) {
  CHECK(!rate.pinned && !own_[link].pinned);
  own_[link].capacity = rate_units(rate, q_);
  note_dirty(link);
}

double DenseSolver::level_of(std::uint32_t link) const {
  return own_[link].heap.empty() ? -1 : bytes_per_second(level_[link], q_);
}

double DenseSolver::rate_of(std::uint32_t tag) const {
  for (const Flow& f : flows_) {
    if (f.hops > 0 && f.tag == tag) return level_of(f.owner);
  }
  CHECK(false && "no such flow");
}

}  // namespace sim::flow
