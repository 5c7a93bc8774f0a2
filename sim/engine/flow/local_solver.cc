// SPDX-License-Identifier: GPL-2.0-only
// Links, flows, clocks and heaps. The repair is in max_min_repair.cc.
#include "sim/engine/flow/local_solver.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/check.h"

namespace sim::flow {
LocalSolver::LocalSolver(std::span<const LinkRate> links, unsigned q)
    : q_(q),
      links_(links.size()),
      queues_(links.size()),
      dirty_(links.size()),
      times_(links.size()) {
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    queues_[i].capacity = rate_units(links[i], q_);
    links_[i].pinned = links[i].pinned;
    links_[i].room = links[i].pinned ? -1 : queues_[i].capacity;
  }
}

void LocalSolver::advance(Time now) {
  CHECK(now.value >= now_);
  now_ = now.value;
}

void LocalSolver::advance_clock(std::uint32_t link) {
  Queue& queue = queues_[link];
  if (links_[link].own > 0) {
    queue.clock += static_cast<Clock>(links_[link].level) * static_cast<Clock>(now_ - queue.at);
  }
  queue.at = now_;
  mark(link);
}

void LocalSolver::mark(std::uint32_t link) {
  if (links_[link].marked) return;
  links_[link].marked = true;
  marked_.push_back(link);
}

void LocalSolver::note_dirty(std::uint32_t link) {
  if (links_[link].dirty) return;
  links_[link].dirty = true;
  dirty_.add(link);
}

// The load of others changed: a link that limits nobody and has room stays as it is.
void LocalSolver::load_changed(std::uint32_t link) {
  if (links_[link].own > 0 || links_[link].room < 0) note_dirty(link);
}

// When the own flow whose clock reading at its end is `ending` ends.
std::int64_t LocalSolver::finish(std::uint32_t link, const Ending& ending) const {
  const Queue& queue = queues_[link];
  const Clock key = ending.key();
  return finish_time(queue.at, key <= queue.clock ? 0 : key - queue.clock, links_[link].level);
}

Clock LocalSolver::left_of(const Flow& flow) const {
  const Queue& queue = queues_[flow.owner];
  const Clock done =
      static_cast<Clock>(links_[flow.owner].level) * static_cast<Clock>(now_ - queue.at);
  const Clock key = queue.heap[flow.place].key();
  return key > queue.clock + done ? key - queue.clock - done : 0;
}

void LocalSolver::take_due(std::vector<std::uint32_t>& tags) {
  taken_.clear();
  times_.for_each_due(now_, [&](std::uint32_t link) {
    const std::vector<Ending>& heap = queues_[link].heap;
    while (!heap.empty() && finish(link, heap.front()) <= now_) {
      taken_.push_back(heap.front().flow);
      remove_ending(flows_, queues_[link].heap, 0);
    }
    mark(link);
  });
  const std::size_t first = tags.size();
  for (const std::uint32_t flow : taken_) tags.push_back(flows_[flow].tag);
  if (taken_.size() == active_ && waiting_.empty()) {
    end_all();
  } else {
    list_all();
    for (const std::uint32_t flow : taken_) end_flow(flow);
  }
  const auto begin = tags.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(begin, tags.end())) std::sort(begin, tags.end());
  taken_.clear();
}

// Of a flow that has left its owner's heap.
void LocalSolver::end_flow(std::uint32_t flow) {
  const Flow ended = flows_[flow];
  unload_others(flow);
  for (std::uint32_t h = ended.first; h < ended.first + ended.hops; ++h) {
    if (h != ended.own_hop) drop_thru(h);
  }
  queues_[ended.owner].weight -= hops_[ended.own_hop].weight;
  --links_[ended.owner].own;
  note_dirty(ended.owner);
  free_flow(flow);
  --active_;
}

