// SPDX-License-Identifier: GPL-2.0-only
// Short forms for the declarations of keys in this folder (sim/base/key.h says what a key is).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/key.h"

namespace workload {

[[nodiscard]] sim::Key text_key(std::string name, std::string help);
[[nodiscard]] sim::Key choice_key(std::string name, std::string help,
                                  std::vector<std::string> choices, std::string fallback);
[[nodiscard]] sim::Key count_key(std::string name, std::string help, std::int64_t least,
                                 std::int64_t most, std::string fallback = "");
[[nodiscard]] sim::Key counts_key(std::string name, std::string help, std::int64_t least,
                                  std::int64_t most);
[[nodiscard]] sim::Key flag_key(std::string name, std::string help, std::string fallback);
[[nodiscard]] sim::Key ratio_key(std::string name, std::string help, std::string fallback);
[[nodiscard]] sim::Key section_key(std::string name, std::string help, std::vector<sim::Key> inner);
[[nodiscard]] sim::Key required(sim::Key key);
[[nodiscard]] sim::Key with_default(sim::Key key, std::string fallback);

// Values of keys that may be left out.
[[nodiscard]] std::int64_t count_or(const sim::Section& section, const char* key,
                                    std::int64_t otherwise);
[[nodiscard]] double ratio_of(const sim::Section& section, const char* key);

}  // namespace workload
