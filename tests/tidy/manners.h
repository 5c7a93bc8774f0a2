// SPDX-License-Identifier: GPL-2.0-only
// How files look: sizes, names, first lines, what may not be said. Each rule takes sources and
// returns one line per fault.
#pragma once

#include "tests/tidy/source.h"

namespace tidy {

inline constexpr std::size_t kMostFunctionLines = 60;
inline constexpr std::size_t kMostFileLines = 500;
inline constexpr std::size_t kMostHeaderLines = 250;
inline constexpr std::size_t kMostColumns = 100;

[[nodiscard]] Faults long_functions(const Sources& sources);
[[nodiscard]] Faults long_files(const Sources& sources);
[[nodiscard]] Faults wide_lines(const Sources& sources);
[[nodiscard]] Faults empty_names(const Sources& sources);       // util, common, helper, manager
[[nodiscard]] Faults missing_licences(const Sources& sources);  // SPDX in the first line
[[nodiscard]] Faults missing_pragmas(const Sources& sources);   // #pragma once in headers
[[nodiscard]] Faults readmes(const Sources& sources);           // one per room, with its four heads
[[nodiscard]] Faults using_in_headers(const Sources& sources);
[[nodiscard]] Faults macros(const Sources& sources);
[[nodiscard]] Faults clocks_and_chance(const Sources& sources);
[[nodiscard]] Faults hash_order(const Sources& sources);  // loops over unordered containers

}  // namespace tidy
