// SPDX-License-Identifier: GPL-2.0-only
// Flat algorithms: the phases of direct, ring and recursive, written for a subgroup of the ranks
// and for any map from parts to blocks. Alone they serve a whole group; `hierarchical` composes the
// same phases. A phase takes the first arrival slot it may use and returns the first one after its
// own. That number depends on the group's size only, so both ends of a send agree on slots without
// talking.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collectives.h"
#include "sim/schedule/planner.h"

namespace collectives {

// A subgroup as one of its members sees it: member i is rank first + i * stride.
struct Group {
  sim::Rank size = 1;
  sim::Rank me = 0;
  sim::Rank first = 0;
  sim::Rank stride = 1;

  [[nodiscard]] sim::Rank rank(sim::Rank member) const { return first + member * stride; }
  // The member `distance` after or before `member`, around the group; distance <= size.
  [[nodiscard]] sim::Rank after(sim::Rank member, sim::Rank distance) const {
    return (member + distance) % size;
  }
  [[nodiscard]] sim::Rank before(sim::Rank member, sim::Rank distance) const {
    return (member + size - distance) % size;
  }
};

// Where the parts of a tensor lie: part i is the blocks of part 0, moved by i * step.
struct Parts {
  sim::Blocks zero;
  std::uint32_t step = 1;

  [[nodiscard]] sim::Blocks part(std::uint32_t index) const { return range(index, 1); }
  // Parts index .. index + count - 1 as one strided set. CHECKs that they form one.
  [[nodiscard]] sim::Blocks range(std::uint32_t index, std::uint32_t count) const;
  // Of `size` parts, those whose bit `bit` is `value`; size is a multiple of 2^(bit+1).
  [[nodiscard]] sim::Blocks with_bit(std::uint32_t bit, bool value, std::uint32_t size) const;
  // The parts named (ascending, all different) as few strided sets.
  [[nodiscard]] std::vector<sim::Blocks> cover(const std::vector<std::uint32_t>& indexes) const;
  [[nodiscard]] Parts moved_to(std::uint32_t start) const { return {zero.moved_to(start), step}; }
};

// What a phase of all-reduce, all-gather or reduce-scatter works on. Part i belongs to member i; an
// all-reduce has `count` parts, as many as the algorithm asked for. With channels a member has as
// many parts, and `count` is their number.
struct Phase {
  sim::Planner& planner;
  Group group;
  Parts parts;
  std::uint32_t slot = 0;
  std::uint32_t count = 0;
};

// What a phase of all-to-all works on: part i of `from` goes to part `me` of `to` at member i. Both
// have the same shape. Scratch space is counted in whole regions from block `scratch` on.
struct Exchange {
  sim::Planner& planner;
  Group group;
  Parts from;
  Parts to;
  std::uint32_t scratch = 0;
  std::uint32_t region = 0;
  std::uint32_t slot = 0;
  std::uint32_t window = 0;  // as Options
  // `to` of member m + 1 lies so many blocks after that of member m: 0, but in all-to-all-v.
  std::uint32_t shift = 0;

  // Where what this member sends goes, at `peer`.
  [[nodiscard]] std::uint32_t target(sim::Rank peer) const {
    return to.part(group.me).first + (peer - group.me) * shift;
  }
};

using RunPhase = std::uint32_t (*)(const Phase& phase);

// Null where it has no such phase.
struct Flat {
  std::string_view name;
  std::string_view summary;
  // Why it cannot serve a group of `size` >= 2 ranks, or nothing; null: it serves all sizes.
  std::optional<std::string> (*obstacle)(sim::Collective collective, sim::Rank size) = nullptr;
  std::vector<sim::Key> (*keys)() = nullptr;
  // Parts that its all-reduce works on; null: one.
  std::uint32_t (*tensor_parts)(sim::Rank size, const Options& options) = nullptr;
  bool channelled = false;  // its all-gather and reduce-scatter cut each part by `channels`
  std::uint32_t (*all_to_all_scratch)(sim::Rank size) = nullptr;  // regions; null: none
  RunPhase reduce_scatter = nullptr;
  RunPhase all_gather = nullptr;
  RunPhase all_reduce = nullptr;
  std::uint32_t (*all_to_all)(const Exchange& exchange) = nullptr;
  // Of the whole group, its blocks as sim/schedule/traffic.h lays them.
  std::uint32_t (*all_to_all_v)(const Exchange& exchange) = nullptr;

  // Why it cannot serve `collective` over `size` ranks, or nothing. Alone a rank has nothing to
  // send, whatever the algorithm.
  [[nodiscard]] std::optional<std::string> cannot(sim::Collective collective, sim::Rank size) const;
  [[nodiscard]] std::uint32_t parts(sim::Rank size, const Options& options) const;
  [[nodiscard]] std::uint32_t scratch_regions(sim::Rank size) const {
    return all_to_all_scratch == nullptr || size < 2 ? 0 : all_to_all_scratch(size);
  }
};

// The flat algorithms, each in the file of its name. The catalog and the choices of `hierarchical`
// follow.
extern const Flat kDirect;
extern const Flat kOneShot;
extern const Flat kRing;
extern const Flat kBidirectionalRing;
extern const Flat kRecursive;
extern const Flat kRecursiveDoubling;
extern const Flat kBruck;
extern const Flat kPat;
extern const Flat kSwing;
extern const Flat kKangaRing;
extern const Flat kDoubleTree;
extern const Flat kPairwise;

template <const Flat&... flats>
struct FlatList {};
using FlatAlgorithms =
    FlatList<kDirect, kOneShot, kRing, kBidirectionalRing, kRecursive, kRecursiveDoubling, kBruck,
             kPat, kSwing, kKangaRing, kDoubleTree, kPairwise>;

[[nodiscard]] const std::vector<const Flat*>& flat_algorithms();
[[nodiscard]] const Flat* find_flat(std::string_view name);  // null: none of that name

// A key with its range, and the text of its default.
[[nodiscard]] sim::Key count_key(std::string name, std::string help, std::uint64_t fallback,
                                 std::int64_t least, std::int64_t most);
[[nodiscard]] sim::Key window_key();
[[nodiscard]] sim::Key chunks_key();
[[nodiscard]] sim::Key channels_key();

// Bytes of an all-to-all whose parts are relayed: every part padded to the largest, so that a block
// keeps its size wherever it is kept on the way. At most ranks - 1 bytes more than `bytes`.
[[nodiscard]] sim::Bytes padded(sim::Bytes bytes, sim::Rank ranks);

// The traffic of an all-to-all-v: the job's, or equal parts.
[[nodiscard]] std::shared_ptr<const sim::Traffic> traffic_of(const Job& job);
// Why no algorithm can serve its traffic, or nothing. `shares`: it can send a bundle to a server.
[[nodiscard]] std::optional<std::string> traffic_obstacle(const Job& job, bool shares);

// A flat algorithm serving a whole group.
[[nodiscard]] std::optional<std::string> flat_obstacle(const Flat& flat, const Job& job);
[[nodiscard]] sim::Layout flat_layout(const Flat& flat, const Job& job);
[[nodiscard]] sim::RankProgram plan_flat(const Flat& flat, const Job& job,
                                         const sim::Layout& layout, sim::Rank rank);

}  // namespace collectives
