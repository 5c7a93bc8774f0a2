// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/ultraserver.h"

#include <memory>
#include <utility>

#include "topologies/chip_shape.h"
#include "topologies/chip_wiring.h"

namespace topologies {

std::vector<sim::Key> ultraserver_keys() { return chip_keys(); }

sim::Result<std::unique_ptr<const ScaleUp>> draw_ultraservers(const sim::Parameters& parameters,
                                                              std::int64_t domains,
                                                              sim::FabricBuilder& builder) {
  const sim::Result<ChipShape> shape = chip_shape(parameters, domains);
  if (!shape.ok()) return shape.failure();
  auto wiring = std::make_unique<ChipWiring>(shape.value());
  wiring->draw(parameters, builder);
  return std::unique_ptr<const ScaleUp>(std::move(wiring));
}

}  // namespace topologies
