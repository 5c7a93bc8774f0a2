// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/program.h"

#include <limits>

#include "sim/base/check.h"

namespace sim {

BlockSizes::BlockSizes(Bytes total, std::uint32_t parts, std::uint32_t regions)
    : total_(total), parts_(parts), regions_(regions) {
  CHECK(total.value >= 0 && parts > 0 && regions > 0);
  CHECK(std::uint64_t{parts} * regions <= std::numeric_limits<std::uint32_t>::max());
}

Bytes BlockSizes::bytes_of(const Blocks& blocks) const {
  if (total_.value % parts_ == 0) return Bytes(total_.value / parts_ * blocks.size());
  Bytes sum;
  for (std::uint32_t r = 0; r < blocks.repeats; ++r) {
    const std::uint32_t start = blocks.first + r * blocks.stride;
    sum += prefix(start + blocks.run) - prefix(start);
  }
  return sum;
}

Bytes BlockSizes::prefix(std::uint32_t block) const {
  const std::uint32_t region = block / parts_;
  const auto scaled = static_cast<__int128>(total_.value) * (block % parts_);
  return Bytes(total_.value * region + static_cast<std::int64_t>(scaled / parts_));
}

}  // namespace sim
