// SPDX-License-Identifier: GPL-2.0-only
// The nodes and links of the chips of UltraServers, and the one way between two chips of one
// UltraServer. Parallel x8 links of a chip to one kind of switch are one link here, and so are the
// switches they end on. Ways are static and dimension-ordered (sled, rack, twin), so that credits
// cannot wait in a cycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/parameter.h"
#include "sim/fabric/fabric.h"
#include "topologies/chip_shape.h"
#include "topologies/scale_up.h"

namespace topologies {

class ChipWiring final : public ScaleUp {
 public:
  explicit ChipWiring(const ChipShape& shape);

  // Adds nodes, links, endpoints and levels.
  void draw(const sim::Parameters& parameters, sim::FabricBuilder& builder);

  [[nodiscard]] std::string place(std::uint32_t chip) const override { return shape_.place(chip); }
  [[nodiscard]] std::uint8_t lanes() const override;

 private:
  // By chip: the link towards the switch, or the chip of the sled or of the other rack. The way
  // back has the next id, but for `direct` and `twin`, which hold both directions.
  using Links = std::vector<sim::LinkId>;

  void add_switches(Links& links, const std::string& dimension, const sim::Parameters& parameters,
                    sim::FabricBuilder& builder);
  void add_direct(const sim::Parameters& parameters, sim::FabricBuilder& builder);
  void add_twins(const sim::Parameters& parameters, sim::FabricBuilder& builder);
  void add_levels(sim::FabricBuilder& builder) const;
  [[nodiscard]] std::uint32_t switch_of(const std::string& dimension, std::uint32_t chip) const;
  [[nodiscard]] std::string switch_name(const std::string& dimension, std::uint32_t chip) const;

  void append_way(std::uint32_t from, std::uint32_t to, Links& links) const override;
  [[nodiscard]] std::uint8_t way_lane(std::uint32_t from, std::uint32_t to) const override;
  void append_in_sled(std::uint32_t from, std::uint32_t to, Links& links) const;
  void append_in_rack(std::uint32_t from, std::uint32_t to, Links& links) const;
  void append_across_racks(std::uint32_t from, std::uint32_t to, Links& links) const;
  [[nodiscard]] bool relayed_at_source(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] bool same_rack(std::uint32_t a, std::uint32_t b) const {
    return shape_.rack_of(a) == shape_.rack_of(b);
  }

  ChipShape shape_;
  Links sled_;
  Links direct_;  // by chip x positions + position of the other
  Links rack_;
  Links twin_;
  Links flat_;
};

}  // namespace topologies
