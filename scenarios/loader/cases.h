// SPDX-License-Identifier: GPL-2.0-only
// One item of `workload` -> its cases: every group x size x algorithm, in that nesting order, each
// placed and found to be possible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/loader/given_files.h"
#include "scenarios/loader/scenario.h"
#include "scenarios/loader/selector.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace scenarios {

// Appends the cases of `item`, which has been read without faults. Without a fabric (the cluster
// has faults) only what needs none is checked. `path` names the item in messages.
struct Workload {
  const sim::Section& item;
  std::string path;
  const sim::Fabric* fabric = nullptr;
  std::int64_t most_ops = 0;
  const Selector* selector = nullptr;  // null with the fabric
  std::uint32_t domains = 1;           // of a cluster told by symmetry, of which `fabric` is one
  GivenFiles* files = nullptr;
  std::uint64_t seed = 1;
  std::string folder = {};  // where files that the item names lie; "": where the program runs
};
void add_cases(const Workload& workload, sim::Diagnostics& diagnostics,
               std::vector<CaseSpec>& cases);

}  // namespace scenarios
