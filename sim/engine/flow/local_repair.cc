// SPDX-License-Identifier: GPL-2.0-only
// Local repair in level order, and the fill from scratch for mass starts.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "sim/base/check.h"
#include "sim/engine/flow/local_solver.h"

namespace sim::flow {
namespace {

constexpr std::int64_t kOverloaded = -(std::int64_t{1} << 60);

}  // namespace

// The level that the link should have as it stands.
std::int64_t LocalSolver::target(std::uint32_t link) const {
  const Link& l = links_[link];
  if (l.pinned) return queues_[link].capacity;
  if (l.room < 0) return -1;
  return l.own == 0 ? kInfiniteLevel : l.room / queues_[link].weight;
}

// Whether its level is right already: told without a division.
bool LocalSolver::in_order(std::uint32_t link) const {
  const Link& l = links_[link];
  if (l.own == 0 || l.pinned || l.room < 0 || l.level < l.top) return false;
  const __int128 spare =
      l.room - static_cast<__int128>(l.level) * static_cast<__int128>(queues_[link].weight);
  return spare >= 0 && spare < queues_[link].weight;
}

// What the flow of this hop would get here.
std::int64_t LocalSolver::level_if_joined(const Hop& hop) const {
  const Link& l = links_[hop.link];
  if (l.pinned) return queues_[hop.link].capacity;
  const std::int64_t weight = queues_[hop.link].weight + hop.weight;
  const std::int64_t share = l.room > 0 ? l.room / weight : 0;
  return l.own > 0 ? std::min(l.level, share) : share;
}

// Makes the link of `hop` the flow's owner.
void LocalSolver::own(std::uint32_t flow, std::uint32_t hop, Clock left) {
  const std::uint32_t link = hops_[hop].link;
  flows_[flow].owner = link;
  flows_[flow].own_hop = hop;
  push_ending(flows_, queues_[link].heap, queues_[link].clock + left, flow);
  queues_[link].weight += hops_[hop].weight;
  ++links_[link].own;
}

// Puts the flow's rate as load on the other links it crosses; they know its hops already.
void LocalSolver::load_others(std::uint32_t flow) {
  const Flow f = flows_[flow];
  const std::int64_t level = links_[f.owner].level;
  for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
    if (h == f.own_hop) continue;
    Link& other = links_[hops_[h].link];
    other.room -= hops_[h].weight * level;
    other.top = std::max(other.top, level);
    add_pair(h, f.owner);
    load_changed(hops_[h].link);
    if (other.room < kOverloaded) urgent_.push_back(hops_[h].link);
  }
}

void LocalSolver::unload_others(std::uint32_t flow) {
  const Flow f = flows_[flow];
  const std::int64_t level = links_[f.owner].level;
  for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
    if (h == f.own_hop) continue;
    links_[hops_[h].link].room += hops_[h].weight * level;
    drop_pair(h, f.owner);
    load_changed(hops_[h].link);
  }
}

// A start joins the link where it would get least, so that no link is overloaded by starts.
void LocalSolver::join(const Ending& start) {
  const Flow f = flows_[start.flow];
  std::uint32_t best = f.first;
  std::int64_t level = level_if_joined(hops_[best]);
  for (std::uint32_t h = f.first + 1; h < f.first + f.hops; ++h) {
    const std::int64_t here = level_if_joined(hops_[h]);
    if (here < level) best = h, level = here;
  }
  const std::uint32_t link = hops_[best].link;
  if (links_[link].own == 0 || level < links_[link].level) {
    set_level(link, level);
  } else {
    advance_clock(link);
  }
  for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
    if (h != best) add_thru(h);
  }
  own(start.flow, best, start.key());
  load_others(start.flow);
  note_dirty(link);
}

void LocalSolver::start_waiting() {
  const std::size_t running = active_ - waiting_.size();
  if (waiting_.size() > running && waiting_.size() >= 4 * links_.size()) return start_afresh();
  if (!waiting_.empty()) list_all();
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    join(waiting_[i]);
    if (!urgent_.empty()) settle();  // may start afresh, and then none waits
  }
  waiting_.clear();
}

void LocalSolver::repair() {
  ++counts_.repairs;
  start_waiting();
  settle();
  refresh_times();
  if (since_sort_ > 4 * links_.size()) sort_order();
}

