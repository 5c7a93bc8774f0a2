// SPDX-License-Identifier: GPL-2.0-only
// How many ops a job takes over all ranks, without planning all of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "collectives/collectives.h"

namespace scenarios {

class CaseOps {
 public:
  // `algorithm` must be able to serve `job`.
  [[nodiscard]] std::int64_t of(const std::string& algorithm, const collectives::Job& job);

 private:
  using Key = std::tuple<std::string, sim::Collective, sim::Rank, sim::Rank>;

  std::map<Key, std::int64_t> known_;
};

}  // namespace scenarios
