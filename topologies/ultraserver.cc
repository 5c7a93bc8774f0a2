// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/ultraserver.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "sim/base/check.h"
#include "topologies/chip_shape.h"
#include "topologies/chip_wiring.h"

namespace topologies {

namespace {

using sim::EndpointId;

class UltraserverRoutes final : public sim::Routes {
 public:
  explicit UltraserverRoutes(ChipWiring wiring) : wiring_(std::move(wiring)) {}

  std::uint32_t path_count(EndpointId, EndpointId) const override { return 1; }

  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<sim::LinkId>& links) const override {
    CHECK(path == 0);
    wiring_.append_path(from, to, links);
  }

  std::uint8_t lane(EndpointId from, EndpointId to) const override {
    return wiring_.lane(from, to);
  }
  std::uint8_t lanes() const override { return wiring_.lanes(); }

 private:
  ChipWiring wiring_;
};

}  // namespace

std::vector<sim::Key> ultraserver_keys() { return chip_keys(); }

sim::Result<sim::Topology> make_ultraserver(const sim::Parameters& parameters) {
  const sim::Result<ChipShape> shape = chip_shape(parameters, 1);
  if (!shape.ok()) return shape.failure();
  sim::FabricBuilder builder;
  ChipWiring wiring = draw_chips(shape.value(), parameters, builder);
  return sim::Topology{std::make_unique<const sim::Fabric>(std::move(builder).seal()),
                       std::make_unique<const UltraserverRoutes>(std::move(wiring))};
}

}  // namespace topologies
