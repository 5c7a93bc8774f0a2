// SPDX-License-Identifier: GPL-2.0-only
// RankProgram: what one rank does. A rank's memory is an array of blocks; ops move or merge blocks.
//  send    reads `blocks` here and lands them at `peer`: written to the blocks starting at `target`
//          (same shape) or, with kLand, kept aside in arrival slot `slot` until the peer reduces
//          it. Either way its arrival completes slot `slot` of the peer.
//  reduce  merges the payload landed in arrival `slot` into `blocks`.
//  copy    copies the blocks starting at `target` (same shape) onto `blocks`.
//  take    writes the payload landed in arrival `slot` to `blocks`.
//  reduce_into  merges the payload landed in arrival `slot` with the blocks starting at `target`
//  and
//          writes the result to `blocks`; what is at `target` stays.
//  reduce_own   merges the blocks starting at `target` into `blocks`.
//  in_switch  offers `blocks` to the switch between the ranks, which merges what the ops of one
//  number
//          (`target`) of all ranks offer and sends the result back into `blocks` of each. `peer` is
//          the next rank: the op's transfer stands for what goes up from here and down to there.
//  compute is busy for a time; of one stream of a rank, one at a time. Touches no block.
// A send is the edge between two programs: (peer, slot) is unique, no tags, no matching. Each op
// waits for earlier ops of its own rank and for arrivals. Zero-byte sends are not ops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/units.h"
#include "sim/schedule/collective.h"

namespace sim {

// A strided set of blocks: `repeats` runs of `run` blocks, run starts `stride` apart.
struct Blocks {
  std::uint32_t first = 0;
  std::uint32_t run = 1;
  std::uint32_t stride = 1;
  std::uint32_t repeats = 1;

  auto operator<=>(const Blocks&) const = default;
  [[nodiscard]] std::uint32_t size() const { return run * repeats; }
  [[nodiscard]] Blocks moved_to(std::uint32_t start) const { return {start, run, stride, repeats}; }
  // Calls visit(block) in order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t r = 0; r < repeats; ++r) {
      for (std::uint32_t i = 0; i < run; ++i) visit(first + r * stride + i);
    }
  }
};

enum class OpKind : std::uint8_t {
  kSend,
  kReduce,
  kCopy,
  kTake,
  kReduceInto,
  kReduceOwn,
  kInSwitch,
  kCompute,
};
[[nodiscard]] std::string_view name_of(OpKind kind);

struct Op {
  Blocks blocks;
  std::uint32_t target = 0;
  Rank peer = 0;
  std::uint32_t slot = 0;
  std::uint32_t first_wait = 0;  // into RankProgram::waits
  std::uint16_t wait_count = 0;
  OpKind kind = OpKind::kSend;
  bool land = false;  // send: keep aside for the peer's reduce or take

  [[nodiscard]] static Op compute(Time duration, std::uint32_t stream);
  [[nodiscard]] Time duration() const;                         // of a compute
  [[nodiscard]] std::uint32_t stream() const { return slot; }  // of a compute
  [[nodiscard]] bool transfers() const {
    return kind == OpKind::kSend || kind == OpKind::kInSwitch;
  }
  [[nodiscard]] bool uses_landed() const {
    return kind == OpKind::kReduce || kind == OpKind::kTake || kind == OpKind::kReduceInto;
  }
  [[nodiscard]] bool reduces() const {
    return kind == OpKind::kReduce || kind == OpKind::kReduceInto || kind == OpKind::kReduceOwn;
  }
};
static_assert(sizeof(Op) == 36);

// What an op waits for: an earlier op of this rank, or an arrival slot (top bit set).
struct Wait {
  static constexpr std::uint32_t kArrival = 0x8000'0000U;
  std::uint32_t what = 0;

  static Wait op(std::uint32_t op) { return {op}; }
  static Wait arrival(std::uint32_t slot) { return {slot | kArrival}; }
  [[nodiscard]] bool is_arrival() const { return (what & kArrival) != 0; }
  [[nodiscard]] std::uint32_t index() const { return what & ~kArrival; }
};

struct RankProgram {
  std::vector<Op> ops;  // in issue order
  std::vector<Wait> waits;
  std::uint32_t slots = 0;  // arrival slots are 0 .. slots-1; some may stay unused

  [[nodiscard]] std::span<const Wait> waits_of(const Op& op) const {
    return {waits.data() + op.first_wait, op.wait_count};
  }
};

// Sizes of the blocks: block b of a rank's memory holds `bytes_of(b)`, the same at every rank.
// Parts of a tensor that does not divide evenly differ by at most one byte.
class BlockSizes {
 public:
  // `regions` tensors, laid one after another, each of `total` bytes in `parts` blocks.
  BlockSizes(Bytes total, std::uint32_t parts, std::uint32_t regions);
  // Blocks of any sizes, of which the first `parts` are the parts of the tensor.
  BlockSizes(const std::vector<std::int64_t>& sizes, std::uint32_t parts);

  [[nodiscard]] std::uint32_t blocks() const {
    return prefixes_ ? static_cast<std::uint32_t>(prefixes_->size() - 1) : parts_ * regions_;
  }
  [[nodiscard]] std::uint32_t parts() const { return parts_; }
  [[nodiscard]] Bytes total() const { return total_; }
  [[nodiscard]] Bytes bytes_of(const Blocks& blocks) const;

 private:
  [[nodiscard]] Bytes prefix(std::uint32_t block) const;  // bytes of the blocks before this one

  Bytes total_;
  std::uint32_t parts_;
  std::uint32_t regions_;
  // Of blocks of any sizes: bytes before each block, and of all.
  std::shared_ptr<const std::vector<std::int64_t>> prefixes_;
};

}  // namespace sim
