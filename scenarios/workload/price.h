// SPDX-License-Identifier: GPL-2.0-only
// What a collective costs, asked by a step: a Group says which ranks take part, a Move what they
// do. All groups of one family (the same axes from every base rank) run at the same time, as they
// do in a step, so a price includes what they take from each other. Bytes are counted as
// sim/schedule/collective.h does; for kShift they are what each rank sends to the next member.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace workload {

enum class Move : std::uint8_t { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kShift };
[[nodiscard]] std::string_view name_of(Move move);  // "all_reduce", ..., "send"

// Members of the group of rank r are r's own digits with those of the axes replaced: rank = base +
// sum of digit x stride. Strides ascend, and one axis lies outside the one before it.
struct Axis {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  auto operator<=>(const Axis&) const = default;
};
struct Group {
  std::array<Axis, 3> axes{};
  auto operator<=>(const Group&) const = default;
  [[nodiscard]] std::int64_t size() const { return axes[0].size * axes[1].size * axes[2].size; }
};

// Places of a cluster, innermost first: on a chip, in a sled, ..., beyond everything.
inline constexpr std::size_t kMostTiers = 8;
using TierBytes = std::array<std::int64_t, kMostTiers>;

struct Price {
  sim::Time time;
  TierBytes sent{};            // bytes that one rank sends, by the place they stay inside
  std::string_view algorithm;  // as the pricer calls it
};

class CollectivePrice {
 public:
  virtual ~CollectivePrice() = default;

  // `stretch`: the busiest member moves so many times the mean (skewed all-to-all).
  [[nodiscard]] virtual Price price(Move move, const Group& group, std::int64_t bytes,
                                    double stretch) = 0;
  [[nodiscard]] virtual const std::vector<std::string>& tiers() const = 0;
  [[nodiscard]] virtual std::string source() const = 0;  // a sentence for the answer
};

// Bytes that one rank sends in a collective of n ranks, whatever the algorithm (ring, direct and
// recursive all send as much).
[[nodiscard]] std::int64_t bytes_sent(Move move, std::int64_t n, std::int64_t bytes);

}  // namespace workload