// When all end together, as in symmetric work, nothing has to be undone one by one.
void LocalSolver::end_all() {
  const auto reset = [this](std::uint32_t link) {
    Queue& queue = queues_[link];
    queue.weight = 0;
    queue.down.clear();
    queue.down_hop.clear();
    queue.thru.clear();
    links_[link].room = links_[link].pinned ? -1 : queue.capacity;
    links_[link].own = 0;
    note_dirty(link);
  };
  for (const std::uint32_t flow : taken_) {
    const Flow ended = flows_[flow];
    for (std::uint32_t h = ended.first; h < ended.first + ended.hops; ++h) {
      const Link& link = links_[hops_[h].link];
      if (!link.dirty || link.own > 0) reset(hops_[h].link);
    }
  }
  flows_.clear();
  hops_.clear();
  listed_at_.clear();
  free_flows_.clear();
  for (std::vector<std::uint32_t>& free : free_hops_) free.clear();
  active_ = 0;
  listed_ = true;
}

void LocalSolver::attach(std::uint32_t tag, std::span<const Share> route, Clock amount,
                         std::uint32_t weight) {
  const std::uint32_t flow = new_flow(tag, route, weight);
  flows_[flow].place = static_cast<std::uint32_t>(waiting_.size());
  waiting_.push_back(Ending::at(amount, flow));
  ++active_;
}

std::uint32_t LocalSolver::new_flow(std::uint32_t tag, std::span<const Share> route,
                                    std::uint32_t weight) {
  const auto hops = static_cast<std::uint32_t>(route.size());
  if (free_hops_.size() <= hops) free_hops_.resize(hops + 1);
  std::uint32_t first = static_cast<std::uint32_t>(hops_.size());
  if (free_hops_[hops].empty()) {
    hops_.grow(hops);
  } else {
    first = free_hops_[hops].back();
    free_hops_[hops].pop_back();
  }
  std::uint32_t flow = static_cast<std::uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.grow(1);
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  flows_[flow] = {kNowhere, kNowhere, first, hops, kNowhere, tag};
  for (std::uint32_t i = 0; i < hops; ++i) {
    hops_[first + i] = {route[i].link, route[i].weight * weight, flow};
  }
  return flow;
}

void LocalSolver::free_flow(std::uint32_t flow) {
  free_hops_[flows_[flow].hops].push_back(flows_[flow].first);
  flows_[flow].tag = kNowhere;
  flows_[flow].hops = 0;
  free_flows_.push_back(flow);
}

void LocalSolver::add_pair(std::uint32_t hop, std::uint32_t owner) {
  Queue& queue = queues_[owner];
  listed_at_[hop].down = static_cast<std::uint32_t>(queue.down.size());
  queue.down.push_back({hops_[hop].link, hops_[hop].weight});
  queue.down_hop.push_back(hop);
}

void LocalSolver::drop_pair(std::uint32_t hop, std::uint32_t owner) {
  Queue& queue = queues_[owner];
  const std::uint32_t place = listed_at_[hop].down;
  queue.down[place] = queue.down.back();
  queue.down_hop[place] = queue.down_hop.back();
  listed_at_[queue.down_hop[place]].down = place;
  queue.down.pop_back();
  queue.down_hop.pop_back();
}

void LocalSolver::add_thru(std::uint32_t hop) {
  std::vector<std::uint32_t>& thru = queues_[hops_[hop].link].thru;
  listed_at_[hop].thru = static_cast<std::uint32_t>(thru.size());
  thru.push_back(hop);
}

void LocalSolver::drop_thru(std::uint32_t hop) {
  std::vector<std::uint32_t>& thru = queues_[hops_[hop].link].thru;
  const std::uint32_t place = listed_at_[hop].thru;
  thru[place] = thru.back();
  listed_at_[thru[place]].thru = place;
  thru.pop_back();
}

void LocalSolver::set_rate(std::uint32_t link, const LinkRate& rate) {
  CHECK(!rate.pinned && !links_[link].pinned);
  const std::int64_t capacity = rate_units(rate, q_);
  list_all();
  links_[link].room += capacity - queues_[link].capacity;
  queues_[link].capacity = capacity;
  load_changed(link);
}

}  // namespace sim::flow
