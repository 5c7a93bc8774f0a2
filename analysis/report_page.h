// SPDX-License-Identifier: GPL-2.0-only
// One self-contained HTML file of an Outcome: the answer in words, charts, all figures as tables,
// the inputs with their grades and sources, the scenario itself. It needs no network, reads without
// its script, and equal Outcomes give equal bytes.
#pragma once

#include <string>

#include "sim/results/outcome.h"

namespace analysis {

[[nodiscard]] std::string report_page(const sim::Outcome& outcome);

}  // namespace analysis
