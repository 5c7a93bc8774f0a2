// SPDX-License-Identifier: GPL-2.0-only
// Collective kinds, with what each rank starts with and must end with. `bytes` always means, as in
// nccl-tests and nccom-test: all-reduce: the tensor every rank holds; all-gather: the gathered
// output; reduce-scatter: the unreduced input of one rank; all-to-all: the send buffer of one rank;
// broadcast, reduce: the tensor; gather: what the root ends with; scatter: what it starts with;
// send-recv, permute: what one rank sends; barrier: one signal; all-to-all-v: the send buffer of
// one rank, the mean over ranks; program: what all ranks send.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/base/units.h"

namespace sim {

using Rank = std::uint32_t;

inline constexpr Rank kNoRank = std::numeric_limits<Rank>::max();

enum class Collective : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kBarrier,
  kSendRecv,   // every rank to the next one, around the group (nccl-tests sendrecv)
  kPermute,    // every rank to at most one rank, every rank from at most one
  kAllToAllV,  // to each rank as many bytes as the job's traffic says
  kProgram,    // whatever a file says; nothing is known of its data
};

[[nodiscard]] std::string_view name_of(Collective collective);  // "all_reduce"
// All but kProgram, which no algorithm serves.
[[nodiscard]] const std::vector<Collective>& all_collectives();
// Those in which all ranks play the same part and that split into phases of subgroups: all-reduce,
// all-gather, reduce-scatter, all-to-all.
[[nodiscard]] const std::vector<Collective>& symmetric_collectives();
[[nodiscard]] bool is_symmetric(Collective collective);
[[nodiscard]] bool has_root(Collective collective);  // broadcast, reduce, gather, scatter
// Those that flat algorithms may serve: the symmetric ones and all-to-all-v.
[[nodiscard]] bool is_flat_kind(Collective collective);
[[nodiscard]] bool has_pairs(Collective collective);  // send-recv, permute: a target for each rank

// A signal of a barrier: a flag of 8 bytes, as NCCL's LL protocol writes (4 of data, 4 of flag).
inline constexpr std::int64_t kSignalBytes = 8;

// Bus bandwidth = algorithm bandwidth x this factor (nccl-tests): 2(n-1)/n for all-reduce; (n-1)/n
// for all-gather, reduce-scatter, all-to-all, gather and scatter; 1 for the others. As numerator
// over n, so that it stays exact. Of an all-to-all-v what ranks send to others counts instead.
[[nodiscard]] std::int64_t bus_numerator(Collective collective, Rank ranks);

}  // namespace sim
