// SPDX-License-Identifier: GPL-2.0-only
// A Schedule as MSCCL XML. Each rank gets a threadblock per peer that it sends to, one per peer
// that it hears from, and one for copies. Messages of a connection stand in the order of the
// sender's ops; what an op waits for beyond its threadblock becomes its depid, or a nop for each
// further one.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "collectives/msccl.h"
#include "sim/schedule/holdings.h"

namespace collectives::msccl {
namespace {

using sim::Op;
using sim::OpKind;
using sim::Rank;

// A threadblock of a rank, by whom it talks to: its own number is for copies.
struct Key {
  bool receives = false;
  Rank peer = 0;
  auto operator<=>(const Key&) const = default;
};

struct Entry {
  std::string_view type;
  std::vector<std::uint32_t> from;   // blocks read here; empty: none
  std::vector<std::uint32_t> to;     // blocks written here; empty: none
  std::vector<std::uint32_t> waits;  // Wait::what
  std::vector<bool> cuts = {};       // by chunk: the other end of the message begins a run there
};

struct Spot {
  std::size_t block = 0;  // threadblock of the rank
  std::size_t entry = 0;
};

// One chunk of a buffer, or a run of them.
struct Piece {
  std::string_view buffer = "i";
  std::uint32_t offset = 0;
};

struct Block {
  Key key;
  std::vector<Entry> entries;
  std::vector<std::vector<Spot>> needs;  // by entry, of other threadblocks: the last of each
  std::vector<std::size_t> last_step;    // by entry, as numbered in the file
  std::vector<bool> needed;              // by entry: another one waits for it
};

std::vector<std::uint32_t> listed(const sim::Blocks& blocks) {
  std::vector<std::uint32_t> list;
  blocks.for_each([&](std::uint32_t block) { list.push_back(block); });
  return list;
}

class Names {
 public:
  Names(const sim::Layout& layout, Rank rank) : rank_(rank) {
    kind_ = layout.collective;
    parts_ = layout.sizes.parts();
    each_ = parts_ / layout.ranks;
    input_ = layout.first_block;
    output_ = sim::first_result(layout);
  }

  [[nodiscard]] bool in_place() const { return input_ == output_; }
  [[nodiscard]] Piece of(std::uint32_t block) const {
    const bool gathers = kind_ == sim::Collective::kAllGather;
    if (block >= input_ && block < input_ + parts_ && !(gathers && in_place())) {
      return {"i", block - input_ - (gathers ? rank_ * each_ : 0)};
    }
    if (block >= output_ && block < output_ + parts_) {
      const bool own = kind_ == sim::Collective::kReduceScatter;
      return {"o", block - output_ - (own ? rank_ * each_ : 0)};
    }
    std::uint32_t before = std::min(input_, output_) < block ? parts_ : 0;
    if (!in_place() && std::max(input_, output_) < block) before += parts_;
    return {"s", block - before};
  }

 private:
  sim::Collective kind_;
  Rank rank_;
  std::uint32_t parts_ = 0;
  std::uint32_t each_ = 0;
  std::uint32_t input_ = 0;
  std::uint32_t output_ = 0;
};

class RankWriter {
 public:
  RankWriter(const sim::Schedule& schedule, Rank rank)
      : program_(schedule.program(rank)),
        names_(schedule.layout(), rank),
        rank_(rank),
        op_spot_(program_.ops.size()),
        slot_spot_(program_.slots) {}

  void add_ops() {
    for (std::size_t i = 0; i < program_.ops.size(); ++i) {
      const Op& op = program_.ops[i];
      if (op.uses_landed()) continue;  // stands where its message comes in
      Entry entry{"s", listed(op.blocks), {}, waits_of(op)};
      Key key{false, op.peer};
      if (op.kind != OpKind::kSend) {
        entry = {op.kind == OpKind::kCopy ? "cpy" : "re", listed(op.blocks.moved_to(op.target)),
                 listed(op.blocks), waits_of(op)};
        key = {false, rank_};
      }
      op_spot_[i] = put(key, std::move(entry));
    }
  }

  // The message of `send` from rank `from`.
  void add_arrival(Rank from, const Op& send) {
    Entry entry{"r", {}, listed(send.blocks.moved_to(send.target)), {}};
    std::size_t taker = program_.ops.size();
    if (send.land) {
      taker = static_cast<std::size_t>(std::ranges::find_if(program_.ops,
                                                            [&](const Op& op) {
                                                              return op.uses_landed() &&
                                                                     op.slot == send.slot;
                                                            }) -
                                       program_.ops.begin());
    }
    if (taker < program_.ops.size()) entry = taken(program_.ops[taker]);
    slot_spot_[send.slot] = put({true, from}, std::move(entry));
    if (taker < program_.ops.size()) op_spot_[taker] = slot_spot_[send.slot];
  }

