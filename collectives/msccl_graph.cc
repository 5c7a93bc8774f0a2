// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/msccl_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace collectives::msccl {

Memory::Memory(const Program& program) : program_(program) {
  const auto ranks = static_cast<std::uint32_t>(program.gpus.size());
  each_ = std::max(program.chunks / std::max(ranks, 1U), 1U);
  output_ = program.in_place ? 0 : program.chunks;
  first_scratch_ = output_ + program.chunks;
  for (const Gpu& gpu : program.gpus) most_scratch_ = std::max(most_scratch_, gpu.scratch);
}

std::uint32_t Memory::block(sim::Rank rank, const Chunks& chunks) const {
  const sim::Collective kind = program_.collective;
  const std::uint32_t own = rank * each_;
  switch (chunks.buffer) {
    case Buffer::kInput:
      return chunks.offset + (kind == sim::Collective::kAllGather ? own : 0);
    case Buffer::kOutput:
      return chunks.offset + output_ + (kind == sim::Collective::kReduceScatter ? own : 0);
    case Buffer::kScratch:
      break;
  }
  return first_scratch_ + chunks.offset;
}

std::uint32_t Memory::size(sim::Rank rank, Buffer buffer) const {
  const sim::Collective kind = program_.collective;
  switch (buffer) {
    case Buffer::kInput:
      return kind == sim::Collective::kAllGather ? each_ : program_.chunks;
    case Buffer::kOutput:
      return kind == sim::Collective::kReduceScatter ? each_ : program_.chunks;
    case Buffer::kScratch:
      break;
  }
  return program_.gpus[rank].scratch;
}

namespace {

constexpr std::uint32_t kMostBlocks = 1U << 24U;

class Builder {
 public:
  Builder(const Program& program, const Memory& memory, sim::Diagnostics& diagnostics)
      : program_(program), memory_(memory), diagnostics_(diagnostics) {}

  std::optional<Graph> run() {
    const std::size_t before = diagnostics_.count();
    for (sim::Rank rank = 0; rank < program_.gpus.size(); ++rank) add_rank(rank);
    match();
    if (diagnostics_.count() > before || !sort()) return std::nullopt;
    return std::move(graph_);
  }

 private:
  using Connection = std::tuple<sim::Rank, sim::Rank, std::uint32_t>;  // from, to, channel
  struct Messages {
    std::vector<std::uint32_t> sent;  // nodes, in order
    std::vector<std::uint32_t> received;
  };

  void report(const Step& step, std::string what, std::string expected) {
    diagnostics_.add({step.place, std::move(what), std::move(expected), ""});
  }

  void add_rank(sim::Rank rank) {
    const Gpu& gpu = program_.gpus[rank];
    const auto first = static_cast<std::uint32_t>(graph_.nodes.size());
    std::uint32_t aside = memory_.first_aside();
    for (const Step& step : gpu.steps) {
      Node node{.rank = rank, .step = &step};
      if (step.after) node.after = first + *step.after;
      if (step.action == Action::kReduceAside) {
        node.aside = aside;
        aside += step.count;
      }
      if (step.action == Action::kSendAside) node.aside = graph_.nodes.back().aside;
      check_range(rank, step);
      graph_.nodes.push_back(node);
    }
    graph_.blocks = std::max(graph_.blocks, aside);
    for (const ThreadBlock& block : gpu.blocks) add_block(rank, block, first);
    if (graph_.blocks > kMostBlocks && !too_large_) {
      too_large_ = true;
      diagnostics_.add({gpu.place, "its buffers are too large",
                        fmt::format("at most {} chunks a gpu", kMostBlocks), ""});
    }
  }

  void add_block(sim::Rank rank, const ThreadBlock& block, std::uint32_t first) {
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      Node& node = graph_.nodes[first + i];
      if (i > block.first) node.before = first + i - 1;
      if (sends(node.step->action)) {
        if (block.send == rank) report(*node.step, "it sends to its own rank", "another rank");
        messages_[{rank, block.send, block.channel}].sent.push_back(first + i);
      } else if (receives(node.step->action)) {
        messages_[{block.receive, rank, block.channel}].received.push_back(first + i);
      }
    }
  }

  void check_range(sim::Rank rank, const Step& step) {
    const bool reads = step.action == Action::kSend || step.action == Action::kReduce ||
                       step.action == Action::kReduceAside || step.action == Action::kCopy ||
                       step.action == Action::kReduceOwn;
    const bool writes = step.action == Action::kReceive || step.action == Action::kReduce ||
                        step.action == Action::kCopy || step.action == Action::kReduceOwn;
    if (reads) check_range(rank, step, step.from);
    if (writes) check_range(rank, step, step.to);
  }

