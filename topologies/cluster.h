// SPDX-License-Identifier: GPL-2.0-only
// Scale-up domains joined by a scale-out Clos: the NICs of the chips and the ways through them.
// With one NIC per chip the NIC hangs on its chip; else chips and NICs share a PCIe switch, by
// chip where a chip has several NICs, by NIC where several chips have one. A chip's traffic to
// another domain spreads over its NICs, each of which talks to the NIC of the same number there.
#pragma once

#include <string>
#include <vector>

#include "topologies/scale_up.h"

namespace topologies {

struct Joined {
  DrawScaleUp draw;
  std::string domains;  // the key that counts domains: "servers", "ultraservers"
  std::string buffer;   // the key of the scale-up links' buffer, which NIC buses have too
};

// The family's keys, those of NICs and Clos, and the one that counts domains.
[[nodiscard]] std::vector<sim::Key> joined_keys(std::vector<sim::Key> family,
                                                const std::string& domains);
[[nodiscard]] sim::Result<sim::Topology> make_joined(const Joined& joined,
                                                     const sim::Parameters& parameters);

}  // namespace topologies
