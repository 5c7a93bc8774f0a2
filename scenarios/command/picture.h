// SPDX-License-Identifier: GPL-2.0-only
// Where the parts of a fabric stand in a drawing: boxes of the levels that nest (servers, racks,
// sleds), chips in rows in the innermost ones, and each switch and NIC in the innermost box that it
// serves alone, above what it joins. Cores are left out.
#pragma once

#include <string>
#include <vector>

#include "sim/fabric/fabric.h"

namespace scenarios {

struct Spot {
  double x = 0;  // of the middle
  double y = 0;
  bool drawn = false;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  std::string label;  // "rack 1"
};

struct Picture {
  std::vector<Spot> spots;  // by node
  std::vector<Box> boxes;   // outer ones first
  double width = 0;
  double height = 0;
};

[[nodiscard]] Picture picture_of(const sim::Fabric& fabric);

}  // namespace scenarios
