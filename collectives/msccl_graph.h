// SPDX-License-Identifier: GPL-2.0-only
// The steps of an MSCCL program as one graph over all ranks: which message is which, what waits for
// what, where chunks lie in a rank's blocks, and which arrivals may be written where they belong
// without being kept aside first.
//
// A threadblock does its steps one after another; a send counts as done for the sends behind it as
// soon as it begins (they follow each other through one queue), for everything else when it has
// arrived.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/msccl.h"

namespace collectives::msccl {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

[[nodiscard]] constexpr bool sends(Action action) {
  return action == Action::kSend || action == Action::kSendAside;
}
[[nodiscard]] constexpr bool receives(Action action) {
  return action == Action::kReceive || action == Action::kReduce || action == Action::kReduceAside;
}

// Blocks of a rank: [0, parts) the tensor (input, and output where they are one), then the output
// apart, scratch, and what rrs keeps.
class Memory {
 public:
  explicit Memory(const Program& program);

  [[nodiscard]] std::uint32_t block(sim::Rank rank, const Chunks& chunks) const;
  // Chunks that a buffer of the rank has.
  [[nodiscard]] std::uint32_t size(sim::Rank rank, Buffer buffer) const;
  [[nodiscard]] std::uint32_t first_aside() const { return first_scratch_ + most_scratch_; }
  [[nodiscard]] std::uint32_t result() const { return output_; }  // block of part 0 of it

 private:
  const Program& program_;
  std::uint32_t each_ = 1;  // chunks of one rank's share
  std::uint32_t output_ = 0;
  std::uint32_t first_scratch_ = 0;
  std::uint32_t most_scratch_ = 0;
};

struct Node {
  sim::Rank rank = 0;
  const Step* step = nullptr;
  std::uint32_t before = kNone;   // in its threadblock
  std::uint32_t after = kNone;    // of another threadblock of the rank: waits for it
  std::uint32_t partner = kNone;  // the other end of its message
  std::uint32_t aside = kNone;    // rrs: the block it keeps
  bool direct = false;            // receives: written where it belongs
};

struct Graph {
  std::vector<Node> nodes;           // rank after rank, in the order of Gpu::steps
  std::vector<std::uint32_t> order;  // all of them, each after what it waits for
  std::uint32_t blocks = 0;          // that a rank needs
};

// Empty after a fault was reported. `program` must outlive it.
[[nodiscard]] std::optional<Graph> graph_of(const Program& program, const Memory& memory,
                                            sim::Diagnostics& diagnostics);

// Sets `direct`. False: too many steps to find out.
[[nodiscard]] bool find_direct(const Memory& memory, Graph& graph);

}  // namespace collectives::msccl
