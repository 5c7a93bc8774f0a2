// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/check.h"
#include "sim/base/diagnostic.h"

namespace sim {
namespace {

using Wide = unsigned __int128;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
// With at most this many digits, digits times the largest unit fit in 128 bits.
constexpr std::size_t kMostDigits = 24;
constexpr std::string_view kUnlimited = "unlimited";

// One unit is `numerator / divisor` base units.
struct Unit {
  std::string_view name;
  std::int64_t numerator = 1;
  std::int64_t divisor = 1;
};

constexpr std::int64_t kKilo = 1'000;
constexpr std::int64_t kMega = 1'000'000;
constexpr std::int64_t kGiga = 1'000'000'000;
constexpr std::int64_t kTera = 1'000'000'000'000;
constexpr std::int64_t kKibi = std::int64_t{1} << 10;
constexpr std::int64_t kMebi = std::int64_t{1} << 20;
constexpr std::int64_t kGibi = std::int64_t{1} << 30;
constexpr std::int64_t kTebi = std::int64_t{1} << 40;

constexpr std::array<Unit, 9> kByteUnits = {{{"B", 1},
                                             {"kB", kKilo},
                                             {"MB", kMega},
                                             {"GB", kGiga},
                                             {"TB", kTera},
                                             {"KiB", kKibi},
                                             {"MiB", kMebi},
                                             {"GiB", kGibi},
                                             {"TiB", kTebi}}};
constexpr std::array<Unit, 17> kBandwidthUnits = {{{"B/s", 1},
                                                   {"kB/s", kKilo},
                                                   {"MB/s", kMega},
                                                   {"GB/s", kGiga},
                                                   {"TB/s", kTera},
                                                   {"KiB/s", kKibi},
                                                   {"MiB/s", kMebi},
                                                   {"GiB/s", kGibi},
                                                   {"TiB/s", kTebi},
                                                   {"b/s", 1, 8},
                                                   {"kb/s", kKilo, 8},
                                                   {"Mb/s", kMega, 8},
                                                   {"Gb/s", kGiga, 8},
                                                   {"Tb/s", kTera, 8},
                                                   {"Mbps", kMega, 8},
                                                   {"Gbps", kGiga, 8},
                                                   {"Tbps", kTera, 8}}};
constexpr std::array<Unit, 5> kTimeUnits = {
    {{"ps", 1}, {"ns", kKilo}, {"us", kMega}, {"ms", kGiga}, {"s", kTera}}};
constexpr std::array<Unit, 2> kRatioUnits = {{{"", kRatioOne}, {"%", kRatioOne / 100}}};
constexpr std::array<Unit, 1> kCountUnits = {{{"", 1}}};

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kBytes:
      return kByteUnits;
    case Dimension::kBandwidth:
      return kBandwidthUnits;
    case Dimension::kTime:
      return kTimeUnits;
    case Dimension::kRatio:
      return kRatioUnits;
    case Dimension::kCount:
      return kCountUnits;
    case Dimension::kFlag:
    case Dimension::kText:
      break;
  }
  return {};
}

bool has_units(Dimension dimension) {
  return dimension == Dimension::kBytes || dimension == Dimension::kBandwidth ||
         dimension == Dimension::kTime;
}

const Unit* find_unit(std::string_view name, Dimension dimension) {
  for (const Unit& unit : units_of(dimension)) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view take_digits(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  const std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  return digits;
}

// A text cut into its parts: sign, digits before and after the point, exponent, unit.
struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  bool has_point = false;
  bool has_exponent = false;
  int exponent = 0;
  std::string_view unit;
};

// "e-7" but not the start of a unit: a sign or digit has to follow the e.
void take_exponent(std::string_view& rest, Parts& parts) {
  if (rest.empty() || (rest[0] != 'e' && rest[0] != 'E')) return;
  std::string_view after = rest.substr(1);
  const bool minus = !after.empty() && after[0] == '-';
  if (!after.empty() && (after[0] == '-' || after[0] == '+')) after.remove_prefix(1);
  const std::string_view digits = take_digits(after);
  if (digits.empty()) return;
  constexpr int kEnough = 10'000;  // beyond any number that fits
  for (const char c : digits) parts.exponent = std::min(parts.exponent * 10 + (c - '0'), kEnough);
  if (minus) parts.exponent = -parts.exponent;
  parts.has_exponent = true;
  rest = after;
}

