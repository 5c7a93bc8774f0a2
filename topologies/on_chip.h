// SPDX-License-Identifier: GPL-2.0-only
// The on-chip stage: what DMA engines and memory let through between an endpoint and the ports of
// its chip, per direction. It is a link, so every fidelity knows it. With logical cores each has
// one; whole chips have one only with `chip.stage: memory`, else nothing may be narrower than their
// ports, which is checked.
//
// Source of the law: aws-neuron-sdk, nki-dma-bandwidth-guide.rst. An engine moves a packet of
// `dma.packet` bytes at its rate and then needs `dma.descriptor` for the next one, so it reaches
// packet / (packet + descriptor x engine rate) of its rate. Memory serves reads and writes: a
// direction has half of what collectives may use.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/fabric.h"

namespace topologies {

// core.*, chip.*, hbm.* and dma.* as the fabric reads them.
[[nodiscard]] std::vector<sim::Key> on_chip_keys();

struct OnChip {
  std::uint32_t ends = 0;  // endpoints with a link to their chip; 0: the chip is the endpoint
  bool whole_chip = false;
  sim::Bandwidth rate;  // of each link, per direction
  sim::Time latency;
};

// From `endpoints_per_chip` and the keys above, which have been checked.
[[nodiscard]] OnChip on_chip(const sim::Parameters& parameters);

// Of the engines of one core or chip: share of their rate left by descriptors, parts per billion.
[[nodiscard]] std::int64_t descriptor_efficiency(const sim::Parameters& parameters);

// Fails where the stage is not drawn though the ports of a chip can carry more than it.
[[nodiscard]] std::optional<sim::Failure> fault_in_stage(const sim::Parameters& parameters,
                                                         const sim::Fabric& fabric);

}  // namespace topologies
