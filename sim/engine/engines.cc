// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/engines.h"

#include "sim/base/check.h"
#include "sim/engine/packet/packet_options.h"
#include "sim/engine/packet/play.h"

namespace sim {

const Catalog<Play>& engines() {
  static const Catalog<Play> catalog({
      {"packet", "every packet through ns-3: queues, credits, losses", packet::packet_keys(),
       packet::play},
  });
  return catalog;
}

std::uint64_t expected_packet_hops(const Case& c) { return packet::expected_hops(c); }

const std::vector<std::string>& limits_of(const std::string& engine) {
  CHECK(engine == "packet");
  return packet::limits();
}

}  // namespace sim
