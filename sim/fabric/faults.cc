// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/faults.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/base/check.h"
#include "sim/fabric/detours.h"

namespace sim {

namespace {

class FaultyRoutes final : public Routes {
 public:
  FaultyRoutes(Topology healthy, const Fabric& faulty, Rerouting rerouting)
      : healthy_(std::move(healthy)), faulty_(faulty), detours_(faulty), rerouting_(rerouting) {}

  std::uint32_t path_count(EndpointId from, EndpointId to) const override {
    find_live(from, to);
    if (!live_.empty()) return static_cast<std::uint32_t>(live_.size());
    return rerouting_ == Rerouting::kStatic && detours_.exists(from, to) ? 1 : 0;
  }

  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    find_live(from, to);
    if (!live_.empty()) {
      return healthy_.routes->append_path(from, to, live_[path], links);
    }
    CHECK(path == 0 && rerouting_ == Rerouting::kStatic);
    detours_.append(from, to, links);
  }

  std::uint8_t lane(EndpointId from, EndpointId to) const override {
    find_live(from, to);
    if (!live_.empty()) return healthy_.routes->lane(from, to);
    const int extra = detours_.crosses_nics(from, to) ? 1 : 0;
    return static_cast<std::uint8_t>(healthy_.routes->lanes() + extra);
  }

  std::uint8_t lanes() const override {
    const std::uint8_t own = healthy_.routes->lanes();
    return rerouting_ == Rerouting::kStatic ? static_cast<std::uint8_t>(own + 2) : own;
  }

 private:
  bool works(EndpointId from, EndpointId to, std::uint32_t path) const {
    links_.clear();
    healthy_.routes->append_path(from, to, path, links_);
    return std::ranges::none_of(links_, [this](LinkId link) { return faulty_.dead(link); });
  }

  // The paths of the pair that work, kept until another pair is asked for.
  void find_live(EndpointId from, EndpointId to) const {
    if (known_ && from == from_ && to == to_) return;
    known_ = true;
    from_ = from;
    to_ = to;
    live_.clear();
    const std::uint32_t paths = healthy_.routes->path_count(from, to);
    for (std::uint32_t path = 0; path < paths; ++path) {
      if (works(from, to, path)) live_.push_back(path);
    }
  }

  Topology healthy_;
  const Fabric& faulty_;
  Detours detours_;
  Rerouting rerouting_;
  mutable bool known_ = false;
  mutable EndpointId from_{};
  mutable EndpointId to_{};
  mutable std::vector<std::uint32_t> live_;
  mutable std::vector<LinkId> links_;
};

}  // namespace

Topology with_faults(Topology healthy, const FabricFaults& faults) {
  Fabric fabric = *healthy.fabric;
  for (const FabricFaults::OnLink& fault : faults.links) fabric.impair(fault.link, fault.share);
  for (const FabricFaults::OnEndpoint& fault : faults.ends) fabric.impair(fault.end, fault.share);
  auto faulty = std::make_unique<const Fabric>(std::move(fabric));
  auto routes = std::make_unique<const FaultyRoutes>(std::move(healthy), *faulty, faults.rerouting);
  return {std::move(faulty), std::move(routes)};
}

std::optional<CutPair> first_cut_pair(const Topology& topology, std::span<const EndpointId> ends) {
  for (const EndpointId from : ends) {
    for (const EndpointId to : ends) {
      if (from != to && topology.routes->path_count(from, to) == 0) return CutPair{from, to};
    }
  }
  return std::nullopt;
}

}  // namespace sim
