// SPDX-License-Identifier: GPL-2.0-only
// The `faults` section: parts by name -> faults of the fabric. A name may hold `*` for any text. A
// part that is not there is an error; so is a group that the faults cut into pieces, found before
// anything runs.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/loader/scenario.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/fabric/faults.h"
#include "sim/fabric/routes.h"

namespace scenarios {

// The keys of one item.
[[nodiscard]] std::vector<sim::Key> fault_keys();

// The topology with the faults of all items; as it was after a fault of the input was reported.
[[nodiscard]] sim::Topology apply_faults(const sim::Section::Entry& faults,
                                         const sim::Parameters& parameters, sim::Topology healthy,
                                         sim::Diagnostics& diagnostics);

// What these items do to a fabric; empty after a fault of the input was reported.
[[nodiscard]] std::optional<sim::FabricFaults> read_faults(
    const std::vector<const sim::Section*>& items, const sim::Parameters& parameters,
    const sim::Fabric& fabric, sim::Diagnostics& diagnostics);

// Reports the first pair of a case that has no way, once per group of ranks.
void check_connected(const sim::Section::Entry& faults, const sim::Topology& topology,
                     const std::vector<CaseSpec>& cases, sim::Diagnostics& diagnostics);

}  // namespace scenarios