  // By chunk of a message: a run begins there.
  [[nodiscard]] std::vector<bool> starts_of(const Spot& spot) const {
    std::vector<bool> starts;
    for (const Run& run : pieces_of(blocks_[spot.block].entries[spot.entry])) {
      starts.push_back(true);
      starts.insert(starts.end(), run.count - 1, false);
    }
    return starts;
  }
  void cut(const Spot& spot, std::vector<bool> starts) {
    blocks_[spot.block].entries[spot.entry].cuts = std::move(starts);
  }
  [[nodiscard]] const Spot& spot_of_op(std::size_t op) const { return op_spot_[op]; }
  [[nodiscard]] const Spot& spot_of_slot(std::uint32_t slot) const { return slot_spot_[slot]; }

  // Empty when done; else why the order cannot be told.
  std::optional<std::string> link() {
    for (Block& block : blocks_) {
      block.needs.resize(block.entries.size());
      block.needed.assign(block.entries.size(), false);
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t e = 0; e < blocks_[b].entries.size(); ++e) {
        if (!link({b, e})) return fmt::format("steps of rank {} would wait for later ones", rank_);
      }
    }
    for (Block& block : blocks_) number(block);
    return std::nullopt;
  }

  [[nodiscard]] std::string text(const sim::Layout& layout) const {
    const std::uint32_t parts = layout.sizes.parts();
    const std::uint32_t tensors = names_.in_place() ? parts : 2 * parts;
    const std::uint32_t each = parts / layout.ranks;
    const bool gathers = layout.collective == sim::Collective::kAllGather;
    const bool scatters = layout.collective == sim::Collective::kReduceScatter;
    std::string text = fmt::format(
        "  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank_,
        gathers ? each : parts, scatters ? each : parts, layout.sizes.blocks() - tensors);
    for (std::size_t b = 0; b < blocks_.size(); ++b) text += text_of(b);
    return text + "  </gpu>\n";
  }

 private:
  std::vector<std::uint32_t> waits_of(const Op& op) const {
    std::vector<std::uint32_t> waits;
    for (const sim::Wait wait : program_.waits_of(op)) {
      const bool own = op.uses_landed() && wait.is_arrival() && wait.index() == op.slot;
      if (!own) waits.push_back(wait.what);
    }
    return waits;
  }

  [[nodiscard]] Entry taken(const Op& op) const {
    const bool take = op.kind == OpKind::kTake;
    const bool into = op.kind == OpKind::kReduceInto;
    std::vector<std::uint32_t> from;
    if (!take) from = listed(into ? op.blocks.moved_to(op.target) : op.blocks);
    return {take ? "r" : "rrc", std::move(from), listed(op.blocks), waits_of(op)};
  }

  Spot put(const Key& key, Entry entry) {
    const auto [known, fresh] = block_of_.try_emplace(key, blocks_.size());
    if (fresh) blocks_.emplace_back().key = key;
    Block& block = blocks_[known->second];
    block.entries.push_back(std::move(entry));
    return {known->second, block.entries.size() - 1};
  }

  // False: it would wait for a later entry of its own threadblock.
  bool link(const Spot& at) {
    std::map<std::size_t, std::size_t> last;  // by threadblock
    for (const std::uint32_t what : blocks_[at.block].entries[at.entry].waits) {
      const sim::Wait wait{what};
      const Spot& spot = wait.is_arrival() ? slot_spot_[wait.index()] : op_spot_[wait.index()];
      if (spot.block == at.block && spot.entry >= at.entry) return false;
      if (spot.block == at.block) continue;
      auto& entry = last[spot.block];
      entry = std::max(entry, spot.entry);
    }
    for (const auto& [block, entry] : last) {
      blocks_[at.block].needs[at.entry].push_back({block, entry});
      blocks_[block].needed[entry] = true;
    }
    return true;
  }

  void number(Block& block) const {
    std::size_t step = 0;
    for (std::size_t e = 0; e < block.entries.size(); ++e) {
      step +=
          pieces_of(block.entries[e]).size() + std::max<std::size_t>(block.needs[e].size(), 1) - 1;
      block.last_step.push_back(step - 1);
    }
  }

  struct Run {
    Piece from;
    Piece to;
    std::uint32_t count = 0;
  };

  // The chunks of an entry as runs that follow each other at both ends.
  [[nodiscard]] std::vector<Run> pieces_of(const Entry& entry) const {
    std::vector<Run> runs;
    const std::size_t size = std::max(entry.from.size(), entry.to.size());
    for (std::size_t i = 0; i < size; ++i) {
      const Piece from = entry.from.empty() ? Piece{} : names_.of(entry.from[i]);
      const Piece to = entry.to.empty() ? Piece{} : names_.of(entry.to[i]);
      const auto follows = [](const Piece& piece, const Piece& start, std::uint32_t count) {
        return piece.buffer == start.buffer && piece.offset == start.offset + count;
      };
      const bool goes_on =
          !runs.empty() &&
          (entry.from.empty() || follows(from, runs.back().from, runs.back().count)) &&
          (entry.to.empty() || follows(to, runs.back().to, runs.back().count));
      if (goes_on) {
        ++runs.back().count;
      } else {
        runs.push_back({from, to, 1});
      }
    }
    return runs;
  }

