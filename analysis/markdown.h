// SPDX-License-Identifier: GPL-2.0-only
// An Outcome as Markdown (GitHub's tables), for issues, pull requests and notes: the answer in
// words, a table per block, what is least sure, what is left out.
#pragma once

#include <string>

#include "sim/results/outcome.h"

namespace analysis {

[[nodiscard]] std::string markdown_page(const sim::Outcome& outcome);

}  // namespace analysis
