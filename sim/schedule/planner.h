// SPDX-License-Identifier: GPL-2.0-only
// Planner: writes one rank's program. An algorithm says what is sent, what arrives and what is
// merged, in order; the Planner works out what each op has to wait for, from which op or arrival
// last wrote or still reads each block. So an algorithm cannot forget a dependency, and reads like
// its textbook. Slots are numbered by the algorithm, the same way at both ends of a send.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule/program.h"

namespace sim {

class Planner {
 public:
  Planner(Rank rank, const BlockSizes& sizes);

  [[nodiscard]] Rank rank() const { return rank_; }

  // This rank sends `blocks` to `peer`, written to its blocks from `target` on. Nothing if zero
  // bytes.
  void send(Rank peer, const Blocks& blocks, std::uint32_t target, std::uint32_t slot);
  // The same, kept aside in the peer's slot until it reduces it.
  void send_to_reduce(Rank peer, const Blocks& blocks, std::uint32_t slot);
  // The arrival in `slot` writes `blocks` here. Nothing if zero bytes.
  void receive(const Blocks& blocks, std::uint32_t slot);
  // The arrival in `slot` is merged into `blocks` here. Nothing if zero bytes.
  void receive_and_reduce(const Blocks& blocks, std::uint32_t slot);
  // Copies the blocks from `source` on (same shape) onto `blocks`.
  void copy(const Blocks& blocks, std::uint32_t source);

  // Offers `blocks` to the switch for its reduction `number`, and takes the result into them.
  // `next` is the rank after this one in the group.
  void reduce_in_switch(Rank next, const Blocks& blocks, std::uint32_t number);

  // The op written next also waits for the last send before it, if any: one send at a time.
  void after_last_send();
  // The op written next also waits for the end of op `number` of this rank (a window of sends).
  void after(std::uint32_t number) { waits_.push_back(Wait::op(number).what); }
  [[nodiscard]] std::uint32_t ops() const { return next_op(); }  // written so far

  [[nodiscard]] RankProgram take(std::uint32_t slots) &&;

 private:
  // Readers of a block since it was last written: a list through `readers_`.
  struct Reader {
    std::uint32_t op;
    std::uint32_t next;
  };

  void add_send(Rank peer, const Blocks& blocks, Op op);
  void add(Op op);  // takes the waits gathered in waits_
  void wait_for_writers(const Blocks& blocks);
  void wait_for_readers(const Blocks& blocks);
  void note_read(const Blocks& blocks);  // by the op added next
  void note_write(const Blocks& blocks, Wait writer);
  [[nodiscard]] bool empty(const Blocks& blocks) const;
  [[nodiscard]] std::uint32_t next_op() const;

  Rank rank_;
  const BlockSizes& sizes_;
  RankProgram program_;
  std::vector<std::uint32_t>
      writer_;  // by block: Wait::what of who wrote it last; kNobody at first
  std::vector<std::uint32_t> reader_;  // by block: head of its list in readers_; kNobody: none
  std::vector<Reader> readers_;
  std::vector<std::uint32_t> waits_;  // of the op being written
  std::uint32_t last_send_;           // kNobody at first
};

}  // namespace sim
