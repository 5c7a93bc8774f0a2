// SPDX-License-Identifier: GPL-2.0-only
// Links, flows, clocks and heaps. The repair is in max_min_repair.cc.
#include "sim/engine/flow/max_min.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/base/check.h"

namespace sim::flow {
namespace {

constexpr std::uint32_t kNowhere = 0xffff'ffffU;
constexpr std::int64_t kLongest = std::int64_t{1} << 62;  // ps
// A completion this little after a whole picosecond, in 1/512 ps, is at it: levels are rounded
// down, so times that are whole on paper come out a hair late.
constexpr unsigned kGuardBits = 9;

// Head-room for the sums of mid-repair; where it is not enough, overloaded links are repaired
// first.
constexpr unsigned kRoomBits = 12;

unsigned bits_for(std::uint64_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

}  // namespace

MaxMin::MaxMin(std::span<const LinkRate> links, std::uint64_t largest_weight, Bandwidth most_rate)
    : links_(links.size()), queues_(links.size()), dirty_(links.size()), times_(links.size()) {
  CHECK(!links.empty() && largest_weight > 0);
  auto largest = static_cast<unsigned __int128>(std::max<std::int64_t>(1, most_rate.value));
  for (const LinkRate& link : links) {
    largest = std::max(largest, static_cast<unsigned __int128>(link.rate.value) * link.scale);
  }
  const unsigned room = kRoomBits + bits_for(largest_weight);
  CHECK(room < 40);
  const unsigned __int128 most = (static_cast<unsigned __int128>(1) << (62 - room)) *
                                 static_cast<unsigned __int128>(kPicosecondsPerSecond);
  while (q_ < 61 && (largest << (q_ + 1)) <= most) ++q_;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    queues_[i].capacity = units(links[i]);
    links_[i].pinned = links[i].pinned;
    links_[i].room = links[i].pinned ? -1 : queues_[i].capacity;
  }
}

std::int64_t MaxMin::units(const LinkRate& rate) const {
  const auto scaled = static_cast<unsigned __int128>(rate.rate.value) * rate.scale << q_;
  return static_cast<std::int64_t>(scaled / static_cast<unsigned __int128>(kPicosecondsPerSecond));
}

void MaxMin::advance(Time now) {
  CHECK(now.value >= now_);
  now_ = now.value;
}

void MaxMin::advance_clock(std::uint32_t link) {
  Queue& queue = queues_[link];
  if (links_[link].own > 0) {
    queue.clock += static_cast<Clock>(links_[link].level) * static_cast<Clock>(now_ - queue.at);
  }
  queue.at = now_;
  mark(link);
}

void MaxMin::mark(std::uint32_t link) {
  if (links_[link].marked) return;
  links_[link].marked = true;
  marked_.push_back(link);
}

void MaxMin::note_dirty(std::uint32_t link) {
  if (links_[link].dirty) return;
  links_[link].dirty = true;
  dirty_.add(link);
}

// The load of others changed: a link that limits nobody and has room stays as it is.
void MaxMin::load_changed(std::uint32_t link) {
  if (links_[link].own > 0 || links_[link].room < 0) note_dirty(link);
}

// When the own flow whose clock reading at its end is `ending` ends. The one formula for both the
// next time and what is due at it.
std::int64_t MaxMin::finish(std::uint32_t link, const Ending& ending) const {
  const Queue& queue = queues_[link];
  const Clock key = ending.key();
  if (key <= queue.clock) return queue.at;
  const std::int64_t level = links_[link].level;
  if (level <= 0) return kNever;
  const Clock left = key - queue.clock;
  const double quotient = static_cast<double>(left) / static_cast<double>(level);
  if (quotient < 0x1p40) {
    const double after = std::ceil(quotient - 1.0 / (1U << kGuardBits));
    return queue.at + std::max<std::int64_t>(0, static_cast<std::int64_t>(after));
  }
  if (quotient > static_cast<double>(kLongest / 4)) return kLongest;
  return queue.at + static_cast<std::int64_t>((left + static_cast<Clock>(level) - 1) /
                                              static_cast<Clock>(level));
}

void MaxMin::take_due(std::vector<std::uint32_t>& tags) {
  taken_.clear();
  times_.for_each_due(now_, [&](std::uint32_t link) {
    const std::vector<Ending>& heap = queues_[link].heap;
    while (!heap.empty() && finish(link, heap.front()) <= now_) {
      taken_.push_back(heap.front().flow);
      remove(link, 0);
    }
    mark(link);
  });
  const std::size_t first = tags.size();
  for (const std::uint32_t flow : taken_) tags.push_back(flows_[flow].tag);
  if (taken_.size() == active_) {
    end_all();
  } else {
    for (const std::uint32_t flow : taken_) end_flow(flow);
  }
  std::sort(tags.begin() + static_cast<std::ptrdiff_t>(first), tags.end());
  taken_.clear();
}

// Of a flow that has left its owner's heap.
void MaxMin::end_flow(std::uint32_t flow) {
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
void MaxMin::end_all() {
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
    free_flow(flow);
  }
  active_ = 0;
}

void MaxMin::attach(std::uint32_t tag, std::span<const Share> route, Bytes bytes,
                    std::uint32_t weight) {
  CHECK(bytes.value > 0 && weight > 0 && !route.empty());
  const Clock all = static_cast<Clock>(bytes.value) << q_;
  waiting_.push_back({new_flow(tag, route, weight), (all + weight - 1) / weight});
  ++active_;
}

std::uint32_t MaxMin::new_flow(std::uint32_t tag, std::span<const Share> route,
                               std::uint32_t weight) {
  const auto hops = static_cast<std::uint32_t>(route.size());
  if (free_hops_.size() <= hops) free_hops_.resize(hops + 1);
  std::uint32_t first = static_cast<std::uint32_t>(hops_.size());
  if (free_hops_[hops].empty()) {
    hops_.resize(hops_.size() + hops);
  } else {
    first = free_hops_[hops].back();
    free_hops_[hops].pop_back();
  }
  std::uint32_t flow = static_cast<std::uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  flows_[flow] = {kNowhere, kNowhere, first, hops, kNowhere, tag};
  for (std::uint32_t i = 0; i < hops; ++i) {
    hops_[first + i] = {route[i].link, route[i].weight * weight, flow, kNowhere, kNowhere};
  }
  return flow;
}

void MaxMin::free_flow(std::uint32_t flow) {
  free_hops_[flows_[flow].hops].push_back(flows_[flow].first);
  flows_[flow].tag = kNowhere;
  flows_[flow].hops = 0;
  free_flows_.push_back(flow);
}

void MaxMin::add_pair(std::uint32_t hop, std::uint32_t owner) {
  Queue& queue = queues_[owner];
  hops_[hop].down = static_cast<std::uint32_t>(queue.down.size());
  queue.down.push_back({hops_[hop].link, hops_[hop].weight});
  queue.down_hop.push_back(hop);
}

void MaxMin::drop_pair(std::uint32_t hop, std::uint32_t owner) {
  Queue& queue = queues_[owner];
  const std::uint32_t place = hops_[hop].down;
  queue.down[place] = queue.down.back();
  queue.down_hop[place] = queue.down_hop.back();
  hops_[queue.down_hop[place]].down = place;
  queue.down.pop_back();
  queue.down_hop.pop_back();
}

void MaxMin::add_thru(std::uint32_t hop) {
  std::vector<std::uint32_t>& thru = queues_[hops_[hop].link].thru;
  hops_[hop].thru = static_cast<std::uint32_t>(thru.size());
  thru.push_back(hop);
}

void MaxMin::drop_thru(std::uint32_t hop) {
  std::vector<std::uint32_t>& thru = queues_[hops_[hop].link].thru;
  const std::uint32_t place = hops_[hop].thru;
  thru[place] = thru.back();
  hops_[thru[place]].thru = place;
  thru.pop_back();
}

void MaxMin::push(std::uint32_t link, Clock key, std::uint32_t flow) {
  std::vector<Ending>& heap = queues_[link].heap;
  const Ending item{static_cast<std::uint64_t>(key >> 64U), static_cast<std::uint64_t>(key), flow};
  heap.push_back(item);
  sift_up(heap, static_cast<std::uint32_t>(heap.size() - 1), item);
}

void MaxMin::remove(std::uint32_t link, std::uint32_t place) {
  std::vector<Ending>& heap = queues_[link].heap;
  const Ending last = heap.back();
  heap.pop_back();
  if (place == heap.size()) return;
  if (place > 0 && last.before(heap[(place - 1) / 2])) return sift_up(heap, place, last);
  sift_down(heap, place, last);
}

void MaxMin::sift_up(std::vector<Ending>& heap, std::uint32_t place, const Ending& item) {
  const Ending moved = item;
  while (place > 0 && moved.before(heap[(place - 1) / 2])) {
    heap[place] = heap[(place - 1) / 2];
    flows_[heap[place].flow].place = place;
    place = (place - 1) / 2;
  }
  heap[place] = moved;
  flows_[moved.flow].place = place;
}

void MaxMin::sift_down(std::vector<Ending>& heap, std::uint32_t place, const Ending& item) {
  const Ending moved = item;
  for (std::uint32_t child = 2 * place + 1; child < heap.size(); child = 2 * place + 1) {
    if (child + 1 < heap.size() && heap[child + 1].before(heap[child])) ++child;
    if (!heap[child].before(moved)) break;
    heap[place] = heap[child];
    flows_[heap[place].flow].place = place;
    place = child;
  }
  heap[place] = moved;
  flows_[moved.flow].place = place;
}

void MaxMin::set_rate(std::uint32_t link, const LinkRate& rate) {
  CHECK(!rate.pinned && !links_[link].pinned);
  const std::int64_t capacity = units(rate);
  links_[link].room += capacity - queues_[link].capacity;
  queues_[link].capacity = capacity;
  load_changed(link);
}

}  // namespace sim::flow