void LocalSolver::settle() {
  std::uint64_t evaluations = 0;
  std::uint32_t link = 0;
  while (true) {
    if (!urgent_.empty()) {
      link = urgent_.back();
      urgent_.pop_back();
      dirty_.remove(link);
    } else if (!dirty_.take(link)) {
      break;
    }
    links_[link].dirty = false;
    evaluate(link);
    ++evaluations;
    if (evaluations == 4 * links_.size() + 64) sort_order();
    if (evaluations == 64 * links_.size() + 1'024) start_afresh();  // stale ranks made it wander
  }
  counts_.evaluations += evaluations;
  since_sort_ += evaluations;
}

void LocalSolver::evaluate(std::uint32_t link) {
  if (in_order(link)) return;
  taken_.clear();
  std::int64_t level = target(link);
  if (level < links_[link].top) level = take_faster(link, level);
  if (level != links_[link].level) set_level(link, level);
  for (const std::uint32_t flow : taken_) load_others(flow);
}

// Flows that cross here at more than `level` belong here. Returns the level with them.
std::int64_t LocalSolver::take_faster(std::uint32_t link, std::int64_t level) {
  candidates_.clear();
  std::int64_t slower = 0;
  for (const std::uint32_t hop : queues_[link].thru) {
    const std::uint32_t owner = flows_[hops_[hop].flow].owner;
    const std::int64_t theirs = links_[owner].level;
    if (theirs > level) {
      candidates_.push_back({theirs, owner, hop});
    } else {
      slower = std::max(slower, theirs);
    }
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(b.level, a.owner, a.hop) < std::tie(a.level, b.owner, b.hop);
  });
  std::size_t next = 0;
  while (next < candidates_.size() && candidates_[next].level > level) {
    const std::uint32_t owner = candidates_[next].owner;
    advance_clock(link);
    advance_clock(owner);
    for (; next < candidates_.size() && candidates_[next].owner == owner; ++next) {
      take(link, candidates_[next].hop);
    }
    if (dirty_.rank(owner) < dirty_.rank(link)) dirty_.swap(owner, link);
    level = target(link);
  }
  links_[link].top = next < candidates_.size() ? candidates_[next].level : slower;
  return level;
}

// Moves the flow of `hop` from its owner to this link; its new load is spread later.
void LocalSolver::take(std::uint32_t link, std::uint32_t hop) {
  const std::uint32_t flow = hops_[hop].flow;
  const Flow f = flows_[flow];
  const Clock key = queues_[f.owner].heap[f.place].key();
  const Clock read = queues_[f.owner].clock;
  const Clock left = key > read ? key - read : 0;
  remove_ending(flows_, queues_[f.owner].heap, f.place);
  unload_others(flow);
  queues_[f.owner].weight -= hops_[f.own_hop].weight;
  --links_[f.owner].own;
  note_dirty(f.owner);
  drop_thru(hop);
  add_thru(f.own_hop);
  own(flow, hop, left);
  taken_.push_back(flow);
  CHECK(hops_[hop].link == link);
  ++counts_.moved;
}

void LocalSolver::set_level(std::uint32_t link, std::int64_t level) {
  advance_clock(link);
  Link& l = links_[link];
  const std::int64_t rise = level - l.level;
  l.level = level;
  ++counts_.level_changes;
  counts_.touched += queues_[link].down.size();
  std::int64_t least = 0;
  for (const Pair& pair : queues_[link].down) {
    Link& other = links_[pair.link];
    other.room -= rise * pair.weight;
    other.top = std::max(other.top, level);
    least = std::min(least, other.room);
    if ((other.own > 0 || other.room < 0) && !other.dirty) {
      other.dirty = true;
      dirty_.add(pair.link);
    }
  }
  if (least >= kOverloaded) return;
  for (const Pair& pair : queues_[link].down) {
    if (links_[pair.link].room < kOverloaded) urgent_.push_back(pair.link);
  }
}

void LocalSolver::sort_order() {
  since_sort_ = 0;
  dirty_.sort([this](std::uint32_t a, std::uint32_t b) {
    return std::tie(links_[a].level, a) < std::tie(links_[b].level, b);
  });
}

void LocalSolver::refresh_times() {
  for (const std::uint32_t link : marked_) {
    links_[link].marked = false;
    const std::vector<Ending>& heap = queues_[link].heap;
    times_.set(link, heap.empty() ? kNeverEnds : finish(link, heap.front()));
  }
  marked_.clear();
  times_.refresh();
}

// Water-filling over all flows, those that wait included: the link with the least share freezes its
// flows, their rate is taken off the other links they cross, and so on.
class LocalSolver::Fill {
 public:
  explicit Fill(LocalSolver& m) : m_(m), first_(m.links_.size() + 1), weight_(m.links_.size()) {
    // What each flow has to move; its `place` says where that stands.
    for (std::uint32_t flow = 0; flow < m_.flows_.size(); ++flow) {
      Flow& f = m_.flows_[flow];
      if (f.hops == 0 || f.own_hop == kNowhere) continue;
      const Ending left = Ending::at(m_.left_of(f), flow);
      f.place = static_cast<std::uint32_t>(m_.waiting_.size());
      m_.waiting_.push_back(left);
    }
    clear_links();
    list_hops();
  }

  void run() {
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (std::uint32_t link = 0; link < weight_.size(); ++link) {
      if (weight_[link] > 0) open.emplace(share(link), link);
    }
    while (!open.empty()) {
      const auto [level, link] = open.top();
      open.pop();
      if (weight_[link] == 0) continue;
      if (const std::int64_t now = share(link); now > level) {
        open.emplace(now, link);
      } else {
        freeze(link, level);
      }
    }
    m_.waiting_.release();
    m_.listed_ = false;
  }

 private:
  using Entry = std::pair<std::int64_t, std::uint32_t>;

