// SPDX-License-Identifier: GPL-2.0-only
// From a GOAL program to a Schedule of sends and computes. A receive is a compute that takes no
// time and waits for its arrival.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "collectives/goal.h"
#include "sim/base/check.h"

namespace collectives::goal {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kPicosecondsPerNanosecond = 1'000;

// Bytes on the wire: an empty message still is one.
std::int64_t wire_bytes(const Op& op) { return std::max<std::int64_t>(op.amount, 1); }

// The ops of all ranks by one number.
struct Graph {
  std::vector<const Op*> ops;
  std::vector<sim::Rank> rank;
  std::vector<std::uint32_t> first;               // by rank
  std::vector<std::uint32_t> partner;             // of messages
  std::vector<std::vector<std::uint32_t>> needs;  // what has to have ended before each begins
  std::vector<std::uint32_t> order;               // each after what it waits for
};

class Builder {
 public:
  Builder(const Program& program, sim::Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics) {}

  std::optional<Graph> run() {
    for (sim::Rank rank = 0; rank < program_.ranks.size(); ++rank) {
      graph_.first.push_back(static_cast<std::uint32_t>(graph_.ops.size()));
      for (const Op& op : program_.ranks[rank]) {
        graph_.ops.push_back(&op);
        graph_.rank.push_back(rank);
      }
    }
    const std::size_t before = diagnostics_.count();
    match();
    graph_.needs.resize(graph_.ops.size());
    for (std::uint32_t op = 0; op < graph_.ops.size(); ++op) gather_needs(op);
    if (diagnostics_.count() > before || !sort()) return std::nullopt;
    return std::move(graph_);
  }

 private:
  using Channel = std::tuple<sim::Rank, sim::Rank, std::int64_t>;  // from, to, tag
  struct Messages {
    std::vector<std::uint32_t> sent;
    std::vector<std::uint32_t> received;
  };

  void report(std::uint32_t op, std::string what, std::string expected) {
    diagnostics_.add({graph_.ops[op]->place, std::move(what), std::move(expected), ""});
  }

  void match() {
    std::map<Channel, Messages> channels;
    for (std::uint32_t number = 0; number < graph_.ops.size(); ++number) {
      const Op& op = *graph_.ops[number];
      const sim::Rank rank = graph_.rank[number];
      if (op.kind == Kind::kSend) channels[{rank, op.peer, op.tag}].sent.push_back(number);
      if (op.kind == Kind::kReceive) channels[{op.peer, rank, op.tag}].received.push_back(number);
    }
    graph_.partner.assign(graph_.ops.size(), kNone);
    for (const auto& [channel, both] : channels) {
      const std::size_t common = std::min(both.sent.size(), both.received.size());
      for (std::size_t i = 0; i < common; ++i) pair(both.sent[i], both.received[i]);
      const auto& [from, to, tag] = channel;
      for (std::size_t i = common; i < both.sent.size(); ++i) {
        report(both.sent[i], fmt::format("rank {} never receives this message of tag {}", to, tag),
               fmt::format("recv ... from {} tag {} in rank {}", from, tag, to));
      }
      for (std::size_t i = common; i < both.received.size(); ++i) {
        report(both.received[i],
               fmt::format("rank {} never sends this message of tag {}", from, tag),
               fmt::format("send ... to {} tag {} in rank {}", to, tag, from));
      }
    }
  }

  void pair(std::uint32_t send, std::uint32_t receive) {
    graph_.partner[send] = receive;
    graph_.partner[receive] = send;
    const Op& from = *graph_.ops[send];
    const Op& to = *graph_.ops[receive];
    if (from.amount == to.amount) return;
    report(receive,
           fmt::format("it takes {} of a message of {} bytes from line {}", to.amount, from.amount,
                       from.place.line),
           "as many as are sent");
  }

  template <class Visit>
  void for_each_cause(std::uint32_t number, Visit visit) const {
    for (const std::uint32_t need : graph_.needs[number]) visit(need);
    if (graph_.ops[number]->kind == Kind::kReceive) visit(graph_.partner[number]);
  }

