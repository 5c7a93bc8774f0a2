// SPDX-License-Identifier: GPL-2.0-only
#include "sim/schedule/program.h"

#include <limits>
#include <utility>

#include "sim/base/check.h"

namespace sim {

std::string_view name_of(OpKind kind) {
  switch (kind) {
    case OpKind::kSend:
      return "send";
    case OpKind::kReduce:
    case OpKind::kReduceInto:
    case OpKind::kReduceOwn:
      return "reduce";
    case OpKind::kCopy:
    case OpKind::kTake:
      return "copy";
    case OpKind::kInSwitch:
      return "in-switch reduction";
    case OpKind::kCompute:
      break;
  }
  return "compute";
}

Op Op::compute(Time duration, std::uint32_t stream) {
  CHECK(duration.value >= 0);
  Op op;
  op.kind = OpKind::kCompute;
  op.blocks.repeats = 0;  // no bytes
  op.target = static_cast<std::uint32_t>(duration.value);
  op.peer = static_cast<Rank>(duration.value >> 32);
  op.slot = stream;
  return op;
}

Time Op::duration() const {
  return Time(static_cast<std::int64_t>((std::uint64_t{peer} << 32U) | target));
}

BlockSizes::BlockSizes(Bytes total, std::uint32_t parts, std::uint32_t regions)
    : total_(total), parts_(parts), regions_(regions) {
  CHECK(total.value >= 0 && parts > 0 && regions > 0);
  CHECK(std::uint64_t{parts} * regions <= std::numeric_limits<std::uint32_t>::max());
}

BlockSizes::BlockSizes(const std::vector<std::int64_t>& sizes, std::uint32_t parts)
    : parts_(parts), regions_(1) {
  CHECK(parts > 0 && parts <= sizes.size());
  CHECK(sizes.size() < std::numeric_limits<std::uint32_t>::max());
  std::vector<std::int64_t> prefixes{0};
  prefixes.reserve(sizes.size() + 1);
  for (const std::int64_t size : sizes) prefixes.push_back(prefixes.back() + size);
  total_ = Bytes(prefixes[parts]);
  prefixes_ = std::make_shared<const std::vector<std::int64_t>>(std::move(prefixes));
}

Bytes BlockSizes::bytes_of(const Blocks& blocks) const {
  if (!prefixes_ && total_.value % parts_ == 0) return Bytes(total_.value / parts_ * blocks.size());
  Bytes sum;
  for (std::uint32_t r = 0; r < blocks.repeats; ++r) {
    const std::uint32_t start = blocks.first + r * blocks.stride;
    sum += prefix(start + blocks.run) - prefix(start);
  }
  return sum;
}

Bytes BlockSizes::prefix(std::uint32_t block) const {
  if (prefixes_) return Bytes((*prefixes_)[block]);
  const std::uint32_t region = block / parts_;
  const auto scaled = static_cast<__int128>(total_.value) * (block % parts_);
  return Bytes(total_.value * region + static_cast<std::int64_t>(scaled / parts_));
}

}  // namespace sim
