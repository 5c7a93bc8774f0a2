// SPDX-License-Identifier: GPL-2.0-only
// Two Outcomes held against each other: which inputs differ, and how far each case moved. Cases are
// matched by name; of the rest, the same collective over the same group at the same size by another
// algorithm; and where no name is the same and both have as many cases, by place. Pure functions;
// equal Outcomes give an empty list of inputs and only kEqual.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/outcome.h"

namespace analysis {

// By size, as a nightly job reads it. Shares are of the earlier time.
enum class Drift : std::uint8_t {
  kEqual,    // the same time and the same time of every op
  kOps,      // the same time, ops in between moved
  kTiny,     // less than kTiny of the time
  kSmall,    // less than kSmall
  kLarge,    // more
  kBroken,   // finished before, not now
  kMended,   // the other way round
  kAdded,    // only in the second
  kRemoved,  // only in the first
};

inline constexpr double kTinyDrift = 1e-4;
inline constexpr double kSmallDrift = 0.02;

struct CaseDrift {
  std::string name;
  Drift drift = Drift::kEqual;
  std::int64_t before_ps = 0;  // 0: no time
  std::int64_t after_ps = 0;
  double change = 0;  // after / before - 1; 0 when one of them has no time
  std::string bound_before;
  std::string bound_after;
};

struct InputChange {
  std::string name;    // "cluster.wiring", "sled.bandwidth", "version"
  std::string before;  // "": not there
  std::string after;
};

struct Comparison {
  std::vector<InputChange> inputs;
  std::vector<CaseDrift> cases;  // in the order of the first, then those only in the second
};

[[nodiscard]] Comparison compare(const sim::Outcome& before, const sim::Outcome& after);
// A scenario's keys and values by path, from the YAML that the loader echoes.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> keys_of_echo(std::string_view echo);

[[nodiscard]] std::string_view name_of(Drift drift);  // "equal", "small", "large", "broken", ...

// Geometric mean of after / before over the cases that finished in both, less 1; 0 without any.
[[nodiscard]] double mean_change(const Comparison& comparison);
// The case that moved most; null: none moved.
[[nodiscard]] const CaseDrift* most_moved(const Comparison& comparison);

[[nodiscard]] std::string change_figure(double change);  // "+12.3 %", "-0.1 %", "0.0 %"

// For the terminal; every case that moved, at most 40 of them.
[[nodiscard]] std::string comparison_page(const Comparison& comparison);

}  // namespace analysis
