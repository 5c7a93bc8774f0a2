// SPDX-License-Identifier: GPL-2.0-only
// The sizes and the numbers of chips that an item of `workload` goes through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/key.h"
#include "sim/schedule/collective.h"

namespace scenarios {

struct Size {
  enum class Of { kBuffer, kPeer, kTokens, kMatrix };

  sim::Quantity quantity;  // of bytes, or a count of tokens
  sim::Position place;
  Of of = Of::kBuffer;
};

// Reports sizes that are missing, or that the collective has no use for.
[[nodiscard]] std::vector<Size> read_sizes(const sim::Section& item, const std::string& path,
                                           sim::Collective collective,
                                           sim::Diagnostics& diagnostics);
// "64 KiB", "64 KiB per peer", "4096 tokens", "matrix".
[[nodiscard]] std::string text_of(const Size& size);

// How many chips: a number, or all (nothing).
struct GroupSize {
  std::optional<std::int64_t> chips;
  sim::Position place;
};
[[nodiscard]] std::vector<GroupSize> read_groups(const sim::Section& item, const std::string& path,
                                                 sim::Diagnostics& diagnostics);

}  // namespace scenarios
