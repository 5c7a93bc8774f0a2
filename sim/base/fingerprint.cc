// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/fingerprint.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sim {

// The state is the seed of the next hash, so the order of what is added counts.
void Fingerprint::add(std::uint64_t number) {
  std::array<unsigned char, 8> bytes{};  // little-endian on every machine
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  }
  state_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), state_);
}

void Fingerprint::add(std::string_view text) {
  add(static_cast<std::uint64_t>(text.size()));
  state_ = XXH3_64bits_withSeed(text.data(), text.size(), state_);
}

std::string Fingerprint::hex() const { return fmt::format("{:016x}", state_); }

}  // namespace sim
