// SPDX-License-Identifier: GPL-2.0-only
// How far the levels of one scenario lie apart: a row per case with its time at each level, the
// differences, and what explains them.
#pragma once

#include <string>
#include <vector>

#include "sim/results/outcome.h"

namespace analysis {

// One case at every level; the first level is the reference.
struct AgreementCase {
  std::vector<sim::CaseOutcome> at;  // by level
};

struct Agreement {
  std::string scenario;
  std::vector<std::string> levels;  // "packet", "flow", "analytic"
  std::vector<AgreementCase> cases;
};

// "+1.8 %": how much longer `time` is than `reference`; both above 0.
[[nodiscard]] std::string difference_figure(std::int64_t time, std::int64_t reference);

// Why `one` differs from the reference: "", "rounding", "loss", "incast", "queueing", "header" or
// "shares".
[[nodiscard]] std::string reason_of(const sim::CaseOutcome& reference, const sim::CaseOutcome& one);

[[nodiscard]] std::string agreement_page(const Agreement& agreement);

}  // namespace analysis
