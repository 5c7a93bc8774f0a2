// SPDX-License-Identifier: GPL-2.0-only
// Contributors: sets of ranks whose data is merged in a block, interned so that equal sets have
// equal numbers. Set r < ranks is rank r alone. A set is kept as sorted runs of ranks, so the
// intervals of a ring and the strides of a hierarchy stay small. Used by verify only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/schedule/collective.h"

namespace sim {

class Contributors {
 public:
  using Id = std::uint32_t;

  explicit Contributors(Rank ranks);

  [[nodiscard]] Id only(Rank rank) const { return rank; }
  [[nodiscard]] Id all() const { return all_; }
  // The union of two sets; empty when they share a rank.
  [[nodiscard]] std::optional<Id> merged(Id a, Id b);
  // The union of two sets that may share ranks.
  [[nodiscard]] Id united(Id a, Id b);
  [[nodiscard]] std::string to_text(Id id) const;  // "ranks 0..3, 7"

 private:
  struct Run {
    Rank first;
    Rank end;
    bool operator==(const Run&) const = default;
  };

  [[nodiscard]] std::span<const Run> runs(Id id) const;
  [[nodiscard]] bool merge_into_scratch(Id a, Id b);  // false: they share a rank
  [[nodiscard]] Id intern();                          // of scratch_
  void append(Run run);                               // to scratch_

  std::vector<Run> pool_;
  std::vector<std::size_t> start_;  // by set, one more than sets
  std::unordered_map<std::uint64_t, Id> by_hash_;
  std::vector<Run> scratch_;
  Id all_ = 0;
  Id last_a_ = 0;  // the last union asked for: the blocks of one op mostly repeat it
  Id last_b_ = 0;
  std::optional<Id> last_union_;
};

}  // namespace sim
