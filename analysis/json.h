// SPDX-License-Identifier: GPL-2.0-only
// An Outcome as JSON: the same figures as results.pb, exact, with units in the keys. Equal Outcomes
// give equal bytes. Each text is one object and ends with a newline.
#pragma once

#include <string>
#include <string_view>

#include "analysis/comparison.h"
#include "sim/results/outcome.h"

namespace analysis {

[[nodiscard]] std::string to_json(const sim::Outcome& outcome);

// What the run stood on: input hash, version, seed, every parameter with range, grade and source.
[[nodiscard]] std::string manifest_json(const sim::Outcome& outcome);

[[nodiscard]] std::string to_json(const Comparison& comparison);

// What pages draw of the cases that are shown from within: traffic by pair of ranks
// (row: from), use of links, and the first ranks' spans. An array, empty when nothing is recorded.
[[nodiscard]] std::string recordings_json(const sim::Outcome& outcome);

// A text as JSON writes it, in its quotes.
[[nodiscard]] std::string json_string(std::string_view text);

// Wall time, rates and memory: differs from run to run.
[[nodiscard]] std::string stats_json(const sim::RunStats& stats);

}  // namespace analysis
