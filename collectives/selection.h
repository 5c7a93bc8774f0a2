// SPDX-License-Identifier: GPL-2.0-only
// Selection tables: which algorithm `algorithm: auto` takes for a job. A table is a list of rules;
// the first one that fits the job and whose algorithm can serve it wins. Where nobody has published
// a table, the choice is computed from the costs of a step, of a message and of a byte.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collectives.h"

namespace collectives {

struct Rule {
  sim::Collective collective = sim::Collective::kAllReduce;
  std::string algorithm;
  std::int64_t up_to = std::numeric_limits<std::int64_t>::max();  // bytes, inclusive
  sim::Rank most_ranks = std::numeric_limits<sim::Rank>::max();   // inclusive
};

struct Selection {
  std::string source;  // "documented for the Trn2 torus"
  std::vector<Rule> rules;
};

struct Choice {
  std::string algorithm;
  std::string why;  // "direct up to 1 MB: documented for the Trn2 torus"
};

// Fails when no rule fits.
[[nodiscard]] sim::Result<Choice> choose(const Selection& selection, const Job& job);

// The table of a hardware preset, by the preset's name; empty when none is published for it.
[[nodiscard]] std::optional<Selection> published(std::string_view preset);

// What a step, a message and a byte cost a rank.
struct StepCosts {
  sim::Time step;      // latency from end to end
  sim::Time gap;       // between two messages of a rank
  sim::Bandwidth out;  // of a rank; zero: unknown, bytes are not counted
};

// The least steps x step + messages x gap + bytes / out of the algorithms with a closed form. Fails
// when none of them can serve the job.
[[nodiscard]] sim::Result<Choice> computed(const StepCosts& costs, const Job& job);

}  // namespace collectives