  void check_range(sim::Rank rank, const Step& step, const Chunks& chunks) {
    const std::uint32_t size = memory_.size(rank, chunks.buffer);
    if (chunks.offset + step.count <= size) return;
    constexpr const char* kNames[] = {"i", "o", "s"};
    report(step,
           fmt::format("chunks {} to {} of buffer {}", chunks.offset,
                       chunks.offset + step.count - 1, kNames[static_cast<int>(chunks.buffer)]),
           fmt::format("the buffer has {} in {}", size, sim::name_of(program_.collective)));
  }

  void match() {
    for (const auto& [connection, both] : messages_) {
      const auto& [from, to, channel] = connection;
      const std::size_t common = std::min(both.sent.size(), both.received.size());
      for (std::size_t i = 0; i < common; ++i) pair(both.sent[i], both.received[i]);
      if (both.sent.size() == both.received.size()) continue;
      const bool more = both.sent.size() > common;
      const Node& odd = graph_.nodes[more ? both.sent[common] : both.received[common]];
      report(*odd.step,
             fmt::format("rank {} sends {} {} to rank {} over channel {}, which takes {}", from,
                         both.sent.size(), both.sent.size() == 1 ? "message" : "messages", to,
                         channel, both.received.size()),
             "as many as are taken");
    }
  }

  void pair(std::uint32_t sender, std::uint32_t receiver) {
    Node& from = graph_.nodes[sender];
    Node& to = graph_.nodes[receiver];
    from.partner = receiver;
    to.partner = sender;
    if (from.step->count == to.step->count) return;
    report(*to.step,
           fmt::format("it takes {} chunks of a message of {} from line {}", to.step->count,
                       from.step->count, from.step->place.line),
           "as many as are sent");
  }

  // What `node` cannot come before.
  [[nodiscard]] std::vector<std::uint32_t> causes(const Node& node) const {
    std::vector<std::uint32_t> list;
    if (node.before != kNone) list.push_back(node.before);
    if (node.after != kNone) list.push_back(node.after);
    if (receives(node.step->action)) list.push_back(node.partner);
    return list;
  }

  bool sort() {
    const std::vector<Node>& nodes = graph_.nodes;
    std::vector<std::uint32_t> open(nodes.size(), 0);
    std::vector<std::vector<std::uint32_t>> effects(nodes.size());
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      for (const std::uint32_t cause : causes(nodes[node])) {
        effects[cause].push_back(node);
        ++open[node];
      }
    }
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      if (open[node] == 0) graph_.order.push_back(node);
    }
    for (std::size_t i = 0; i < graph_.order.size(); ++i) {
      for (const std::uint32_t effect : effects[graph_.order[i]]) {
        if (--open[effect] == 0) graph_.order.push_back(effect);
      }
    }
    if (graph_.order.size() == nodes.size()) return true;
    report_circle(open);
    return false;
  }

  // Goes back from a step that never begins until one comes again.
  void report_circle(const std::vector<std::uint32_t>& open) {
    std::vector<bool> seen(open.size(), false);
    auto at = static_cast<std::uint32_t>(
        std::ranges::find_if(open, [](std::uint32_t count) { return count > 0; }) - open.begin());
    while (!seen[at]) {
      seen[at] = true;
      for (const std::uint32_t cause : causes(graph_.nodes[at])) {
        if (open[cause] > 0) at = cause;
      }
    }
    std::uint32_t next = at;
    for (const std::uint32_t cause : causes(graph_.nodes[at])) {
      if (open[cause] > 0) next = cause;
    }
    const std::size_t left = open.size() - graph_.order.size();
    report(*graph_.nodes[at].step,
           fmt::format("{} steps wait for each other: this one of rank {} for that of line {} of "
                       "rank {}",
                       left, graph_.nodes[at].rank, graph_.nodes[next].step->place.line,
                       graph_.nodes[next].rank),
           "an order in which every step can be done");
  }

  const Program& program_;
  const Memory& memory_;
  sim::Diagnostics& diagnostics_;
  Graph graph_;
  std::map<Connection, Messages> messages_;
  bool too_large_ = false;
};

}  // namespace

std::optional<Graph> graph_of(const Program& program, const Memory& memory,
                              sim::Diagnostics& diagnostics) {
  return Builder(program, memory, diagnostics).run();
}

}  // namespace collectives::msccl
