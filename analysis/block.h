// SPDX-License-Identifier: GPL-2.0-only
// Block: the cases of an Outcome that people compare with each other: one collective over one
// group, at several sizes by several algorithms. Points into the Outcome, which must outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/results/outcome.h"

namespace analysis {

struct Block {
  std::string collective;
  std::string group;
  std::vector<const sim::CaseOutcome*> cases;  // by size, then as in the Outcome

  [[nodiscard]] std::vector<std::int64_t> sizes() const;  // of finished cases, ascending, once each
  // The finished case of this size that took least; the first of equals; null: none.
  [[nodiscard]] const sim::CaseOutcome* fastest(std::int64_t bytes) const;
};

// In the order in which collectives and groups first appear.
[[nodiscard]] std::vector<Block> blocks_of(const sim::Outcome& outcome);

// "8 chips" of "8 chips, sled_first".
[[nodiscard]] std::string short_group(const std::string& group);

// Recorded cases that a page shows from within: the longest of each block, at most four.
[[nodiscard]] std::vector<const sim::CaseOutcome*> shown_from_within(const sim::Outcome& outcome);

[[nodiscard]] bool finished(const sim::CaseOutcome& one);

// "388 us .. 431 us": the least and the most of the runs over several seeds; "" where it ran once.
[[nodiscard]] std::string seed_range(const sim::CaseOutcome& one);

// What is said below a block's rows: why auto took its algorithms, seeds, late ranks; a line each.
[[nodiscard]] std::vector<std::string> footnotes_of(const Block& block);

}  // namespace analysis
