// SPDX-License-Identifier: GPL-2.0-only
// Search over all layouts that a model can have on a cluster: every divisor that the model and the
// chip count allow, priced by estimate; the best are played exactly. Equal input gives equal
// answers, whatever the number of threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/workload/scenario.h"

namespace workload {

struct Ranked {
  Layout layout;
  Step step;
};

struct Loser {
  Ranked ranked;
  std::string compared_by;  // "tp 32": the best of its kind
  std::string why;          // "exposed TP 41 % of the step, 3 % in the best"
};

struct Refused {
  std::string_view term;  // of memory, the largest
  std::int64_t layouts = 0;
};

struct SearchResult {
  std::int64_t tried = 0;  // divide the model, the ranks and the batch
  std::int64_t fitting = 0;
  std::vector<Ranked> best;   // played exactly, fastest first
  std::vector<Ranked> front;  // no other has less time, memory and ranks
  std::vector<Loser> losers;
  std::vector<Refused> refused;  // most first
};

// Layouts with the scenario's batch, sequence, formats and policies, and other degrees.
[[nodiscard]] std::vector<Layout> candidate_layouts(const ModelScenario& scenario);

[[nodiscard]] SearchResult search_layouts(const ModelScenario& scenario, std::size_t threads);

[[nodiscard]] std::string search_page(const ModelScenario& scenario, const SearchResult& result);
[[nodiscard]] std::string search_csv(const ModelScenario& scenario, const SearchResult& result);

}  // namespace workload
