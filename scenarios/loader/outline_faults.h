// SPDX-License-Identifier: GPL-2.0-only
// The `faults` section of a cluster told by symmetry: what is at fault inside which UltraServer,
// and which ways out of them are slow. UltraServers with the same faults are one kind, drawn once.
// Faults of the network between them, and chips or NICs that are cut off, cannot be told so: they
// are reported.
#pragma once

#include "sim/base/diagnostic.h"
#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/outline.h"

namespace scenarios {

// Fills in what the outline says of faults. `first`, the healthy first domain, gets its own.
void add_outline_faults(const sim::Section::Entry& faults, const sim::Parameters& parameters,
                        sim::Topology& first, sim::Outline& outline, sim::Diagnostics& diagnostics);

}  // namespace scenarios