  // An op that has begun has had all it needs, so whoever only waits for its beginning needs the
  // same. A receive has begun once it is posted, before its message comes.
  void gather_needs(std::uint32_t number) {
    const std::uint32_t first = graph_.first[graph_.rank[number]];
    std::vector<std::uint32_t>& needs = graph_.needs[number];
    std::vector<std::uint32_t> begun{number};
    for (std::size_t i = 0; i < begun.size(); ++i) {
      for (const Need& need : graph_.ops[begun[i]]->needs) {
        const std::uint32_t other = first + need.op;
        if (!need.begun) {
          needs.push_back(other);
        } else if (other == number) {
          return report(number, "deadlock: it would have to begin before itself",
                        "no ring of irequires");
        } else if (std::ranges::find(begun, other) == begun.end()) {
          begun.push_back(other);
        }
      }
    }
    std::ranges::sort(needs);
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  }

  bool sort() {
    const auto count = static_cast<std::uint32_t>(graph_.ops.size());
    std::vector<std::uint32_t> open(count, 0);
    std::vector<std::vector<std::uint32_t>> effects(count);
    for (std::uint32_t op = 0; op < count; ++op) {
      for_each_cause(op, [&](std::uint32_t cause) {
        effects[cause].push_back(op);
        ++open[op];
      });
    }
    for (std::uint32_t op = 0; op < count; ++op) {
      if (open[op] == 0) graph_.order.push_back(op);
    }
    for (std::size_t i = 0; i < graph_.order.size(); ++i) {
      for (const std::uint32_t effect : effects[graph_.order[i]]) {
        if (--open[effect] == 0) graph_.order.push_back(effect);
      }
    }
    if (graph_.order.size() < count) report_circle(open);
    return graph_.order.size() == count;
  }

  [[nodiscard]] std::uint32_t open_cause(std::uint32_t op,
                                         const std::vector<std::uint32_t>& open) const {
    std::uint32_t found = op;
    for_each_cause(op, [&](std::uint32_t cause) {
      if (open[cause] > 0) found = cause;
    });
    return found;
  }

  void report_circle(const std::vector<std::uint32_t>& open) {
    std::vector<bool> seen(open.size(), false);
    auto at = static_cast<std::uint32_t>(
        std::ranges::find_if(open, [](std::uint32_t causes) { return causes > 0; }) - open.begin());
    while (!seen[at]) {
      seen[at] = true;
      at = open_cause(at, open);
    }
    std::string ring;
    std::uint32_t next = at;
    for (int i = 0; i < kMostShown; ++i) {
      next = open_cause(next, open);
      ring += fmt::format("{}line {} of rank {}", ring.empty() ? "" : ", which waits for ",
                          graph_.ops[next]->place.line, graph_.rank[next]);
      if (next == at) break;
    }
    report(at,
           fmt::format("deadlock: {} ops never begin; this one of rank {} waits for {}",
                       open.size() - graph_.order.size(), graph_.rank[at], ring),
           "an order in which every op can begin");
  }

  static constexpr int kMostShown = 8;

  const Program& program_;
  sim::Diagnostics& diagnostics_;
  Graph graph_;
};

class File final : public Given {
 public:
  File(std::string name, Program program) : name_(std::move(name)), program_(std::move(program)) {}

  bool prepare(sim::Diagnostics& diagnostics) {
    std::optional<Graph> graph = Builder(program_, diagnostics).run();
    if (!graph) return false;
    graph_ = *std::move(graph);
    return measure(diagnostics);
  }

  [[nodiscard]] std::optional<std::string> obstacle(const Job& job) const override {
    if (job.collective != sim::Collective::kProgram) return "it is a program (GOAL)";
    if (job.ranks == program_.ranks.size()) return std::nullopt;
    return fmt::format("it is for {} ranks ({}:{}:{})", program_.ranks.size(), name_,
                       program_.ranks_place.line, program_.ranks_place.column);
  }

