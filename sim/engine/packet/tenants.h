// SPDX-License-Identifier: GPL-2.0-only
// Several jobs on one network: the case's own and others, which start again whenever they are done
// and end with it. Each has its own Executor, to which a Tenant is a network of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/conditions.h"
#include "sim/engine/costs.h"
#include "sim/engine/executor.h"
#include "sim/engine/packet/packet_network.h"

namespace sim::packet {

class Tenants final : private Sink {
 public:
  Tenants(PacketNetwork& network, const EndCosts& costs);
  ~Tenants() override;
  Tenants(const Tenants&) = delete;
  Tenants& operator=(const Tenants&) = delete;

  // First the case's own job, then the others. What it returns lives as long as the Tenants.
  Executor& add(const Schedule& schedule, const Placement& placement);
  // Runs all of them until the first is done or cannot go on.
  void run();

 private:
  class Tenant;

  void delivered(std::uint32_t id) override;
  void woken(std::uint32_t id) override;
  Tenant& tenant_of(std::uint32_t id);
  void after(Tenant& tenant);

  PacketNetwork& network_;
  EndCosts costs_;
  std::vector<std::unique_ptr<Tenant>> tenants_;
  std::uint32_t next_id_ = 0;
};

}  // namespace sim::packet
