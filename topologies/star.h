// SPDX-License-Identifier: GPL-2.0-only
// A star: any number of ends on one switch. The neutral fabric for benchmarks and closed forms.
#pragma once

#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/routes.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> star_keys();
[[nodiscard]] sim::Result<sim::Topology> make_star(const sim::Parameters& parameters);

}  // namespace topologies
