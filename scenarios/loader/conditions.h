// SPDX-License-Identifier: GPL-2.0-only
// The sections `impairments` and `neighbours`: what ails the network while the workload runs, and
// who shares it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/loader/scenario.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace scenarios {

// Keys of one impairment. What names a place (`on`) is a class of links, a node or one link.
[[nodiscard]] std::vector<sim::Key> impairment_keys();

// One item of `impairments`, read without faults of its own, on the fabric.
void add_impairment(const sim::Section& item, const std::string& path, const sim::Fabric& fabric,
                    sim::Diagnostics& diagnostics, sim::Conditions& conditions);

// One item of `neighbours`: background load, or a job (then true; it is a case like those of the
// workload).
bool add_load(const sim::Section& item, const std::string& path, const sim::Fabric& fabric,
              sim::Diagnostics& diagnostics, sim::Conditions& conditions);

}  // namespace scenarios