  void clear_links() {
    for (std::uint32_t link = 0; link < m_.links_.size(); ++link) {
      Link& l = m_.links_[link];
      Queue& queue = m_.queues_[link];
      m_.dirty_.remove(link);
      l = {l.pinned ? -1 : queue.capacity, kInfiniteLevel, 0, 0, l.pinned, l.marked, false};
      queue.weight = 0;
      queue.at = m_.now_;
      queue.heap.clear();
      queue.down.clear();
      queue.down_hop.clear();
      queue.thru.clear();
      m_.mark(link);
    }
    m_.urgent_.clear();
    m_.taken_.clear();
  }

  // The hops of each link, in order.
  void list_hops() {
    for (const Flow& f : m_.flows_) {
      for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
        ++first_[m_.hops_[h].link + 1];
        weight_[m_.hops_[h].link] += m_.hops_[h].weight;
      }
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    hops_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t flow = 0; flow < m_.flows_.size(); ++flow) {
      Flow& f = m_.flows_[flow];
      f.own_hop = kNowhere;
      for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
        hops_[next[m_.hops_[h].link]++] = h;
      }
    }
  }

  [[nodiscard]] std::int64_t share(std::uint32_t link) const {
    if (m_.links_[link].pinned) return m_.queues_[link].capacity;
    return m_.links_[link].room / weight_[link];
  }

  [[nodiscard]] std::uint32_t hops_of(std::uint32_t link) const {
    return first_[link + 1] - first_[link];
  }

  void freeze(std::uint32_t link, std::int64_t level) {
    m_.links_[link].level = level;
    Queue& queue = m_.queues_[link];
    queue.heap.reserve(hops_of(link));
    for (std::uint32_t i = first_[link]; i < first_[link + 1]; ++i) {
      const std::uint32_t flow = m_.hops_[hops_[i]].flow;
      if (m_.flows_[flow].own_hop != kNowhere) continue;
      m_.own(flow, hops_[i], m_.waiting_[m_.flows_[flow].place].key());
      const Flow& f = m_.flows_[flow];
      for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
        weight_[m_.hops_[h].link] -= m_.hops_[h].weight;
        if (h == f.own_hop) continue;
        Link& other = m_.links_[m_.hops_[h].link];
        other.room -= m_.hops_[h].weight * level;
        other.top = std::max(other.top, level);
      }
    }
  }

  LocalSolver& m_;
  std::vector<std::uint32_t> first_;  // by link, into hops_
  std::vector<std::uint32_t> hops_;
  std::vector<std::int64_t> weight_;  // of the flows that are not frozen
};

// After a fill the lists of what owners load are made when something first needs them: of flows
// that all end together nothing does.
void LocalSolver::list_all() {
  if (listed_at_.size() < hops_.size()) listed_at_.grow(hops_.size() - listed_at_.size());
  if (listed_) return;
  listed_ = true;
  for (const Flow& f : flows_) {
    if (f.hops == 0 || f.own_hop == kNowhere) continue;
    for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
      if (h == f.own_hop) continue;
      add_pair(h, f.owner);
      add_thru(h);
    }
  }
}

void LocalSolver::start_afresh() { Fill(*this).run(); }

double LocalSolver::level_of(std::uint32_t link) const {
  return links_[link].own == 0 ? -1 : bytes_per_second(links_[link].level, q_);
}

double LocalSolver::rate_of(std::uint32_t tag) const {
  for (const Flow& f : flows_) {
    if (f.hops > 0 && f.tag == tag) return level_of(f.owner);
  }
  CHECK(false && "no such flow");
}

std::string LocalSolver::fault_of(std::uint32_t link, std::int64_t load) const {
  const Link& l = links_[link];
  const Queue& queue = queues_[link];
  if (queue.heap.size() != l.own) return "own flows are not counted right";
  if (!l.pinned && l.room != queue.capacity - load) return "its load is not the sum of its flows";
  if (!l.pinned && l.room < l.level * queue.weight && l.own > 0) return "it is overloaded";
  if (l.own > 0 && l.level != target(link)) return "its level is not its share";
  if (l.own == 0 && !l.pinned && l.room < 0) return "it is overloaded by others";
  const std::int64_t time = queue.heap.empty() ? kNeverEnds : finish(link, queue.heap.front());
  return times_.at(link) == time ? "" : "its next time is not that of its first flow";
}

std::string LocalSolver::fault() const {
  std::vector<std::int64_t> load(links_.size(), 0);
  for (const Flow& f : flows_) {
    for (std::uint32_t h = f.first; h < f.first + f.hops; ++h) {
      const std::int64_t level = links_[f.owner].level;
      if (h != f.own_hop) load[hops_[h].link] += hops_[h].weight * level;
      const Link& other = links_[hops_[h].link];
      if ((other.own > 0 || other.pinned) && target(hops_[h].link) < level) {
        return fmt::format("flow {} of link {} crosses link {}, which gives less", f.tag, f.owner,
                           hops_[h].link);
      }
    }
  }
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    const std::string what = fault_of(link, load[link]);
    if (!what.empty()) return fmt::format("link {}: {}", link, what);
  }
  return {};
}

}  // namespace sim::flow
