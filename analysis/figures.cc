// SPDX-License-Identifier: GPL-2.0-only
#include "analysis/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "sim/base/quantity.h"

namespace analysis {
namespace {

struct Unit {
  double size;
  const char* name;
};

// In the first unit that shows less than a thousand once rounded, else in the last. Smallest unit
// first.
std::string scaled(double amount, std::span<const Unit> units, int decimals) {
  const double thousand = 1'000.0 - 0.5 * std::pow(10.0, -decimals);
  std::size_t i = 0;
  while (i + 1 < units.size() && amount / units[i].size >= thousand) ++i;
  return fmt::format("{:.{}f} {}", amount / units[i].size, decimals, units[i].name);
}

}  // namespace

std::string time_figure(std::int64_t picoseconds) {
  constexpr std::array<Unit, 4> kUnits{{{1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}, {1e12, "s"}}};
  return scaled(static_cast<double>(picoseconds), kUnits, 2);
}

std::string rate_figure(std::int64_t bytes_per_second) {
  constexpr std::array<Unit, 4> kUnits{
      {{1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}};
  return scaled(static_cast<double>(bytes_per_second), kUnits, 1);
}

std::string count_figure(std::int64_t count) {
  constexpr std::array<Unit, 4> kUnits{{{1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}};
  if (count < 1'000) return std::to_string(count);
  return scaled(static_cast<double>(count), kUnits, 1);
}

std::string share_figure(std::int64_t parts_per_billion) {
  return fmt::format("{:.1f} %", static_cast<double>(parts_per_billion) / 1e7);
}

std::string size_figure(std::int64_t bytes) { return sim::to_text(bytes, sim::Dimension::kBytes); }

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string in_words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', '-');
  return words;
}

}  // namespace analysis
