// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/impairments.h"

#include <algorithm>
#include <cmath>

#include "sim/engine/packet/chance.h"

namespace sim::packet {
namespace {

constexpr std::uint64_t kAll = 1'000'000'000;  // parts per billion
// Streams of chance of one link: loss keeps the plain seed, the others take their own.
constexpr std::uint64_t kDamage = 0x5bd1'e995'0000'0001ULL;
constexpr std::uint64_t kLate = 0x5bd1'e995'0000'0002ULL;
constexpr std::int64_t kMostReplays = 1'000'000;

// Chance that one of two independent things happens.
std::uint64_t either(std::uint64_t a, std::uint64_t b) {
  const auto both = static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b / kAll);
  return std::min(kAll, a + b - both);
}

// Chance that any bit of a packet flips.
std::uint64_t damage(const Impairment& what, std::int64_t bytes) {
  if (what.bit_errors == 0) return what.corruption;
  const double rate = static_cast<double>(what.bit_errors) * 1e-15;
  const double bits = 8.0 * static_cast<double>(bytes);
  const double chance = rate >= 1.0 ? 1.0 : -std::expm1(bits * std::log1p(-rate));
  return either(what.corruption, static_cast<std::uint64_t>(std::llround(chance * 1e9)));
}

}  // namespace

void Impairments::add(std::uint32_t port, const Impairment& more) {
  if (of_.place.size() <= port) of_.place.resize(port + 1, kNone);
  std::uint32_t& place = of_.place[port];
  if (place == kNone) {
    place = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({port, {}});
  }
  Impairment& what = entries_[place].what;
  what.loss = either(what.loss, more.loss);
  what.corruption = either(what.corruption, more.corruption);
  what.bit_errors += more.bit_errors;
  what.late = either(what.late, more.late);
  what.lateness = std::max(what.lateness, more.lateness);
  what.outages.insert(what.outages.end(), more.outages.begin(), more.outages.end());
  std::ranges::sort(what.outages, {}, &Outage::from);
}

bool Impairments::loses(std::uint32_t port, std::int64_t count, std::int64_t now) const {
  const Impairment& what = of(port);
  for (const Outage& outage : what.outages) {
    if (outage.from <= now && now < outage.to) return true;
  }
  return what.loss != 0 && strikes(what.loss, seed_, port, static_cast<std::uint64_t>(count));
}

bool Impairments::damages(std::uint32_t port, std::int64_t count, std::int64_t bytes) const {
  const std::uint64_t chance = damage(of(port), bytes);
  return chance != 0 && strikes(chance, seed_ ^ kDamage, port, static_cast<std::uint64_t>(count));
}

std::int64_t Impairments::lateness(std::uint32_t port, std::int64_t count) const {
  const Impairment& what = of(port);
  if (what.late == 0) return 0;
  return strikes(what.late, seed_ ^ kLate, port, static_cast<std::uint64_t>(count)) ? what.lateness
                                                                                    : 0;
}

std::int64_t Impairments::begins(std::uint32_t port, std::int64_t count, std::int64_t bytes,
                                 std::int64_t now, std::int64_t again) const {
  const Impairment& what = of(port);
  const std::uint64_t chance = either(what.loss, damage(what, bytes));
  if (chance >= kAll) return kNever;
  for (std::int64_t replay = 0;; ++replay) {
    for (const Outage& outage : what.outages) {
      if (outage.from <= now && now < outage.to) now = outage.to;
    }
    if (now == kNever || replay == kMostReplays) return kNever;
    const std::uint64_t draw =
        static_cast<std::uint64_t>(count) + (static_cast<std::uint64_t>(replay) << 40);
    if (chance == 0 || !strikes(chance, seed_, port, draw)) return now;
    now += again;
  }
}

}  // namespace sim::packet
