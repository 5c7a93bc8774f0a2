// SPDX-License-Identifier: GPL-2.0-only
// The collective catalog: name -> (summary, keys, algorithm). An algorithm is a pure function from
// (rank, group, bytes, options) to that rank's program, so any subset of the ranks can be planned.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/catalog.h"
#include "sim/base/result.h"
#include "sim/schedule/schedule.h"

namespace collectives {

// Declared in the catalog as keys of the algorithms that read them; the others ignore them.
struct Options {
  // hierarchical
  sim::Rank inner = 0;  // ranks per inner group; 0: not given
  std::string inner_algorithm = "direct";
  std::string outer_algorithm = "ring";
  std::uint32_t slices = 3;  // pipelined parts
  // torus
  std::vector<sim::Rank> dimensions = {};  // sizes, the first varies fastest; empty: not given
  std::string dimension_algorithm = "bidirectional_ring";
  // chain, double_tree
  std::uint32_t chunks = 16;   // pieces passed on
  std::uint32_t channels = 1;  // ring
  // direct, pairwise: an all-to-all has at most so many sends of a rank under way; 0: direct all at
  // once, pairwise one
  std::uint32_t window = 0;
  // hierarchical, all_to_all_v: ranks per group of inner groups, a level between; 0: none
  sim::Rank middle = 0;
};

class Given;

struct Job {
  sim::Collective collective = sim::Collective::kAllReduce;
  sim::Rank ranks = 1;
  sim::Bytes bytes;  // as sim/schedule/collective.h defines it
  Options options;
  sim::Rank root = 0;  // of the kinds with a root
  // Of the kinds with pairs: by rank, whom it sends to, or kNoRank; empty: each to the next.
  std::vector<sim::Rank> targets = {};
  std::shared_ptr<const Given> given = nullptr;  // the schedule that a file gives, if it does
  // Of all-to-all-v; null: equal parts of `bytes`.
  std::shared_ptr<const sim::Traffic> traffic = {};
};

struct Algorithm {
  // Why it cannot serve the job, as the end of a sentence ("it needs a power of two of ranks").
  std::optional<std::string> (*obstacle)(const Job&) = nullptr;
  // Empty when it can serve the job; else why not, and which algorithms can.
  std::optional<sim::Failure> (*refusal)(const Job&) = nullptr;
  sim::Layout (*layout)(const Job&) = nullptr;
  sim::RankProgram (*plan)(const Job&, const sim::Layout&, sim::Rank rank) = nullptr;
  bool in_network = false;  // only where a switch that all ranks hang on can reduce
};

[[nodiscard]] const sim::Catalog<Algorithm>& algorithms();

// Plans all ranks. Fails when the algorithm refuses the job. `algorithm` must be in the catalog,
// unless the job has a schedule given.
[[nodiscard]] sim::Result<sim::Schedule> plan(const std::string& algorithm, const Job& job);

// Why the job cannot be served; empty: it can.
[[nodiscard]] std::optional<sim::Failure> refusal(const std::string& algorithm, const Job& job);

// Names of the algorithms that can serve `job` on any fabric, for hints.
[[nodiscard]] std::vector<std::string> able(const Job& job);

}  // namespace collectives
