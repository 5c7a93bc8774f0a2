// SPDX-License-Identifier: GPL-2.0-only
// Planner: writes one rank's program. An algorithm says what is sent, what arrives and what is merged, in
// order; the Planner works out what each op has to wait for, from which op or arrival last wrote or
// still reads each block. So an algorithm cannot forget a dependency, and reads like its textbook.
// Slots are numbered by the algorithm, the same way at both ends of a send.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule/program.h"

namespace sim {

class Planner {
 public:
  Planner(Rank rank, const BlockSizes& sizes);

  [[nodiscard]] Rank rank() const { return rank_; }

  // This rank sends `blocks` to `peer`, written to its blocks from `target` on. Nothing if zero bytes.
  void send(Rank peer, const Blocks& blocks, std::uint32_t target, std::uint32_t slot);
  // The same, kept aside in the peer's slot until it reduces it.
  void send_to_reduce(Rank peer, const Blocks& blocks, std::uint32_t slot);
  // The arrival in `slot` writes `blocks` here. Nothing if zero bytes.
  void receive(const Blocks& blocks, std::uint32_t slot);
  // The arrival in `slot` is merged into `blocks` here. Nothing if zero bytes.
  void receive_and_reduce(const Blocks& blocks, std::uint32_t slot);
  // Copies the blocks from `source` on (same shape) onto `blocks`.
  void copy(const Blocks& blocks, std::uint32_t source);

  [[nodiscard]] RankProgram take(std::uint32_t slots) &&;

 private:
  void add(Op op, const Blocks& reads, const Blocks* writes);
  void wait_for_writers(const Blocks& blocks);

  Rank rank_;
  const BlockSizes& sizes_;
  RankProgram program_;
  std::vector<Wait> writer_;          // by block: who wrote it last; kNobody at the start
  std::vector<std::uint32_t> scratch_;
};

}  // namespace sim
