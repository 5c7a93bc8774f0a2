// SPDX-License-Identifier: GPL-2.0-only
// The key `cluster.fabric`: nodes and links of a user's own -> an OwnFabric, every fault with its
// place. A node with a count stands for that many, numbered from 0 behind its name; a link's end
// may hold `*` for any text, and joins each that fits to each.
#pragma once

#include <optional>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/key.h"
#include "topologies/own.h"

namespace scenarios {

[[nodiscard]] std::vector<sim::Key> own_fabric_keys();

// Empty after a fault was reported.
[[nodiscard]] std::optional<topologies::OwnFabric> read_own_fabric(const sim::Section& section,
                                                                   sim::Diagnostics& diagnostics);

}  // namespace scenarios
