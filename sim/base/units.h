// SPDX-License-Identifier: GPL-2.0-only
// Time, bytes and bandwidth as distinct 64-bit integer types, so that no two can be mixed up.
// Time counts picoseconds; Bandwidth counts bytes per second. The one conversion between them,
// `transfer_time`, works in 128 bits and rounds up, so no link ever carries more than it can.
#pragma once

#include <compare>
#include <cstdint>

namespace sim {

template <class Tag>
struct Measure {
  std::int64_t value = 0;

  constexpr Measure() = default;
  constexpr explicit Measure(std::int64_t v) : value(v) {}
  constexpr auto operator<=>(const Measure&) const = default;
  constexpr Measure operator+(Measure other) const { return Measure(value + other.value); }
  constexpr Measure operator-(Measure other) const { return Measure(value - other.value); }
  constexpr Measure operator*(std::int64_t factor) const { return Measure(value * factor); }
  constexpr Measure& operator+=(Measure other) { return value += other.value, *this; }
  constexpr Measure& operator-=(Measure other) { return value -= other.value, *this; }
};

using Time = Measure<struct TimeTag>;            // picoseconds
using Bytes = Measure<struct BytesTag>;          // bytes
using Bandwidth = Measure<struct BandwidthTag>;  // bytes per second

inline constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

constexpr Time picoseconds(std::int64_t n) { return Time(n); }
constexpr Time nanoseconds(std::int64_t n) { return Time(n * 1'000); }
constexpr Time microseconds(std::int64_t n) { return Time(n * 1'000'000); }
constexpr Bytes kibibytes(std::int64_t n) { return Bytes(n << 10); }
constexpr Bytes mebibytes(std::int64_t n) { return Bytes(n << 20); }
constexpr Bandwidth gigabytes_per_second(std::int64_t n) { return Bandwidth(n * 1'000'000'000); }

// Time that `bytes` occupy a link of rate `bandwidth` (> 0), rounded up to the next picosecond.
constexpr Time transfer_time(Bytes bytes, Bandwidth bandwidth) {
  const auto scaled = static_cast<unsigned __int128>(bytes.value) * kPicosecondsPerSecond;
  const auto rate = static_cast<unsigned __int128>(bandwidth.value);
  return Time(static_cast<std::int64_t>((scaled + rate - 1) / rate));
}

// Average rate of `bytes` over `time` (> 0), in bytes per second, rounded down.
constexpr Bandwidth average_rate(Bytes bytes, Time time) {
  const auto scaled = static_cast<unsigned __int128>(bytes.value) * kPicosecondsPerSecond;
  return Bandwidth(static_cast<std::int64_t>(scaled / static_cast<unsigned __int128>(time.value)));
}

// For reports only: simulation arithmetic stays in integers.
constexpr double seconds(Time time) {
  return static_cast<double>(time.value) / static_cast<double>(kPicosecondsPerSecond);
}

}  // namespace sim