  [[nodiscard]] sim::Schedule plan(const Job& job) const override {
    CHECK(!obstacle(job));
    std::vector<sim::RankProgram> programs(program_.ranks.size());
    std::vector<std::uint32_t> slot(graph_.ops.size(), 0);
    for (const std::uint32_t op : graph_.order) {
      if (graph_.ops[op]->kind == Kind::kReceive) slot[op] = programs[graph_.rank[op]].slots++;
    }
    std::vector<std::uint32_t> place(graph_.ops.size(), 0);  // in its rank's program
    for (const std::uint32_t op : graph_.order) add(op, slot, place, programs[graph_.rank[op]]);
    const sim::Layout layout{.collective = sim::Collective::kProgram,
                             .ranks = job.ranks,
                             .sizes = sim::BlockSizes(sim::Bytes(unit_ * most_), most_, 1)};
    return sim::Schedule(layout, name_, std::move(programs));
  }

  [[nodiscard]] std::int64_t ops() const override {
    return static_cast<std::int64_t>(graph_.ops.size());
  }
  [[nodiscard]] std::optional<sim::Bytes> bytes() const override { return sim::Bytes(bytes_); }

 private:
  // Sizes are counted in their greatest common divisor, so that a message fits 32 bits.
  bool measure(sim::Diagnostics& diagnostics) {
    if (graph_.ops.empty()) {
      diagnostics.add({program_.ranks_place, "no rank does anything", "at least one op", ""});
      return false;
    }
    std::int64_t largest = 0;
    const Op* largest_op = nullptr;
    for (const Op* op : graph_.ops) {
      if (op->kind != Kind::kSend) continue;
      unit_ = std::gcd(unit_, wire_bytes(*op));
      bytes_ += wire_bytes(*op);
      if (wire_bytes(*op) <= largest) continue;
      largest = wire_bytes(*op);
      largest_op = op;
    }
    unit_ = std::max<std::int64_t>(unit_, 1);
    if (largest / unit_ < std::int64_t{kNone}) {
      most_ = static_cast<std::uint32_t>(std::max<std::int64_t>(largest / unit_, 1));
      return true;
    }
    diagnostics.add(
        {largest_op->place, fmt::format("a message of {} bytes", largest),
         fmt::format("less than {} times the greatest common divisor of all, {}", kNone, unit_),
         ""});
    return false;
  }

  void add(std::uint32_t number, const std::vector<std::uint32_t>& slot,
           std::vector<std::uint32_t>& place, sim::RankProgram& program) const {
    const Op& op = *graph_.ops[number];
    sim::Op made = sim::Op::compute(sim::Time(0), op.cpu);
    if (op.kind == Kind::kCalc) {
      made = sim::Op::compute(sim::Time(op.amount * kPicosecondsPerNanosecond), op.cpu);
    } else if (op.kind == Kind::kSend) {
      made = {};
      made.blocks = {0, static_cast<std::uint32_t>(wire_bytes(op) / unit_), 1, 1};
      made.peer = op.peer;
      made.slot = slot[graph_.partner[number]];
      made.land = true;
    }
    made.first_wait = static_cast<std::uint32_t>(program.waits.size());
    std::vector<std::uint32_t> waits;
    for (const std::uint32_t need : graph_.needs[number]) {
      waits.push_back(sim::Wait::op(place[need]).what);
    }
    if (op.kind == Kind::kReceive) waits.push_back(sim::Wait::arrival(slot[number]).what);
    CHECK(waits.size() <= std::numeric_limits<std::uint16_t>::max());
    made.wait_count = static_cast<std::uint16_t>(waits.size());
    for (const std::uint32_t what : waits) program.waits.push_back(sim::Wait{what});
    place[number] = static_cast<std::uint32_t>(program.ops.size());
    program.ops.push_back(made);
  }

  std::string name_;
  Program program_;
  Graph graph_;
  std::int64_t unit_ = 0;
  std::uint32_t most_ = 1;  // of the units, in one message
  std::int64_t bytes_ = 0;  // of all messages
};

}  // namespace

std::shared_ptr<const Given> read(const std::string& file, const std::string& text,
                                  sim::Diagnostics& diagnostics) {
  std::optional<Program> program = parse(text, diagnostics);
  if (!program) return nullptr;
  auto read = std::make_shared<File>(file, *std::move(program));
  return read->prepare(diagnostics) ? read : nullptr;
}

}  // namespace collectives::goal
