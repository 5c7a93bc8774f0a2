// SPDX-License-Identifier: GPL-2.0-only
// How switches hold and mark packets: choices of the scenario beyond what the fabric says.
#pragma once

#include <cstdint>

namespace sim::packet {

struct QueueingOptions {
  bool round_robin = false;        // credit links: outputs serve the inputs in turn, not by arrival
  bool pfc = false;                // Ethernet pauses instead of dropping (as credits of the buffer)
  bool endless = false;            // Ethernet neither drops nor pauses: the ideal transport
  std::int64_t shared_buffer = 0;  // bytes per Ethernet switch; 0: each port has its own
  std::int64_t share_ppb = 0;      // most of the free shared buffer that one port takes (alpha)
  std::int64_t ecn_threshold = 0;  // queue at which packets are marked; 0: never
};

}  // namespace sim::packet
