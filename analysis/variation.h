// SPDX-License-Identifier: GPL-2.0-only
// A study: a scenario as it stands, and the same with some inputs changed. Here it becomes answers:
// what each change does (what-if), how far the answers may lie apart (range), which input matters
// (swings). Nothing is simulated; whoever has the Outcomes fills them in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison.h"
#include "sim/results/outcome.h"

namespace analysis {

struct Variation {
  std::string name;
  std::vector<std::pair<std::string, std::string>> changes;  // key, value
  sim::Outcome outcome;
  std::string fault;  // why there is no outcome; "" when there is one
};

// One table against the base, the largest gain first; changes that could not run come last.
[[nodiscard]] std::string what_if_page(const sim::Outcome& base,
                                       const std::vector<Variation>& variations);

// How far the mean time of all cases moves when one input goes to either end, others unchanged.
struct Swing {
  std::string name;
  std::string low;  // value at this end
  std::string high;
  double at_low = 0;  // mean change of the time
  double at_high = 0;
  std::string most;  // the case that moves most between the ends
  double most_change = 0;

  [[nodiscard]] double width() const {
    return at_high > at_low ? at_high - at_low : at_low - at_high;
  }
};

// From variations in pairs: low end and high end of one input each. Widest first.
[[nodiscard]] std::vector<Swing> swings_of(const sim::Outcome& base,
                                           const std::vector<Variation>& pairs);

// What a case's time may be.
struct Interval {
  std::string name;
  std::int64_t typical_ps = 0;
  std::int64_t least_ps = 0;
  std::int64_t most_ps = 0;
};

// Over the base and all variations, by case of the base that finished.
[[nodiscard]] std::vector<Interval> intervals_of(const sim::Outcome& base,
                                                 const std::vector<Variation>& variations);

// Bars to the left (faster) and right (slower) of the base, at most 20 that do anything.
struct Ends {
  std::string low = "low";
  std::string high = "high";
};
[[nodiscard]] std::string tornado_text(const std::vector<Swing>& swings, const Ends& ends = {});
// "2 runs could not be played: ..."; "" when all could.
[[nodiscard]] std::string faults_in_words(const std::vector<Variation>& variations);
[[nodiscard]] std::string intervals_text(const std::vector<Interval>& intervals);

// The same figures for programs and for the report page.
[[nodiscard]] std::string what_if_csv(const sim::Outcome& base,
                                      const std::vector<Variation>& variations);

}  // namespace analysis