Parts split(std::string_view text) {
  Parts parts;
  std::string_view rest = trimmed(text);
  parts.negative = !rest.empty() && rest[0] == '-';
  if (parts.negative) rest.remove_prefix(1);
  parts.whole = take_digits(rest);
  parts.has_point = !rest.empty() && rest[0] == '.';
  if (parts.has_point) {
    rest.remove_prefix(1);
    parts.fraction = take_digits(rest);
  }
  if (!parts.whole.empty()) take_exponent(rest, parts);
  parts.unit = trimmed(rest);
  return parts;
}

// What is wrong with how the number is spelt; "" when nothing is.
std::string spelling_fault(std::string_view text, const Parts& parts) {
  const std::string shown = quoted(trimmed(text));
  if (trimmed(text).empty()) return "a number is missing";
  if (trimmed(text)[0] == '+') return shown + " starts with a plus sign";
  if (parts.whole.empty() && parts.has_point) return shown + " needs a digit before the point";
  const std::string word = lower(parts.unit);
  if (parts.whole.empty() && (word.starts_with("nan") || word.starts_with(".nan") ||
                              word.starts_with("inf") || word.starts_with(".inf"))) {
    return shown + " is not a finite number";
  }
  if (parts.whole.empty()) return shown + " is not a number";
  if (parts.whole == "0" && !parts.has_point && !word.empty() &&
      (word[0] == 'x' || word[0] == 'o')) {
    return shown + " is not a decimal number";
  }
  if (parts.whole.size() > 1 && parts.whole[0] == '0') {
    return shown + " starts with a zero: is it octal?";
  }
  if (parts.has_point && parts.fraction.empty()) return shown + " needs a digit after the point";
  if (!parts.unit.empty() && parts.unit.size() > 1 && is_digit(parts.unit[1]) &&
      (parts.unit[0] == ',' || parts.unit[0] == '_' || parts.unit[0] == '\'')) {
    return shown + " groups its digits";
  }
  return "";
}

bool counts_bits(std::string_view unit) {
  const std::string_view name = unit.ends_with("ps") ? unit.substr(0, unit.size() - 2) : unit;
  return name == "b" ||
         (name.size() == 2 && name[1] == 'b' &&
          std::string_view("kKMGT").find(name[0]) != std::string_view::npos) ||
         (unit.ends_with("/s") && counts_bits(unit.substr(0, unit.size() - 2)));
}

std::string expected(Dimension dimension) {
  if (dimension == Dimension::kCount) return "a whole number such as 8";
  if (dimension == Dimension::kFlag) return "true or false";
  return fmt::format("a {} such as {}", name_of(dimension), example_of(dimension));
}

bool is_ambiguous(std::string_view unit, Dimension dimension) {
  return (dimension == Dimension::kBytes && unit == "KB") ||
         (dimension == Dimension::kBandwidth && unit == "KB/s");
}

// The number without its unit, as the user wrote it.
std::string number_text(std::string_view text) {
  const std::string_view all = trimmed(text);
  return std::string(trimmed(all.substr(0, all.size() - split(all).unit.size())));
}

