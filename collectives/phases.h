// SPDX-License-Identifier: GPL-2.0-only
// A hierarchical job as phases of flat jobs that run one after another at every rank: what inner
// groups and what lies across them do. With one slice only; several run into each other.
#pragma once

#include <string>
#include <vector>

#include "collectives/collectives.h"

namespace collectives {

struct PhaseJob {
  bool inside = true;     // of each inner group; else across, for each place
  std::string algorithm;  // a flat one
  Job job;                // of one inner group, or of the ranks of one place
};

struct Phases {
  sim::Bytes bytes;  // of the whole job: padded, so that all parts are equal
  std::vector<PhaseJob> phases;
};

// `job` is one that `hierarchical` can serve. Fails with several slices.
[[nodiscard]] sim::Result<Phases> phases_of(const Job& job);

}  // namespace collectives
