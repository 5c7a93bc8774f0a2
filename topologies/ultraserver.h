// SPDX-License-Identifier: GPL-2.0-only
// One UltraServer: its chips with the sled switches, rack switches and twin links that join them.
#pragma once

#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/routes.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> ultraserver_keys();
[[nodiscard]] sim::Result<sim::Topology> make_ultraserver(const sim::Parameters& parameters);

}  // namespace topologies
