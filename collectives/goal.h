// SPDX-License-Identifier: GPL-2.0-only
// GOAL, the text in which LogGOPSim and ATLAHS take what each rank of a program computes, sends and
// receives (Hoefler, Siebert, Lumsdaine 2009, "Group Operation Assembly Language"):
//   num_ranks 2
//   rank 0 {
//     a: calc 1000 cpu 0          (nanoseconds)
//     b: send 4096b to 1 tag 7
//     b requires a                (b begins when a has ended)
//     c irequires b               (c begins when b begins)
//   }
// Sends and receives of a pair of ranks and a tag are matched in the order of the file. A send goes
// when it is ready, whether or not its receive is (eager). Of a rank's cpu one calc runs at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/given.h"
#include "sim/base/diagnostic.h"

namespace collectives::goal {

enum class Kind : std::uint8_t { kCalc, kSend, kReceive };

struct Need {
  std::uint32_t op = 0;  // of the same rank
  bool begun = false;    // irequires: only that it has begun
  sim::Position place;
};

struct Op {
  Kind kind = Kind::kCalc;
  std::int64_t amount = 0;  // nanoseconds, or bytes
  sim::Rank peer = 0;
  std::int64_t tag = 0;
  std::uint32_t cpu = 0;
  std::vector<Need> needs;
  sim::Position place;
};

struct Program {
  std::vector<std::vector<Op>> ranks;
  sim::Position ranks_place;
};

// Reads the text; all that is malformed is reported, with its place.
[[nodiscard]] std::optional<Program> parse(const std::string& text, sim::Diagnostics& diagnostics);

// Matches sends and receives and puts the ops in an order. `file` is what messages call it. Null
// after a fault was reported: a message without its other end, ops that wait for each other.
[[nodiscard]] std::shared_ptr<const Given> read(const std::string& file, const std::string& text,
                                                sim::Diagnostics& diagnostics);

}  // namespace collectives::goal
