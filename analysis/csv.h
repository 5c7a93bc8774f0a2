// SPDX-License-Identifier: GPL-2.0-only
// The cases of an Outcome as CSV (RFC 4180, line feeds): one line per case, units in the header,
// two columns per link class. Equal Outcomes give equal bytes.
#pragma once

#include <string>

#include "sim/results/outcome.h"

namespace analysis {

[[nodiscard]] std::string to_csv(const sim::Outcome& outcome);

}  // namespace analysis
