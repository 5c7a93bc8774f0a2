// SPDX-License-Identifier: GPL-2.0-only
// Short forms for declaring a topology's parameters, and the check that given parameters keep to
// them. No parameter of a topology has a default: values come from the hardware presets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"

namespace topologies {

struct CountRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

[[nodiscard]] sim::Key count_key(std::string name, CountRange range, std::string help);
[[nodiscard]] sim::Key bandwidth_key(std::string name, std::string help);  // 1 B/s to 1 PB/s
[[nodiscard]] sim::Key time_key(std::string name, std::string help);       // 0 to 1 s
[[nodiscard]] sim::Key size_key(std::string name, CountRange range, std::string help);
[[nodiscard]] sim::Key share_key(std::string name, std::string help);  // above 0, up to 1
[[nodiscard]] sim::Key choice_key(std::string name, std::vector<std::string> choices,
                                  std::string help);

// The first key that is missing, of another dimension, out of its range or not among its choices.
[[nodiscard]] std::optional<sim::Failure> fault_in(const sim::Parameters& parameters,
                                                   const std::vector<sim::Key>& keys);

inline constexpr CountRange kPacketBytes{1, 16 << 20};
inline constexpr CountRange kHeaderBytes{0, 64 << 10};
inline constexpr CountRange kBufferBytes{1, std::int64_t{1} << 40};

}  // namespace topologies
