// SPDX-License-Identifier: GPL-2.0-only
#include "sim/fabric/lanes.h"

#include <fmt/core.h>

#include <utility>

namespace sim {
namespace {

class SpreadRoutes final : public Routes {
 public:
  SpreadRoutes(std::unique_ptr<const Routes> routes, std::uint8_t times)
      : routes_(std::move(routes)), times_(times) {}

  std::uint32_t path_count(EndpointId from, EndpointId to) const override {
    return routes_->path_count(from, to);
  }
  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    routes_->append_path(from, to, path, links);
  }
  std::uint8_t lane(EndpointId from, EndpointId to) const override {
    return static_cast<std::uint8_t>(routes_->lane(from, to) * times_ + index(to) % times_);
  }
  std::uint8_t lanes() const override {
    return static_cast<std::uint8_t>(routes_->lanes() * times_);
  }

 private:
  std::unique_ptr<const Routes> routes_;
  std::uint8_t times_;
};

}  // namespace

Result<Topology> spread_over_lanes(Topology topology, std::int64_t times) {
  if (times == 1) return topology;
  const std::int64_t all = topology.routes->lanes() * times;
  if (all > kMostLanes) {
    return Failure{fmt::format("{} lanes for each of {} orders of links are {} lanes", times,
                               topology.routes->lanes(), all),
                   fmt::format("at most {} lanes", kMostLanes)};
  }
  topology.routes = std::make_unique<const SpreadRoutes>(std::move(topology.routes),
                                                         static_cast<std::uint8_t>(times));
  return topology;
}

}  // namespace sim