  [[nodiscard]] std::string text_of(std::size_t number) const {
    const Block& block = blocks_[number];
    const bool local = block.key.peer == rank_;
    const auto peer = [&](bool receives) {
      return local || block.key.receives != receives ? std::string("-1")
                                                     : fmt::format("{}", block.key.peer);
    };
    std::string text = fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n",
                                   number, peer(false), peer(true));
    std::size_t step = 0;
    for (std::size_t e = 0; e < block.entries.size(); ++e) text += text_of(block, e, step);
    return text + "    </tb>\n";
  }

  [[nodiscard]] std::string text_of(const Block& block, std::size_t e, std::size_t& step) const {
    std::string text;
    std::vector<Spot> needs = block.needs[e];
    while (needs.size() > 1) {
      text += step_text(step++, "nop", {}, &needs.back(), false);
      needs.pop_back();
    }
    const std::vector<Run> runs = pieces_of(block.entries[e]);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool first = i == 0 && !needs.empty();
      const bool last = i + 1 == runs.size();
      text += step_text(step++, block.entries[e].type, runs[i], first ? &needs[0] : nullptr,
                        last && block.needed[e]);
    }
    return text;
  }

  [[nodiscard]] std::string step_text(std::size_t step, std::string_view type, const Run& run,
                                      const Spot* need, bool signals) const {
    std::string depends = "depid=\"-1\" deps=\"-1\"";
    if (need != nullptr) {
      depends = fmt::format("depid=\"{}\" deps=\"{}\"", need->block,
                            blocks_[need->block].last_step[need->entry]);
    }
    return fmt::format(
        "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
        "cnt=\"{}\" {} hasdep=\"{}\"/>\n",
        step, type, run.from.buffer, run.from.offset, run.to.buffer, run.to.offset, run.count,
        depends, signals ? 1 : 0);
  }

  const sim::RankProgram& program_;
  Names names_;
  Rank rank_;
  std::vector<Block> blocks_;
  std::map<Key, std::size_t> block_of_;
  std::vector<Spot> op_spot_;    // by op
  std::vector<Spot> slot_spot_;  // by arrival
};

std::optional<std::string> obstacle(const sim::Layout& layout) {
  if (layout.merged_in_network) return "MSCCL has no reduction in switches";
  if (coll_of(layout.collective).empty()) {
    return fmt::format("MSCCL has no {}", sim::name_of(layout.collective));
  }
  return layout.root == 0 ? std::nullopt
                          : std::optional<std::string>("MSCCL knows no root but rank 0");
}

// A message is cut in runs at both ends where either would cut it.
void cut_messages(const sim::Schedule& schedule, std::vector<RankWriter>& ranks) {
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    const std::vector<Op>& ops = schedule.program(rank).ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::kSend) continue;
      RankWriter& peer = ranks[ops[i].peer];
      const Spot& from = ranks[rank].spot_of_op(i);
      const Spot& to = peer.spot_of_slot(ops[i].slot);
      std::vector<bool> starts = ranks[rank].starts_of(from);
      peer.cut(to, starts);
      starts = peer.starts_of(to);
      ranks[rank].cut(from, starts);
      peer.cut(to, std::move(starts));
    }
  }
}

std::string head_of(const sim::Schedule& schedule) {
  const sim::Layout& layout = schedule.layout();
  const bool in_place = Names(layout, 0).in_place();
  return fmt::format(
      "<algo name=\"{}\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"{}\" "
      "coll=\"{}\" inplace=\"{}\" outofplace=\"{}\" minBytes=\"0\" maxBytes=\"1099511627776\">\n",
      schedule.algorithm(), layout.sizes.parts(), layout.ranks, coll_of(layout.collective),
      in_place ? 1 : 0, in_place ? 0 : 1);
}

}  // namespace

sim::Result<std::string> write(const sim::Schedule& schedule) {
  if (const auto why = obstacle(schedule.layout())) return sim::Failure{*why, ""};
  std::vector<RankWriter> ranks;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) ranks.emplace_back(schedule, rank);
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    ranks[rank].add_ops();
    for (const Op& op : schedule.program(rank).ops) {
      if (op.kind == OpKind::kSend) ranks[op.peer].add_arrival(rank, op);
    }
  }
  cut_messages(schedule, ranks);
  std::string text = head_of(schedule);
  for (RankWriter& rank : ranks) {
    if (const auto why = rank.link()) return sim::Failure{*why, ""};
    text += rank.text(schedule.layout());
  }
  text += "</algo>\n";
  sim::Diagnostics diagnostics("", "");
  if (read("", text, diagnostics) != nullptr) return text;
  return sim::Failure{"threadblocks cannot have its order: " + diagnostics.list().front().what, ""};
}

}  // namespace collectives::msccl
