// SPDX-License-Identifier: GPL-2.0-only
// From the graph of an MSCCL program to a Schedule. Every wait is one that the file states: what is
// missing there is missing here, and `verify` finds it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/msccl_graph.h"
#include "sim/base/check.h"
#include "sim/schedule/verify.h"

namespace collectives::msccl {
namespace {

constexpr std::uint64_t kSeeds = 3;  // of the proof

class Planning {
 public:
  Planning(const Program& program, const Memory& memory, const Graph& graph)
      : program_(program),
        memory_(memory),
        graph_(graph),
        programs_(program.gpus.size()),
        places_(program.gpus.size()),
        op_of_(graph.nodes.size(), kNone),
        slot_of_(graph.nodes.size(), kNone),
        seen_(graph.nodes.size(), 0) {}

  void run() {
    for (const std::uint32_t number : graph_.order) {
      const Node& node = graph_.nodes[number];
      if (receives(node.step->action)) slot_of_[number] = programs_[node.rank].slots++;
    }
    for (const std::uint32_t number : graph_.order) add(number);
  }

  std::vector<sim::RankProgram> programs() && { return std::move(programs_); }
  // Where each op comes from, rank after rank.
  [[nodiscard]] std::vector<sim::Position> places() const {
    std::vector<sim::Position> all;
    for (const auto& list : places_) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

 private:
  static bool light(const Node& node) {
    return sends(node.step->action) || node.step->action == Action::kNothing;
  }

  [[nodiscard]] std::uint32_t block(const Node& node, const Chunks& chunks) const {
    return memory_.block(node.rank, chunks);
  }

  // Empty: the step does nothing to the data here.
  std::optional<sim::Op> op_of(std::uint32_t number) const {
    const Node& node = graph_.nodes[number];
    const Step& step = *node.step;
    sim::Op op;
    const auto onto = [&](sim::OpKind kind, std::uint32_t first, std::uint32_t target) {
      op.kind = kind;
      op.blocks = {first, step.count, step.count, 1};
      op.target = target;
      op.slot = receives(step.action) ? slot_of_[number] : 0;
      return std::optional(op);
    };
    switch (step.action) {
      case Action::kNothing:
        return std::nullopt;
      case Action::kSend:
        return send_of(node, block(node, step.from));
      case Action::kSendAside:
        return send_of(node, node.aside);
      case Action::kReceive:
        if (node.direct) return std::nullopt;
        return onto(sim::OpKind::kTake, block(node, step.to), 0);
      case Action::kReduce: {
        const std::uint32_t from = block(node, step.from);
        const std::uint32_t to = block(node, step.to);
        return onto(from == to ? sim::OpKind::kReduce : sim::OpKind::kReduceInto, to, from);
      }
      case Action::kReduceAside:
        return onto(sim::OpKind::kReduceInto, node.aside, block(node, step.from));
      case Action::kCopy:
        if (block(node, step.from) == block(node, step.to)) return std::nullopt;
        return onto(sim::OpKind::kCopy, block(node, step.to), block(node, step.from));
      case Action::kReduceOwn:
        return onto(sim::OpKind::kReduceOwn, block(node, step.to), block(node, step.from));
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<sim::Op> send_of(const Node& node, std::uint32_t first) const {
    const Node& to = graph_.nodes[node.partner];
    sim::Op op;
    op.blocks = {first, node.step->count, node.step->count, 1};
    op.peer = to.rank;
    op.slot = slot_of_[node.partner];
    op.land = !to.direct;
    if (to.direct) op.target = block(to, to.step->to);
    return op;
  }

  void add(std::uint32_t number) {
    std::optional<sim::Op> op = op_of(number);
    if (!op) return;
    const Node& node = graph_.nodes[number];
    sim::RankProgram& program = programs_[node.rank];
    gather_waits(number);
    op->first_wait = static_cast<std::uint32_t>(program.waits.size());
    CHECK(waits_.size() <= std::numeric_limits<std::uint16_t>::max());
    op->wait_count = static_cast<std::uint16_t>(waits_.size());
    for (const std::uint32_t what : waits_) program.waits.push_back(sim::Wait{what});
    op_of_[number] = static_cast<std::uint32_t>(program.ops.size());
    program.ops.push_back(*op);
    places_[node.rank].push_back(node.step->place);
  }

  // What the step waits for before it begins, sorted, into waits_.
  void gather_waits(std::uint32_t number) {
    const Node& node = graph_.nodes[number];
    waits_.clear();
    ++stamp_;
    if (receives(node.step->action)) {
      waits_.push_back(sim::Wait::arrival(slot_of_[number]).what);
    }
    add_complete(node.after);
    std::uint32_t before = node.before;
    while (light(node) && before != kNone && light(graph_.nodes[before])) {
      add_complete(graph_.nodes[before].after);
      before = graph_.nodes[before].before;
    }
    add_complete(before);
    std::ranges::sort(waits_);
    waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
  }

  // The step and all of its threadblock before it are over.
  void add_complete(std::uint32_t start) {
    stack_.push_back(start);
    while (!stack_.empty()) {
      const std::uint32_t number = stack_.back();
      stack_.pop_back();
      if (number == kNone || seen_[number] == stamp_) continue;
      seen_[number] = stamp_;
      const Node& node = graph_.nodes[number];
      const bool has_op = op_of_[number] != kNone;
      if (has_op) waits_.push_back(sim::Wait::op(op_of_[number]).what);
      if (has_op && !sends(node.step->action)) continue;  // it waited for the others itself
      if (node.direct) waits_.push_back(sim::Wait::arrival(slot_of_[number]).what);
      if (!has_op) stack_.push_back(node.after);
      stack_.push_back(node.before);
    }
  }

  const Program& program_;
  const Memory& memory_;
  const Graph& graph_;
  std::vector<sim::RankProgram> programs_;
  std::vector<std::vector<sim::Position>> places_;  // by rank and op
  std::vector<std::uint32_t> op_of_;                // by node: its op; kNone: none
  std::vector<std::uint32_t> slot_of_;              // by node: the arrival it takes
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
};

class File final : public Given {
 public:
  File(std::string name, Program program)
      : name_(std::move(name)), program_(std::move(program)), memory_(program_) {}

  // False after a fault was reported.
  bool prepare(sim::Diagnostics& diagnostics) {
    if (!shares_divide(diagnostics)) return false;
    std::optional<Graph> graph = graph_of(program_, memory_, diagnostics);
    if (!graph) return false;
    graph_ = *std::move(graph);
    if (!find_direct(memory_, graph_)) {
      diagnostics.add(
          {program_.ranks_place, "too many steps to be put in order", "a smaller program", ""});
      return false;
    }
    return prove(diagnostics);
  }

  [[nodiscard]] std::optional<std::string> obstacle(const Job& job) const override {
    if (job.collective != program_.collective) {
      return fmt::format("it is an {} ({})", sim::name_of(program_.collective),
                         place(program_.collective_place));
    }
    if (job.ranks != program_.gpus.size()) {
      return fmt::format("it is for {} ranks ({})", program_.gpus.size(),
                         place(program_.ranks_place));
    }
    if (job.root != 0) return "MSCCL knows no root but rank 0";
    const std::int64_t bytes = job.bytes.value;
    if (bytes < program_.least_bytes.value_or(bytes) ||
        bytes > program_.most_bytes.value_or(bytes)) {
      return fmt::format("it is for {} to {} bytes ({})", program_.least_bytes.value_or(0),
                         program_.most_bytes ? fmt::format("{}", *program_.most_bytes) : "any",
                         place(program_.sizes_place));
    }
    return std::nullopt;
  }

  [[nodiscard]] sim::Schedule plan(const Job& job) const override {
    CHECK(!obstacle(job));
    Planning planning(program_, memory_, graph_);
    planning.run();
    return sim::Schedule(layout(job.bytes), name_, std::move(planning).programs());
  }

  [[nodiscard]] std::int64_t ops() const override { return ops_; }

 private:
  [[nodiscard]] std::string place(sim::Position position) const {
    return fmt::format("{}:{}:{}", name_, position.line, position.column);
  }

  // All parts of equal size, as scratch may hold any of them.
  [[nodiscard]] sim::Layout layout(sim::Bytes bytes) const {
    const std::int64_t parts = program_.chunks;
    const sim::Bytes padded((bytes.value + parts - 1) / parts * parts);
    const std::uint32_t regions = (graph_.blocks + program_.chunks - 1) / program_.chunks;
    return {.collective = program_.collective,
            .ranks = static_cast<sim::Rank>(program_.gpus.size()),
            .sizes = sim::BlockSizes(padded, program_.chunks, std::max(regions, 1U)),
            .result_block = memory_.result()};
  }

  bool shares_divide(sim::Diagnostics& diagnostics) const {
    const sim::Collective kind = program_.collective;
    const bool shared = kind == sim::Collective::kAllGather ||
                        kind == sim::Collective::kReduceScatter ||
                        kind == sim::Collective::kAllToAll;
    if (!shared || program_.chunks % program_.gpus.size() == 0) return true;
    diagnostics.add({program_.ranks_place,
                     fmt::format("{} chunks for {} ranks of an {}", program_.chunks,
                                 program_.gpus.size(), sim::name_of(kind)),
                     "a multiple of the ranks as nchunksperloop", ""});
    return false;
  }

  bool prove(sim::Diagnostics& diagnostics) {
    Planning planning(program_, memory_, graph_);
    planning.run();
    const std::vector<sim::Position> places = planning.places();
    const sim::Schedule schedule(layout(sim::Bytes(program_.chunks)), name_,
                                 std::move(planning).programs());
    ops_ = schedule.ops();
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const std::optional<sim::Fault> fault = sim::find_fault(schedule, seed);
      if (!fault) continue;
      diagnostics.add({fault->op ? places[*fault->op] : program_.collective_place,
                       "it does not compute what it says: " + fault->what,
                       fmt::format("a right {}", sim::name_of(program_.collective)),
                       "is a depid missing? block 0 is the first chunk of the input"});
      return false;
    }
    return true;
  }

  std::string name_;
  Program program_;
  Memory memory_;
  Graph graph_;
  std::int64_t ops_ = 0;
};

}  // namespace

std::shared_ptr<const Given> read(const std::string& file, const std::string& text,
                                  sim::Diagnostics& diagnostics) {
  std::optional<Program> program = parse(text, diagnostics);
  if (!program) return nullptr;
  auto read = std::make_shared<File>(file, *std::move(program));
  return read->prepare(diagnostics) ? read : nullptr;
}

}  // namespace collectives::msccl
