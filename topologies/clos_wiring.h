// SPDX-License-Identifier: GPL-2.0-only
// The switches and links of a scale-out Clos, and the ways between two NICs: up to a switch of the
// lowest common tier and down again, one way per such switch. Where a link stands in the builder
// follows from its numbers, so nothing is stored per link.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/base/parameter.h"
#include "sim/fabric/fabric.h"
#include "topologies/clos_shape.h"

namespace topologies {

class ClosWiring {
 public:
  explicit ClosWiring(const ClosShape& shape) : shape_(shape) {}

  // Joins the NICs, given by number.
  void draw(std::span<const sim::NodeId> nics, const sim::Parameters& parameters,
            sim::FabricBuilder& builder);

  [[nodiscard]] std::uint32_t path_count(std::uint32_t from, std::uint32_t to) const;
  // Path 0 starts at other switches for each `salt`, so that few paths use all of them.
  void append_path(std::uint32_t from, std::uint32_t to, std::uint32_t path, std::uint32_t salt,
                   std::vector<sim::LinkId>& links) const;

 private:
  void add_switches(std::uint32_t tier, const sim::Parameters& parameters,
                    sim::FabricBuilder& builder);
  void add_nic_links(std::span<const sim::NodeId> nics, const sim::Parameters& parameters,
                     sim::FabricBuilder& builder);
  void add_links(std::uint32_t tier, const sim::Parameters& parameters,
                 sim::FabricBuilder& builder);
  [[nodiscard]] std::string switch_name(std::uint32_t tier, std::uint32_t number) const;

  ClosShape shape_;
  ClosShape::ByTier<std::uint32_t> first_node_{};
  ClosShape::ByTier<std::uint32_t> first_link_{};  // up to this tier; down has the next id
};

}  // namespace topologies
