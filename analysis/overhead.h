// SPDX-License-Identifier: GPL-2.0-only
// The answer on a terminal: what each collective costs, what bounds it, what is uncertain, where
// the files are. Reads an Outcome, never simulates. Equal Outcomes give equal pages; no line is
// wider than 100 columns (names longer than that apart).
#pragma once

#include <string>

#include "sim/results/outcome.h"

namespace analysis {

struct PageOptions {
  bool colour = false;
  std::string folder;  // where the results lie; "" when they were not written
};

[[nodiscard]] std::string overhead_page(const sim::Outcome& outcome, const PageOptions& options);

}  // namespace analysis