// 65536 -> "65,536".
std::string grouped(const std::string& digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

// "64 KiB (65,536 bytes) or 64 kB (64,000 bytes)": both things that "64KB" may mean.
Failure ambiguous(std::string_view text, Dimension dimension) {
  const bool rate = dimension == Dimension::kBandwidth;
  const std::string_view per = rate ? "/s" : "";
  const std::string number = number_text(text);
  std::vector<std::string> meanings;
  for (const std::string_view unit : {"KiB", "kB"}) {
    const std::string shown = fmt::format("{} {}{}", number, unit, per);
    const Result<Quantity> meaning = parse_quantity(shown, dimension);
    if (!meaning.ok()) return {fmt::format("{} is ambiguous", quoted(text)), expected(dimension)};
    const std::string amount = grouped(std::to_string(meaning.value().amount));
    meanings.push_back(fmt::format("{} ({} bytes{})", shown, amount, per));
  }
  return {fmt::format("{} is ambiguous for {}", quoted(text), rate ? "a bandwidth" : "bytes"),
          fmt::format("a {} such as {} or {}", name_of(dimension), meanings[0], meanings[1])};
}

Failure unit_fault(std::string_view text, std::string_view unit, Dimension dimension) {
  const std::string shown = quoted(text);
  if (unit.empty()) return {shown + " needs a unit", expected(dimension)};
  if (is_ambiguous(unit, dimension)) return ambiguous(text, dimension);
  if (dimension == Dimension::kBytes && counts_bits(unit)) {
    return {shown + " counts bits where bytes are wanted", expected(dimension)};
  }
  if (dimension == Dimension::kCount) {
    return {fmt::format("{} has {} after the number", shown, quoted(unit)), expected(dimension)};
  }
  return {fmt::format("unknown {} unit {} in {}", name_of(dimension), quoted(unit), shown),
          expected(dimension)};
}

// Digits without leading zeros and without zeros at the end of the fraction.
std::string significant_digits(Parts& parts) {
  while (!parts.fraction.empty() && parts.fraction.back() == '0') parts.fraction.remove_suffix(1);
  std::string digits(parts.whole);
  digits += parts.fraction;
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "" : digits.substr(first);
}

enum class Fit { kExact, kTooLarge, kNotWhole };

// number x 10^exponent x unit, exactly.
Fit scale(Wide number, int exponent, const Unit& unit, std::int64_t& amount) {
  const auto divisor = static_cast<Wide>(unit.divisor);
  const Wide limit = static_cast<Wide>(kLargest) * divisor;
  number *= static_cast<Wide>(unit.numerator);
  for (; exponent < 0; ++exponent) {
    if (number % 10 != 0) return Fit::kNotWhole;
    number /= 10;
  }
  for (; exponent > 0 && number <= limit; --exponent) number *= 10;
  if (number > limit) return Fit::kTooLarge;
  if (number % divisor != 0) return Fit::kNotWhole;
  amount = static_cast<std::int64_t>(number / divisor);
  return Fit::kExact;
}

std::string_view base_units(Dimension dimension) {
  switch (dimension) {
    case Dimension::kBytes:
      return "whole bytes";
    case Dimension::kBandwidth:
      return "whole bytes per second";
    case Dimension::kTime:
      return "whole picoseconds";
    case Dimension::kRatio:
      return "at most 9 decimals";
    default:
      return "a whole number such as 8";
  }
}

std::string_view largest(Dimension dimension) {
  switch (dimension) {
    case Dimension::kBytes:
      return "less than 8388608 TiB";
    case Dimension::kBandwidth:
      return "at most 9223372 TB/s, or unlimited";
    case Dimension::kTime:
      return "at most 9223372 s";
    case Dimension::kRatio:
      return "at most 9223372036";
    default:
      return "less than 9223372036854775808";
  }
}

Failure fit_fault(Fit fit, std::string_view text, Dimension dimension) {
  if (fit == Fit::kTooLarge) {
    return {quoted(text) + " is too large", std::string(largest(dimension))};
  }
  const bool count = dimension == Dimension::kCount;
  return {quoted(text) + (count ? " is not a whole number" : " is finer than this program counts"),
          std::string(base_units(dimension))};
}

Result<std::int64_t> parse_amount(std::string_view text, Dimension dimension) {
  Parts parts = split(text);
  std::string fault = spelling_fault(text, parts);
  if (!fault.empty()) return Failure{std::move(fault), expected(dimension)};
  const Unit* unit = find_unit(parts.unit, dimension);
  if (unit == nullptr) return unit_fault(text, parts.unit, dimension);
  if (parts.has_exponent && has_units(dimension)) {
    return Failure{quoted(text) + " has an exponent: use a larger or smaller unit",
                   expected(dimension)};
  }
  const std::string digits = significant_digits(parts);
  if (digits.empty()) return std::int64_t{0};
  if (digits.size() > kMostDigits) {
    const bool large = parts.fraction.empty() && parts.exponent >= 0;
    if (large) return fit_fault(Fit::kTooLarge, text, dimension);
    return Failure{fmt::format("{} has more than {} digits", quoted(text), kMostDigits),
                   expected(dimension)};
  }
  Wide number = 0;
  for (const char c : digits) number = number * 10 + static_cast<Wide>(c - '0');
  const int exponent = parts.exponent - static_cast<int>(parts.fraction.size());
  std::int64_t amount = 0;
  const Fit fit = scale(number, exponent, *unit, amount);
  if (fit != Fit::kExact) return fit_fault(fit, text, dimension);
  return parts.negative ? -amount : amount;
}

std::string quoted_choices(const std::vector<std::string>& choices) {
  std::string list;
  for (const std::string& choice : choices)
    list += fmt::format("{}'{}'", list.empty() ? "" : " or ", choice);
  return list;
}

std::string flag_hint(std::string_view text) {
  const std::string word = lower(trimmed(text));
  for (const std::string_view yes : {"yes", "on", "1", "y", "true", "enabled"}) {
    if (word == yes) return "write 'true'";
  }
  for (const std::string_view no : {"no", "off", "0", "n", "false", "disabled"}) {
    if (word == no) return "write 'false'";
  }
  return "";
}

// The spelling of `unit` that the tables use: "GBps" as "GB/s", and with or without "/s" as wanted.
std::string respelt(std::string unit, Dimension dimension) {
  if (dimension == Dimension::kTime) {
    return unit == "\u00b5s" || unit == "\u03bcs" ? "us" : unit;
  }
  if (unit.size() > 2 && unit.ends_with("ps") && find_unit(unit, dimension) == nullptr) {
    unit.replace(unit.size() - 2, 2, "/s");
  }
  if (dimension == Dimension::kBandwidth && !unit.ends_with("/s") && !unit.ends_with("ps")) {
    return unit + "/s";
  }
  const bool per_second = dimension == Dimension::kBytes && unit.ends_with("/s");
  return per_second ? unit.substr(0, unit.size() - 2) : unit;
}

// Units that `unit` may be meant to be; several when only the case of letters differs.
std::vector<std::string> meant_units(const std::string& unit, Dimension dimension) {
  const std::string spelt = respelt(unit, dimension);
  if (find_unit(spelt, dimension) != nullptr) return {spelt};
  std::vector<std::string> names;
  std::vector<std::string> same;
  for (const Unit& candidate : units_of(dimension)) {
    if (candidate.name.empty()) continue;
    names.emplace_back(candidate.name);
    const std::string name = lower(candidate.name);
    if (name == lower(unit) || name == lower(spelt)) same.emplace_back(candidate.name);
  }
  if (!same.empty()) return same;
  const std::string near = nearest(spelt, names);
  return near.empty() ? std::vector<std::string>{} : std::vector<std::string>{near};
}

}  // namespace

