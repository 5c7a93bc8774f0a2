// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/detours.h"

#include <limits>
#include <utility>

#include "sim/base/check.h"

namespace sim {

namespace {

constexpr auto kFar = std::numeric_limits<std::uint32_t>::max();

std::size_t state(NodeId node, bool climbing) { return 2 * std::size_t{index(node)} + climbing; }

}  // namespace

bool LegalWays::usable(LinkId link) const {
  if (fabric_.dead(link)) return false;
  const Link& one = fabric_.link(link);
  return over_nics_ || (fabric_.node(one.from).kind != NodeKind::kNic &&
                        fabric_.node(one.to).kind != NodeKind::kNic);
}

// The node with most usable links that no root reaches yet; kFar when all are reached.
std::uint32_t LegalWays::next_root() const {
  std::uint32_t root = kFar;
  std::uint32_t most = 0;
  for (std::uint32_t node = 0; node < level_.size(); ++node) {
    if (level_[node] != kFar) continue;
    std::uint32_t links = 0;
    for (const LinkId link : fabric_.out_links(NodeId{node})) links += usable(link) ? 1U : 0U;
    if (links > most) {
      most = links;
      root = node;
    }
  }
  return root;
}

void LegalWays::rank_nodes() const {
  if (!level_.empty()) return;
  into_.resize(fabric_.nodes().size());
  for (std::uint32_t link = 0; link < fabric_.links().size(); ++link) {
    if (usable(LinkId{link})) into_[index(fabric_.links()[link].to)].push_back(LinkId{link});
  }
  level_.assign(fabric_.nodes().size(), kFar);
  for (std::uint32_t root = next_root(); root != kFar; root = next_root()) {
    std::vector<std::uint32_t> queue{root};
    level_[root] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const LinkId link : fabric_.out_links(NodeId{queue[head]})) {
        const std::uint32_t next = index(fabric_.link(link).to);
        if (!usable(link) || level_[next] != kFar) continue;
        level_[next] = level_[queue[head]] + 1;
        queue.push_back(next);
      }
    }
  }
}

bool LegalWays::climbs(LinkId link) const {
  const Link& one = fabric_.link(link);
  const std::uint32_t from = level_[index(one.from)];
  const std::uint32_t to = level_[index(one.to)];
  return to < from || (to == from && one.to < one.from);
}

// Backwards from the goal, fewest links first. A way that still may climb may also descend.
LegalWays::Steps LegalWays::search(NodeId goal) const {
  Steps steps(2 * fabric_.nodes().size(), Step{{}, false, kFar});
  std::vector<std::pair<NodeId, bool>> queue{{goal, false}, {goal, true}};
  steps[state(goal, false)].hops = steps[state(goal, true)].hops = 0;
  const auto reach = [&](NodeId node, bool climbing, const Step& step) {
    if (steps[state(node, climbing)].hops != kFar) return;
    steps[state(node, climbing)] = step;
    queue.emplace_back(node, climbing);
  };
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto [node, climbing] = queue[head];
    const std::uint32_t hops = steps[state(node, climbing)].hops + 1;
    for (const LinkId link : into_[index(node)]) {
      const NodeId before = fabric_.link(link).from;
      if (climbs(link)) {
        reach(before, true, {link, climbing, hops});
      } else if (!climbing) {
        reach(before, false, {link, false, hops});
        reach(before, true, {link, false, hops});
      }
    }
  }
  return steps;
}

const LegalWays::Steps& LegalWays::steps(EndpointId to) const {
  rank_nodes();
  const auto [entry, fresh] = known_.try_emplace(to);
  if (fresh) entry->second = search(fabric_.node_of(to));
  return entry->second;
}

bool LegalWays::exists(EndpointId from, EndpointId to) const {
  return steps(to)[state(fabric_.node_of(from), true)].hops != kFar;
}

void LegalWays::append(EndpointId from, EndpointId to, std::vector<LinkId>& links) const {
  const Steps& next = steps(to);
  const NodeId goal = fabric_.node_of(to);
  bool climbing = true;
  for (NodeId at = fabric_.node_of(from); at != goal;) {
    const Step& step = next[state(at, climbing)];
    CHECK(step.hops != kFar);
    links.push_back(step.link);
    at = fabric_.link(step.link).to;
    climbing = step.climbing;
  }
}

}  // namespace sim
