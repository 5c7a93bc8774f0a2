// SPDX-License-Identifier: GPL-2.0-only
// Schedule: the rank programs of a group, sealed. Ops are numbered over all ranks; the number of a
// send is the id of its transfer. Knows no chips. Sealing CHECKs that every wait points back, every
// peer exists, no rank sends to itself and no two sends share an arrival slot. Several groups may
// run the same collective at once: then rank g * layout().ranks + r is rank r of group g.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/schedule/collective.h"
#include "sim/schedule/program.h"
#include "sim/schedule/traffic.h"

namespace sim {

using OpId = std::uint32_t;

// Where the data of a collective lies in the blocks of a rank. With n ranks, part p of a tensor of
// `parts` parts belongs to rank p * n / parts (parts is a multiple of n; for all-reduce, any
// number).
//  all-reduce       in place: blocks [0, parts)
//  all-gather       in place: rank r starts with its own parts, ends with all
//  reduce-scatter   in place: ends with its own parts, reduced; the others hold anything
//  all-to-all       send buffer [0, parts), part p goes to its owner; receive buffer at [parts, 2
//  parts),
//                   where part p came from rank p * n / parts; further regions are scratch
//  broadcast, reduce  in place: blocks [0, parts), any number; all at the root before or after
//  gather, scatter  in place: the root ends or starts with all, every rank starts or ends with its
//                   own parts
//  barrier          one block: a signal that ends as the sum of all ranks' signals
//  all-to-all-v     as traffic.h lays its blocks
//  send-recv, permute  send buffer [0, parts), receive buffer [parts, 2 parts)
// A schedule that comes from a file may start and end elsewhere: part p at first_block + p before,
// and at result_block + p after.
struct Layout {
  Collective collective = Collective::kAllReduce;
  Rank ranks = 1;
  BlockSizes sizes;
  Rank root = 0;                   // of the kinds with a root
  std::vector<Rank> targets = {};  // of the kinds with pairs: by rank, whom it sends to, or kNoRank
  std::uint32_t first_block = 0;
  std::optional<std::uint32_t> result_block = {};  // none: as the kind says
  std::shared_ptr<const Traffic> traffic = {};     // of all-to-all-v
  bool merged_in_network = false;                  // by ops in the switch
};

class Schedule {
 public:
  // `layout` is that of one group.
  Schedule(Layout layout, std::string algorithm, std::vector<RankProgram> programs);

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }
  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(programs_.size()); }  // of all groups
  [[nodiscard]] Rank groups() const { return ranks() / layout_.ranks; }
  [[nodiscard]] OpId ops() const { return first_op_.back(); }

  [[nodiscard]] const RankProgram& program(Rank rank) const { return programs_[rank]; }
  [[nodiscard]] OpId first_op(Rank rank) const { return first_op_[rank]; }
  [[nodiscard]] Rank rank_of(OpId op) const;
  [[nodiscard]] const Op& op(OpId id) const;
  [[nodiscard]] Bytes bytes(const Op& op) const { return layout_.sizes.bytes_of(op.blocks); }
  [[nodiscard]] std::uint64_t sends() const { return sends_; }
  [[nodiscard]] Bytes bytes_sent(Rank rank) const;

 private:
  Layout layout_;
  std::string algorithm_;
  std::vector<RankProgram> programs_;
  std::vector<OpId> first_op_;  // one more than ranks
  std::uint64_t sends_ = 0;
};

// What `schedule`, of one group, says, by so many groups at once.
[[nodiscard]] Schedule side_by_side(const Schedule& schedule, Rank groups);

}  // namespace sim
