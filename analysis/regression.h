// SPDX-License-Identifier: GPL-2.0-only
// One night held against another: what moved, how far, and why it may: another model (same inputs,
// other answer), other inputs, or the speed of the simulator. Also how the time grows with the
// scale, and whether that changed. Pure functions of results; nothing is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/history.h"

namespace analysis {

// A scaling exponent that moves by more is a finding.
inline constexpr double kExponentDrift = 0.05;

enum class Cause : std::uint8_t {
  kNone,   // nothing moved
  kModel,  // same inputs, other answers
  kInput,  // the inputs differ too
  kSpeed,  // same answers, another speed of the simulator
  kNew,    // not there before
  kGone,   // not there now
};

struct ScaleReport {
  std::string name;
  Cause cause = Cause::kNone;
  Drift worst = Drift::kEqual;  // of its cases
  double change = 0;            // of the case that moved most
  double mean = 0;              // over all cases
  double speed_change =
      0;  // simulated work per CPU second, in units of the calibration; less: slower
  std::string case_name;  // that moved most
  std::vector<InputChange> inputs;
};

// Time ~ scale^exponent over the scales of one scenario.
struct Exponent {
  std::string scenario;
  double before = 0;
  double after = 0;
};

struct Regression {
  std::string suite;
  std::string against;  // "the baseline", "night 3", "the old binary"; "": the first night
  std::vector<ScaleReport> scales;
  std::vector<Exponent> exponents;

  // A case broke, an answer moved by kTinyDrift or more without a change of input, an exponent
  // moved, or the simulator became slower than the tolerance allows.
  [[nodiscard]] bool failed() const;
};

// `speed_tolerance`: share by which the speed may fall. Without `before` everything is new.
[[nodiscard]] Regression regression_of(const NightResults& before, const NightResults& after,
                                       double speed_tolerance);

[[nodiscard]] bool is_finding(const ScaleReport& one);
[[nodiscard]] std::string_view name_of(Cause cause);

// Markdown that also reads well on a terminal: the verdict first, then what moved.
[[nodiscard]] std::string regression_markdown(const Regression& regression);
// JUnit XML: one test case `suite.scenario.scale` each.
[[nodiscard]] std::string regression_junit(const Regression& regression);

}  // namespace analysis
