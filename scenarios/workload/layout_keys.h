// SPDX-License-Identifier: GPL-2.0-only
// The keys of `layout` in a scenario, and their reading. Names are TorchTitan's where it has one.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/workload/layout.h"
#include "sim/base/diagnostic.h"
#include "sim/base/key.h"

namespace workload {

[[nodiscard]] std::vector<sim::Key> layout_keys();

// `section` has been read without faults. data_parallel_shard_degree that is left out takes the
// rest of the `ranks`; what does not divide stays idle. Nothing is checked against a model.
[[nodiscard]] Layout read_layout(const sim::Section& section, Phase phase, std::int64_t ranks);

// Reports the first fault of the layout at its key, with the nearest layouts that would work.
[[nodiscard]] bool check_layout(const Model& model, const Layout& layout, std::int64_t ranks,
                                const sim::Section& section, sim::Diagnostics& diagnostics);

}  // namespace workload
