// SPDX-License-Identifier: GPL-2.0-only
// GraphML text -> a DrawnGraph, read by Boost.Graph. One undirected graph with every node written
// and every key declared; a node's id is its name. Defaults of keys hold. Whatever the bytes, the
// answer is a graph or Diagnostics. graphml.cc is a door to Boost.
#pragma once

#include <optional>
#include <string>

#include "scenarios/loader/drawn_graph.h"
#include "sim/base/diagnostic.h"

namespace scenarios {

[[nodiscard]] std::optional<DrawnGraph> parse_graphml(const std::string& text,
                                                      sim::Diagnostics& diagnostics);

}  // namespace scenarios
