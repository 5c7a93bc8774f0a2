// SPDX-License-Identifier: GPL-2.0-only
// MSCCL XML, the format in which MSCCL and RCCL take algorithms (microsoft/msccl-tools,
// microsoft/msccl-executor, ROCm/rccl): one `algo` with a `gpu` per rank, each with threadblocks
// `tb` that do their steps one after another. A threadblock sends to at most one peer and receives
// from at most one, over a channel; the messages of a connection (from, to, channel) are matched in
// order. A step may wait for a step of another threadblock of its rank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/given.h"
#include "sim/base/diagnostic.h"
#include "sim/schedule/schedule.h"

namespace collectives::msccl {

enum class Buffer : std::uint8_t { kInput, kOutput, kScratch };

// What a step does, one thing each: rcs, rrs and rrcs are read as a receiving and a sending action.
enum class Action : std::uint8_t {
  kNothing,      // nop: only waits
  kSend,         // s
  kReceive,      // r, rcs: writes `to`
  kReduce,       // rrc, rrcs: arrival + `from` -> `to`
  kReduceAside,  // rrs: arrival + `from` -> a place of its own, from where it is sent
  kSendAside,    // the other half of rrs
  kCopy,         // cpy: `from` -> `to`
  kReduceOwn,    // re: `from` + `to` -> `to`
};

struct Chunks {
  Buffer buffer = Buffer::kInput;
  std::uint32_t offset = 0;
};

struct Step {
  Action action = Action::kNothing;
  Chunks from;
  Chunks to;
  std::uint32_t count = 0;
  std::optional<std::uint32_t> after;  // a step of the same rank, by its number there
  sim::Position place;
};

struct ThreadBlock {
  sim::Rank send = sim::kNoRank;
  sim::Rank receive = sim::kNoRank;
  std::uint32_t channel = 0;
  std::uint32_t first = 0;  // of its steps, in those of the rank
  std::uint32_t end = 0;
};

struct Gpu {
  std::uint32_t scratch = 0;  // chunks
  std::vector<ThreadBlock> blocks;
  std::vector<Step> steps;  // threadblock after threadblock
  sim::Position place;
};

struct Program {
  std::string name;
  sim::Collective collective = sim::Collective::kAllReduce;
  std::uint32_t chunks = 1;  // the tensor is cut into
  bool in_place = true;      // input and output are the same memory
  std::optional<std::int64_t> least_bytes;
  std::optional<std::int64_t> most_bytes;
  std::vector<Gpu> gpus;  // by rank
  sim::Position collective_place;
  sim::Position ranks_place;
  sim::Position sizes_place;
};

// Reads the text; all that is malformed is reported, with its place.
[[nodiscard]] std::optional<Program> parse(const std::string& text, sim::Diagnostics& diagnostics);

// Matches the messages, orders the steps and proves what they do, on a small tensor. `file` is what
// messages call it. Null after a fault was reported.
[[nodiscard]] std::shared_ptr<const Given> read(const std::string& file, const std::string& text,
                                                sim::Diagnostics& diagnostics);

// A schedule as MSCCL XML: a threadblock per peer and direction, one for copies. Fails for kinds
// that MSCCL has not, for a root that is not rank 0, and for orders that threadblocks cannot have.
[[nodiscard]] sim::Result<std::string> write(const sim::Schedule& schedule);

// MSCCL's name of a kind, or "" where it has none.
[[nodiscard]] std::string coll_of(sim::Collective collective);

}  // namespace collectives::msccl
