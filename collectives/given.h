// SPDX-License-Identifier: GPL-2.0-only
// Given: a schedule that a file gives, in place of an algorithm of the catalog.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collectives/collectives.h"

namespace collectives {

class Given {
 public:
  virtual ~Given() = default;

  // Why it cannot serve the job, as the end of a sentence ("it is for 8 ranks").
  [[nodiscard]] virtual std::optional<std::string> obstacle(const Job& job) const = 0;
  // All ranks. CHECKs that there is no obstacle.
  [[nodiscard]] virtual sim::Schedule plan(const Job& job) const = 0;
  [[nodiscard]] virtual std::int64_t ops() const = 0;  // over all ranks
  // The size of the job, where the file says it.
  [[nodiscard]] virtual std::optional<sim::Bytes> bytes() const { return std::nullopt; }
};

}  // namespace collectives