Result<Quantity> parse_quantity(std::string_view text, Dimension dimension) {
  Quantity quantity{dimension, 0, std::string(text)};
  if (dimension == Dimension::kText) return quantity;
  quantity.text = std::string(trimmed(text));
  if (dimension == Dimension::kFlag) {
    if (quantity.text != "true" && quantity.text != "false") {
      return Failure{quoted(text) + " is neither true nor false", expected(dimension)};
    }
    quantity.amount = quantity.text == "true" ? 1 : 0;
    return quantity;
  }
  if (dimension == Dimension::kBandwidth && quantity.text == kUnlimited) {
    quantity.amount = kLargest;
    return quantity;
  }
  const Result<std::int64_t> amount = parse_amount(quantity.text, dimension);
  if (!amount.ok()) return amount.failure();
  quantity.amount = amount.value();
  return quantity;
}

std::string hint_for(std::string_view text, Dimension dimension) {
  if (dimension == Dimension::kText) return "";
  if (dimension == Dimension::kFlag) return flag_hint(text);
  if (dimension == Dimension::kBandwidth && lower(trimmed(text)) == kUnlimited) {
    return fmt::format("did you mean '{}'?", kUnlimited);
  }
  const Parts parts = split(text);
  if (parts.whole.empty() || parts.unit.empty() || !spelling_fault(text, parts).empty()) return "";
  if (find_unit(parts.unit, dimension) || is_ambiguous(parts.unit, dimension)) return "";
  const std::string number = number_text(text);
  if (dimension == Dimension::kBytes && counts_bits(parts.unit)) {
    return "'b' means bits: 8 bits are 1 byte, written 'B'";
  }
  std::vector<std::string> meant = meant_units(std::string(parts.unit), dimension);
  for (std::string& unit : meant) unit = fmt::format("{} {}", number, unit);
  return meant.empty() ? "" : fmt::format("did you mean {}?", quoted_choices(meant));
}

}  // namespace sim
