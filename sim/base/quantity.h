// SPDX-License-Identifier: GPL-2.0-only
// A number with its unit, as text ("128 GB/s", "200 Gb/s", "15 us", "64 KiB", "0.9", "90 %") and as
// an integer in base units. The only place where user text becomes a number.
// Base units: bytes, bytes per second, picoseconds, plain counts; ratios are kept as parts per
// billion so that they too are integers and print and compare exactly. GB is 1e9 bytes, GiB 2^30;
// Gb/s is 1e9 bits per second (a NIC line rate), GB/s 1e9 bytes per second.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace sim {

enum class Dimension { kBytes, kBandwidth, kTime, kRatio, kCount, kFlag, kText };

inline constexpr std::int64_t kRatioOne = 1'000'000'000;

struct Quantity {
  Dimension dimension = Dimension::kCount;
  std::int64_t amount = 0;  // base units; 0 or 1 for flags; unused for text
  std::string text;         // as the user wrote it, or the canonical text of a default

  auto operator<=>(const Quantity&) const = default;
};

// Failure.what says what is wrong with the text; Failure.hint holds what was expected.
[[nodiscard]] Result<Quantity> parse_quantity(std::string_view text, Dimension dimension);

// What the user may have meant by a text that does not parse: "did you mean '64 KiB'?", or "".
[[nodiscard]] std::string hint_for(std::string_view text, Dimension dimension);

// Canonical text: exact, shortest unit that needs no rounding, e.g. "64 KiB", "128 GB/s", "1.5 us".
[[nodiscard]] std::string to_text(std::int64_t amount, Dimension dimension);
[[nodiscard]] std::string_view name_of(Dimension dimension);     // "bandwidth"
[[nodiscard]] std::string_view example_of(Dimension dimension);  // "128 GB/s or 200 Gb/s"

}  // namespace sim
