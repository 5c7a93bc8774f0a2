// SPDX-License-Identifier: GPL-2.0-only
// A graph as a file draws it, free of the parser that read it: nodes and undirected edges with
// their attributes as text, each with its place in the file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"

namespace scenarios {

struct DrawnAttribute {
  std::string key;
  std::string value;
  sim::Position place;
};

struct DrawnNode {
  std::string name;
  sim::Position place;
  std::vector<DrawnAttribute> attributes = {};
};

struct DrawnEdge {
  std::string from;
  std::string to;
  sim::Position place;
  std::vector<DrawnAttribute> attributes = {};
};

struct DrawnGraph {
  std::vector<DrawnNode> nodes;
  std::vector<DrawnEdge> edges;
};

}  // namespace scenarios
