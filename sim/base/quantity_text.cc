// SPDX-License-Identifier: GPL-2.0-only
// Quantities as canonical text, and the words for their dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "sim/base/check.h"
#include "sim/base/quantity.h"

namespace sim {
namespace {

constexpr std::uint64_t kKilo = 1'000;
constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::uint64_t kTera = 1'000'000'000'000;
constexpr std::uint64_t kKibi = std::uint64_t{1} << 10;
constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;
constexpr std::uint64_t kTebi = std::uint64_t{1} << 40;

// The magnitude over `unit`, with up to three decimals, e.g. 1500 over 1000 -> "1.5".
std::string decimal(std::uint64_t magnitude, std::uint64_t unit) {
  std::string text = std::to_string(magnitude / unit);
  std::string fraction;
  std::uint64_t rest = magnitude % unit;
  for (std::uint64_t place = unit / 10; rest > 0; place /= 10) {
    fraction += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return fraction.empty() ? text : text + "." + fraction;
}

struct DecimalUnit {
  std::string_view name;
  std::uint64_t size = 1;
};

// The largest unit that is no larger than the magnitude and needs at most three decimals.
std::string in_decimal_units(std::uint64_t magnitude, std::span<const DecimalUnit> largest_first) {
  for (const DecimalUnit& unit : largest_first) {
    const std::uint64_t thousandth = std::max<std::uint64_t>(unit.size / 1000, 1);
    if (magnitude >= unit.size && magnitude % thousandth == 0) {
      return fmt::format("{} {}", decimal(magnitude, unit.size), unit.name);
    }
  }
  return fmt::format("{} {}", magnitude, largest_first.back().name);
}

std::string bytes_text(std::uint64_t magnitude) {
  if (magnitude == 0) return "0 B";
  // Binary units first: they win where both need equally many digits.
  constexpr std::array<DecimalUnit, 9> kUnits = {{{"TiB", kTebi},
                                                  {"GiB", kGibi},
                                                  {"MiB", kMebi},
                                                  {"KiB", kKibi},
                                                  {"TB", kTera},
                                                  {"GB", kGiga},
                                                  {"MB", kMega},
                                                  {"kB", kKilo},
                                                  {"B", 1}}};
  std::string best;
  std::size_t fewest = std::string::npos;
  for (const DecimalUnit& unit : kUnits) {
    if (magnitude % unit.size != 0) continue;
    const std::string digits = std::to_string(magnitude / unit.size);
    if (digits.size() >= fewest) continue;
    fewest = digits.size();
    best = fmt::format("{} {}", digits, unit.name);
  }
  return best;
}

std::string magnitude_text(std::uint64_t magnitude, Dimension dimension) {
  constexpr std::array<DecimalUnit, 4> kRates = {
      {{"GB/s", kGiga}, {"MB/s", kMega}, {"kB/s", kKilo}, {"B/s", 1}}};
  constexpr std::array<DecimalUnit, 5> kTimes = {
      {{"s", kTera}, {"ms", kGiga}, {"us", kMega}, {"ns", kKilo}, {"ps", 1}}};
  switch (dimension) {
    case Dimension::kBytes:
      return bytes_text(magnitude);
    case Dimension::kBandwidth:
      return in_decimal_units(magnitude, kRates);
    case Dimension::kTime:
      return in_decimal_units(magnitude, kTimes);
    case Dimension::kRatio:
      return decimal(magnitude, kRatioOne);
    default:
      return std::to_string(magnitude);
  }
}

}  // namespace

std::string to_text(std::int64_t amount, Dimension dimension) {
  CHECK(dimension != Dimension::kText);
  if (dimension == Dimension::kFlag) return amount != 0 ? "true" : "false";
  if (dimension == Dimension::kBandwidth && amount == std::numeric_limits<std::int64_t>::max()) {
    return "unlimited";
  };
  const auto bits = static_cast<std::uint64_t>(amount);
  const std::string text = magnitude_text(amount < 0 ? 0 - bits : bits, dimension);
  return fmt::format("{}{}", amount < 0 ? "-" : "", text);
}

std::string_view name_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kBytes:
      return "size";
    case Dimension::kBandwidth:
      return "bandwidth";
    case Dimension::kTime:
      return "time";
    case Dimension::kRatio:
      return "ratio";
    case Dimension::kCount:
      return "count";
    case Dimension::kFlag:
      return "flag";
    case Dimension::kText:
      return "text";
  }
  return "";
}

std::string_view example_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kBytes:
      return "64 KiB or 256 MiB";
    case Dimension::kBandwidth:
      return "128 GB/s or 200 Gb/s";
    case Dimension::kTime:
      return "15 us or 1.5 ms";
    case Dimension::kRatio:
      return "0.9 or 90 %";
    case Dimension::kCount:
      return "8";
    case Dimension::kFlag:
      return "true";
    case Dimension::kText:
      return "a word";
  }
  return "";
}

}  // namespace sim
