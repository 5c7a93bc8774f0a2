// SPDX-License-Identifier: GPL-2.0-only
// A torus of up to three dimensions: Trainium 1 and 2 (4x4, and a ring of 4 instances), TPU pods.
// Ways go x, then y, then z, the shorter way round; at half a ring even places go up and odd ones
// down. Rings of more than 4 have a lane for ways that cross their end and one for those that do
// not, for each dimension, so that credits cannot wait round a ring.
#pragma once

#include <vector>

#include "topologies/scale_up.h"

namespace topologies {

[[nodiscard]] std::vector<sim::Key> torus_keys();
[[nodiscard]] sim::Result<std::unique_ptr<const ScaleUp>> draw_torus(
    const sim::Parameters& parameters, std::int64_t domains, sim::FabricBuilder& builder);

}  // namespace topologies
