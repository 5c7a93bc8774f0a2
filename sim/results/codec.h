// SPDX-License-Identifier: GPL-2.0-only
// Outcome <-> results.pb (results.proto). Encoding is deterministic. Decoding says what is wrong
// with a file that is cut, damaged or of a newer version.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/results/outcome.h"

namespace sim {

[[nodiscard]] std::string encode(const Outcome& outcome);
[[nodiscard]] Result<Outcome> decode_outcome(std::string_view bytes);
[[nodiscard]] std::string encode_case(const CaseOutcome& outcome);
[[nodiscard]] Result<CaseOutcome> decode_case(std::string_view bytes);

}  // namespace sim
