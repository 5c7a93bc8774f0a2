// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/random.h"

#include <bit>

#include "sim/base/check.h"

namespace sim {
namespace {

// splitmix64: the state advances by a constant, the output is a mix of it (Steele, Lea, Flood
// 2014).
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::string_view purpose) : state_{} {
  std::uint64_t mixed = seed;
  mixed = split_mix(mixed) ^ purpose.size();
  for (const char c : purpose) mixed = split_mix(mixed) ^ static_cast<unsigned char>(c);
  for (std::uint64_t& word : state_) word = split_mix(mixed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

// Multiply and reject the few values that would make some results likelier (Lemire 2019).
std::uint64_t Random::below(std::uint64_t bound) {
  CHECK(bound > 0);
  const std::uint64_t reject_below = (0 - bound) % bound;
  while (true) {
    const auto product = static_cast<unsigned __int128>(next()) * bound;
    if (static_cast<std::uint64_t>(product) >= reject_below) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

bool Random::one_in(std::uint64_t parts_per_billion) {
  return below(1'000'000'000) < parts_per_billion;
}

}  // namespace sim
