// SPDX-License-Identifier: GPL-2.0-only
// Outcomes made by hand, for the tests of reports. The figures are invented.
#pragma once

#include <cstdint>
#include <string>

#include "sim/results/outcome.h"

namespace analysis {

struct SampleCase {
  std::string collective = "all_reduce";
  std::string algorithm = "direct";
  std::string group = "8 chips, sled_first";
  std::int64_t ranks = 8;
  std::int64_t bytes = 65'536;
  std::int64_t time_ps = 7'930'000;
};

// A finished case whose other figures follow from these.
[[nodiscard]] sim::CaseOutcome sample_case(const SampleCase& sample);

// Two algorithms at three sizes over 8 chips, an all-to-all in a rack and across racks.
[[nodiscard]] sim::Outcome sample_outcome();

}  // namespace analysis
