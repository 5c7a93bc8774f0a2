// SPDX-License-Identifier: GPL-2.0-only
// Double binary tree (Sanders, Speck & Traeff 2009; NCCL): two trees of ceil(log2 n) levels, each
// for half of the bytes. Who is inside one tree is a leaf of the other (the mirrored tree, or for
// an odd number of members the shifted one), so that no member sends more than twice its bytes.
// Reduces up and sends the result down, in pipelined chunks.
#include <array>
#include <bit>

#include "collectives/flat.h"

namespace collectives {
namespace {

constexpr std::uint32_t kTrees = 2;
constexpr std::uint32_t kSlots = 3;  // from each child, and from the parent

// Seat 0 is the root; the lowest set bit of a seat says how high above the leaves it is.
struct Tree {
  sim::Rank size;

  [[nodiscard]] sim::Rank parent(sim::Rank seat) const {
    const sim::Rank bit = seat & (~seat + 1);
    const sim::Rank up = (seat ^ bit) | (bit << 1U);
    return up < size ? up : seat ^ bit;
  }
  // The children below and above in number; the seat itself: none.
  [[nodiscard]] std::array<sim::Rank, 2> children(sim::Rank seat) const {
    const sim::Rank half = seat == 0 ? std::bit_ceil(size) / 2 : (seat & (~seat + 1)) / 2;
    std::array<sim::Rank, 2> found = {seat, seat};
    if (seat != 0 && half > 0) found[0] = seat - half;
    sim::Rank step = half;
    while (step > 0 && seat + step >= size) step /= 2;
    if (step > 0) found[1] = seat + step;
    return found;
  }
};

// Seat of a member in one of the trees, and back.
sim::Rank seat_of(sim::Rank member, std::uint32_t tree, sim::Rank size) {
  if (tree == 0) return member;
  return size % 2 == 0 ? size - 1 - member : (member + size - 1) % size;
}
sim::Rank member_at(sim::Rank seat, std::uint32_t tree, sim::Rank size) {
  if (tree == 0) return seat;
  return size % 2 == 0 ? size - 1 - seat : (seat + 1) % size;
}

struct Chunk {
  const Phase& phase;
  std::uint32_t tree;
  sim::Blocks blocks;
  std::uint32_t slot;

  void reduce_up() const;
  void send_down() const;
};

void Chunk::reduce_up() const {
  const Group& group = phase.group;
  const Tree shape{group.size};
  const sim::Rank seat = seat_of(group.me, tree, group.size);
  const auto children = shape.children(seat);
  for (std::uint32_t c = 0; c < children.size(); ++c) {
    if (children[c] != seat) phase.planner.receive_and_reduce(blocks, slot + c);
  }
  if (seat == 0) return;
  const sim::Rank parent = shape.parent(seat);
  const sim::Rank to = group.rank(member_at(parent, tree, group.size));
  phase.planner.send_to_reduce(to, blocks, slot + (seat < parent ? 0 : 1));
}

void Chunk::send_down() const {
  const Group& group = phase.group;
  const sim::Rank seat = seat_of(group.me, tree, group.size);
  if (seat != 0) phase.planner.receive(blocks, slot + kSlots - 1);
  for (const sim::Rank child : Tree{group.size}.children(seat)) {
    if (child == seat) continue;
    const sim::Rank to = group.rank(member_at(child, tree, group.size));
    phase.planner.send(to, blocks, blocks.first, slot + kSlots - 1);
  }
}

std::uint32_t tree_all_reduce(const Phase& phase) {
  const auto chunk = [&](std::uint32_t part) {
    const std::uint32_t tree = part % kTrees;
    return Chunk{phase, tree, phase.parts.part(part), phase.slot + part * kSlots};
  };
  for (std::uint32_t part = 0; part < phase.count; ++part) chunk(part).reduce_up();
  for (std::uint32_t part = 0; part < phase.count; ++part) chunk(part).send_down();
  return phase.slot + phase.count * kSlots;
}

}  // namespace

constinit const Flat kDoubleTree = {
    .name = "double_tree",
    .summary =
        "double binary tree: all_reduce up and down two trees in chunks; any number of ranks",
    .keys = [] { return std::vector<sim::Key>{chunks_key()}; },
    .tensor_parts = [](sim::Rank, const Options& options) { return kTrees * options.chunks; },
    .all_reduce = tree_all_reduce,
};

}  // namespace collectives
