// SPDX-License-Identifier: GPL-2.0-only
// Dead and slow parts of a fabric that are so from the start. `with_faults` gives the fabric with
// these faults and routes that leave dead links out: of a pair's paths those that still work, in
// their order. Where none is left and rerouting is static, the pair takes a detour: the shortest
// way that goes up towards one switch and then down again (up*/down*, Schroeder et al., 1991), on
// lanes of their own (one without NICs, one over them), so that detours cannot wait for each other
// in a cycle. Detours over NICs are taken only where there is no other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/fabric/fabric.h"
#include "sim/fabric/routes.h"

namespace sim {

enum class Rerouting : std::uint8_t {
  kNone,    // a pair whose ways are all dead is cut off
  kStatic,  // routes have been set anew
};

struct FabricFaults {
  struct OnLink {
    LinkId link{};
    std::int64_t share = 0;  // parts per billion of the rate that are left; 0: dead
  };
  struct OnEndpoint {
    EndpointId end{};
    std::int64_t share = 0;  // of its own work, computing and copying; above 0
  };
  std::vector<OnLink> links;  // several on one link: the least share holds
  std::vector<OnEndpoint> ends;
  Rerouting rerouting = Rerouting::kNone;
};

[[nodiscard]] Topology with_faults(Topology healthy, const FabricFaults& faults);

struct CutPair {
  EndpointId from{};
  EndpointId to{};
};

// The first pair of `ends`, in their order, that has no way; empty when all have. Healthy
// topologies have one for every pair, so this asks `with_faults` ones only.
[[nodiscard]] std::optional<CutPair> first_cut_pair(const Topology& topology,
                                                    std::span<const EndpointId> ends);

}  // namespace sim
