// SPDX-License-Identifier: GPL-2.0-only
// Figures for people: rounded, with their unit. Files for machines hold the exact integers instead.
// A figure keeps a fixed number of decimals, so that a column of them lines up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace analysis {

[[nodiscard]] std::string time_figure(std::int64_t picoseconds);         // "7.93 us"
[[nodiscard]] std::string rate_figure(std::int64_t bytes_per_second);    // "163.8 GB/s", 1e9 bytes
[[nodiscard]] std::string count_figure(std::int64_t count);              // "512", "22.4 M"
[[nodiscard]] std::string share_figure(std::int64_t parts_per_billion);  // "97.1 %"
[[nodiscard]] std::string size_figure(std::int64_t bytes);               // "64 KiB", exact

// "a", "a and b", "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& words);
// "3 cases", "1 case".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);
// "all_reduce" -> "all-reduce", as a sentence writes it.
[[nodiscard]] std::string in_words(std::string_view name);

}  // namespace analysis
