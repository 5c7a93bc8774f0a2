// SPDX-License-Identifier: GPL-2.0-only
// Which arrivals need not be kept aside. MSCCL copies what comes in from a queue when the receiving
// step is due. A transfer of ours lands where it belongs as soon as it comes, which is the same as
// long as all that used these blocks before has ended when the send begins; else it waits in its
// slot until the step takes it.
#include <algorithm>
#include <array>

#include "collectives/msccl_graph.h"

namespace collectives::msccl {
namespace {

constexpr std::uint64_t kMostVisits = 4'000'000'000;

// Walks back from a send over all that has happened when it begins.
class Past {
 public:
  explicit Past(const Graph& graph) : graph_(graph) {
    for (auto& stamps : seen_) stamps.assign(graph.nodes.size(), 0);
  }

  // True when the ops of all `wanted` have ended when `send` begins.
  bool ended(const std::vector<std::uint32_t>& wanted, std::uint32_t send) {
    ++stamp_;
    stack_.clear();
    std::size_t left = wanted.size();
    for (const std::uint32_t node : wanted) left -= node == send ? 1 : 0;
    if (left < wanted.size()) return false;
    push(send, kBegun);
    while (!stack_.empty() && left > 0) {
      const auto [node, how] = stack_.back();
      stack_.pop_back();
      ++visits_;
      if (how == kEnded && std::ranges::find(wanted, node) != wanted.end()) --left;
      follow(node, how);
    }
    return left == 0;
  }

  [[nodiscard]] std::uint64_t visits() const { return visits_; }

 private:
  // Begun: what it waits for is over. Ended: its own op too. Complete: so are all steps of its
  // threadblock before it.
  enum How { kBegun, kEnded, kComplete };

  void push(std::uint32_t node, How how) {
    if (node == kNone || seen_[how][node] == stamp_) return;
    seen_[how][node] = stamp_;
    stack_.emplace_back(node, how);
  }

  static bool light(const Node& node) {
    return sends(node.step->action) || node.step->action == Action::kNothing;
  }

  void follow(std::uint32_t number, How how) {
    const Node& node = graph_.nodes[number];
    if (how == kComplete) {
      push(number, kEnded);
      push(node.before, kComplete);
      push(node.after, kComplete);
      return;
    }
    if (how == kEnded) {
      if (receives(node.step->action)) push(node.partner, kEnded);
      if (!node.direct) push(number, kBegun);
      return;
    }
    push(node.after, kComplete);
    if (node.before == kNone) return;
    const bool queued = light(node) && light(graph_.nodes[node.before]);
    push(node.before, queued ? kBegun : kComplete);
  }

  const Graph& graph_;
  std::array<std::vector<std::uint32_t>, 3> seen_;
  std::uint32_t stamp_ = 0;
  std::vector<std::pair<std::uint32_t, How>> stack_;
  std::uint64_t visits_ = 0;
};

// Calls visit(block) for all that a step uses, apart from what rrs keeps.
template <class Visit>
void for_each_block(const Memory& memory, const Node& node, Visit visit) {
  const Step& step = *node.step;
  const auto range = [&](const Chunks& chunks) {
    const std::uint32_t first = memory.block(node.rank, chunks);
    for (std::uint32_t i = 0; i < step.count; ++i) visit(first + i);
  };
  const Action action = step.action;
  if (action == Action::kNothing || action == Action::kSendAside) return;
  if (action != Action::kReceive) range(step.from);
  if (action != Action::kSend && action != Action::kReduceAside) range(step.to);
}

}  // namespace

bool find_direct(const Memory& memory, Graph& graph) {
  Past past(graph);
  const std::size_t ranks = graph.nodes.empty() ? 0 : graph.nodes.back().rank + std::size_t{1};
  std::vector<std::vector<std::uint32_t>> users(ranks * graph.blocks);  // by rank and block
  std::vector<std::uint32_t> before;
  for (const std::uint32_t number : graph.order) {
    Node& node = graph.nodes[number];
    const std::size_t first = std::size_t{node.rank} * graph.blocks;
    if (node.step->action == Action::kReceive) {
      before.clear();
      for_each_block(memory, node, [&](std::uint32_t block) {
        const auto& list = users[first + block];
        before.insert(before.end(), list.begin(), list.end());
      });
      std::ranges::sort(before);
      before.erase(std::unique(before.begin(), before.end()), before.end());
      node.direct = past.ended(before, node.partner);
      if (past.visits() > kMostVisits) return false;
    }
    for_each_block(memory, node,
                   [&](std::uint32_t block) { users[first + block].push_back(number); });
  }
  return true;
}

}  // namespace collectives::msccl
