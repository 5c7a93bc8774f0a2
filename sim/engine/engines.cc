// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/engines.h"

#include "sim/base/check.h"
#include "sim/engine/analytic/play.h"
#include "sim/engine/flow/play.h"
#include "sim/engine/packet/packet_options.h"
#include "sim/engine/packet/play.h"

namespace sim {

const Catalog<Play>& engines() {
  static const Catalog<Play> catalog({
      {"packet", "every packet through ns-3: queues, credits, losses", packet::packet_keys(),
       packet::play},
      {"flow", "fluid transfers with max-min fair rates: no packets, no queues", flow::flow_keys(),
       flow::play},
      {"analytic", "times from link loads and costs at the ends: for sweeps",
       analytic::analytic_keys(), analytic::play},
  });
  return catalog;
}

std::uint64_t expected_packet_hops(const Case& c) { return packet::expected_hops(c); }

std::uint64_t expected_work(const std::string& engine, const Case& c) {
  return engine == "packet" ? expected_packet_hops(c) : c.schedule->sends();
}

const std::vector<std::string>& limits_of(const std::string& engine) {
  if (engine == "flow") return flow::limits();
  if (engine == "analytic") return analytic::limits();
  CHECK(engine == "packet");
  return packet::limits();
}

}  // namespace sim
