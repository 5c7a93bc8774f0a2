// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/on_chip.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>

#include "sim/base/quantity.h"
#include "topologies/keys.h"

namespace topologies {
namespace {

using sim::Bandwidth;
using sim::Failure;
using sim::Parameters;

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// A rate that may be unlimited.
sim::Key cap_key(std::string name, std::string help) {
  sim::Key key = bandwidth_key(std::move(name), std::move(help));
  key.most = kUnlimited;
  return key;
}

std::int64_t share_of(std::int64_t rate, std::int64_t share_ppb, std::int64_t parts) {
  if (rate == kUnlimited) return rate;
  return static_cast<std::int64_t>(static_cast<__int128>(rate) * share_ppb / sim::kRatioOne /
                                   parts);
}

// What `ends` equal endpoints of a chip have each. A cap of 0 would be no link at all.
Bandwidth rate_of(const Parameters& parameters, std::int64_t ends, bool whole_chip) {
  const std::int64_t efficiency = descriptor_efficiency(parameters);
  std::int64_t rate = share_of(parameters.bandwidth("chip.dma_bandwidth").value, efficiency, ends);
  if (!whole_chip) {
    const std::int64_t core = parameters.bandwidth("core.dma_bandwidth").value;
    rate = std::min(rate, share_of(core, efficiency, 1));
  }
  const std::int64_t memory = parameters.bandwidth("hbm.bandwidth").value;
  rate = std::min(rate, share_of(memory, parameters.ratio("hbm.share"), 2 * ends));
  return Bandwidth(std::max<std::int64_t>(rate, 1));
}

}  // namespace

std::vector<sim::Key> on_chip_keys() {
  return {
      bandwidth_key("core.dma_bandwidth", "DMA rate of one logical core, per direction"),
      time_key("core.latency", "between a core and the ports of its chip"),
      choice_key("chip.stage", {"ports", "memory"},
                 "whole chips as ranks: ports: only links bound what a chip sends; memory: its DMA "
                 "engines and memory do too"),
      cap_key("chip.dma_bandwidth", "DMA rate of all engines of a chip, per direction"),
      cap_key("hbm.bandwidth", "memory bandwidth of a chip, reads and writes together"),
      share_key("hbm.share", "share of it that collectives may use, beside compute"),
      cap_key("dma.engine_bandwidth", "rate of one DMA engine"),
      size_key("dma.packet", {64, 64 << 10}, "bytes that one DMA descriptor moves"),
      time_key("dma.descriptor", "what a DMA engine needs for each descriptor beside its bytes"),
  };
}

std::int64_t descriptor_efficiency(const Parameters& parameters) {
  const Bandwidth engine = parameters.bandwidth("dma.engine_bandwidth");
  const std::int64_t lost = parameters.time("dma.descriptor").value;
  if (engine.value == kUnlimited || lost == 0) return sim::kRatioOne;
  const std::int64_t moving = sim::transfer_time(parameters.bytes("dma.packet"), engine).value;
  return static_cast<std::int64_t>(static_cast<__int128>(sim::kRatioOne) * moving /
                                   (moving + lost));
}

OnChip on_chip(const Parameters& parameters) {
  OnChip stage;
  stage.ends = static_cast<std::uint32_t>(parameters.count("endpoints_per_chip"));
  stage.latency = parameters.time("core.latency");
  if (stage.ends == 0) {
    stage.whole_chip = parameters.text("chip.stage") == "memory";
    stage.ends = stage.whole_chip ? 1 : 0;
    stage.latency = sim::Time{};  // a chip's ports take from its memory
  }
  stage.rate =
      rate_of(parameters, std::max(stage.ends, 1U), parameters.count("endpoints_per_chip") == 0);
  return stage;
}

std::optional<Failure> fault_in_stage(const Parameters& parameters, const sim::Fabric& fabric) {
  if (parameters.find("chip.stage") == nullptr) return std::nullopt;  // a family without it
  const OnChip stage = on_chip(parameters);
  if (stage.ends > 0) return std::nullopt;
  std::int64_t ports = 0;
  for (const sim::LinkId link : fabric.out_links(fabric.node_of(sim::EndpointId{0}))) {
    ports += fabric.usable(link).value;
  }
  if (stage.rate.value >= ports) return std::nullopt;
  const auto text = [](std::int64_t rate) { return to_text(rate, sim::Dimension::kBandwidth); };
  return Failure{
      fmt::format("the ports of a chip carry {}, more than its DMA engines and its share "
                  "of memory give ({})",
                  text(ports), text(stage.rate.value)),
      "chip.stage: memory, or a larger chip.dma_bandwidth, hbm.bandwidth or hbm.share"};
}

}  // namespace topologies
