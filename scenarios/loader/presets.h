// SPDX-License-Identifier: GPL-2.0-only
// Hardware presets: the files of scenarios/hardware, read against the keys that their topology
// declares. A shipped preset gives every declared parameter exactly once and no other, itself or by
// the preset it is `like`; a unit test holds all of them to that, and presets() CHECKs it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/parameter.h"

namespace scenarios {

// A named version of a preset's wiring: parameters that replace the preset's.
struct Wiring {
  std::string name;
  std::string summary;
  std::vector<sim::Parameter> parameters;
};

struct Preset {
  std::string name;              // "trn3-gen2"
  std::string title;             // "Trn3 Gen2 UltraServer"
  std::string summary;           // one line
  std::string unit;              // the key of `cluster` that chooses it: "ultraserver", "server",
                                 // "topology"
  std::string topology;          // "ultraserver"
  std::string cluster_topology;  // for several of them; empty: there can be only one
  std::string default_wiring;    // empty when there are no wirings
  std::int64_t cores_per_chip = 1;          // physical; where ranks may be cores
  std::int64_t cores_per_logical_core = 1;  // unless the scenario says otherwise
  std::vector<Wiring> wirings;
  std::vector<sim::Parameter> parameters;

  // "ultraservers", "servers": the key that counts them.
  [[nodiscard]] std::string counted_by() const {
    return unit == "server" ? "servers" : "ultraservers";
  }
  // The topology that declares all parameters of the preset.
  [[nodiscard]] const std::string& widest_topology() const {
    return cluster_topology.empty() ? topology : cluster_topology;
  }
  [[nodiscard]] const Wiring* wiring(std::string_view wanted) const;
  // What a cluster of the given declared keys reads, under `wiring` (may be null), in their order;
  // the parameters that the loader sets are left out.
  [[nodiscard]] sim::Parameters under(const Wiring* wiring,
                                      const std::vector<sim::Key>& keys) const;
};

[[nodiscard]] const std::vector<Preset>& presets();
// Names only, of those chosen by that key: parses nothing.
[[nodiscard]] std::vector<std::string> preset_names(std::string_view unit);
[[nodiscard]] std::optional<Preset> find_preset(std::string_view name);

// Empty when `diagnostics` got a fault.
[[nodiscard]] std::optional<Preset> parse_preset(const std::string& text,
                                                 sim::Diagnostics& diagnostics);

}  // namespace scenarios
