// SPDX-License-Identifier: GPL-2.0-only
// The shape of UltraServers: how many chips stand where, and which of them share a sled, rack or
// plane. A chip is numbered by (ultraserver, rack, sled, position), the position running fastest;
// endpoints follow the same order, the cores of a chip running fastest. Group numbers count over
// the whole cluster. Shape and hop counts: SemiAnalysis, AWS Trainium3 Deep Dive (Dec 2025).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/base/result.h"
#include "sim/fabric/fabric.h"

namespace topologies {

// Which rack relays traffic between chips of two racks that are not each other's twins.
enum class Relay : std::uint8_t {
  kSource,       // in the own rack to the twin of the destination, then over the twin link
  kDestination,  // over the own twin link, then in the rack of the destination
  kSplit,        // pairs alternate between the two, each order on a lane of its own
};

struct ChipShape {
  std::uint32_t ultraservers = 1;
  std::uint32_t racks = 1;      // 1 or 2
  std::uint32_t sleds = 1;      // per rack
  std::uint32_t positions = 1;  // chips per sled
  std::uint32_t planes = 1;     // per rack; divides positions
  std::uint32_t cores = 0;      // endpoints per chip; 0: the chip itself is the endpoint
  bool flat = false;            // one switch instead of sled switches, rack switches and twins
  bool direct_sled = false;     // the chips of a sled are joined directly, without a switch
  Relay relay = Relay::kSource;

  [[nodiscard]] std::uint32_t rack_chips() const { return sleds * positions; }
  [[nodiscard]] std::uint32_t chips() const { return racks * rack_chips(); }  // per UltraServer
  [[nodiscard]] std::uint32_t all_chips() const { return ultraservers * chips(); }
  [[nodiscard]] std::uint32_t ends_per_chip() const { return cores == 0 ? 1 : cores; }
  [[nodiscard]] std::uint32_t chip_of(sim::EndpointId end) const {
    return index(end) / ends_per_chip();
  }

  [[nodiscard]] std::uint32_t ultraserver_of(std::uint32_t chip) const { return chip / chips(); }
  [[nodiscard]] std::uint32_t rack_of(std::uint32_t chip) const { return chip / rack_chips(); }
  [[nodiscard]] std::uint32_t sled_of(std::uint32_t chip) const { return chip / positions; }
  [[nodiscard]] std::uint32_t position_of(std::uint32_t chip) const { return chip % positions; }
  [[nodiscard]] std::uint32_t plane_of(std::uint32_t chip) const {
    return rack_of(chip) * planes + position_of(chip) / (positions / planes);
  }
  // The same for both chips of a twin pair. With two racks only.
  [[nodiscard]] std::uint32_t twin_pair_of(std::uint32_t chip) const {
    return ultraserver_of(chip) * rack_chips() + chip % rack_chips();
  }
  [[nodiscard]] std::uint32_t twin_of(std::uint32_t chip) const {
    return rack_of(chip) % 2 == 0 ? chip + rack_chips() : chip - rack_chips();
  }
  // "rack 0, sled 3, position 1", with the UltraServer in front where there are several.
  [[nodiscard]] std::string place(std::uint32_t chip) const;
};

[[nodiscard]] std::vector<sim::Key> chip_keys();

// Reads and checks what `chip_keys` declares, for `ultraservers` UltraServers.
[[nodiscard]] sim::Result<ChipShape> chip_shape(const sim::Parameters& parameters,
                                                std::int64_t ultraservers);

}  // namespace topologies
