// SPDX-License-Identifier: GPL-2.0-only
// DOT text (Graphviz) -> a DrawnGraph, read by Boost.Graph. Undirected graphs only, and no edge to
// or from a whole subgraph: every link is written. Defaults (`node [...]`, `edge [...]`) hold.
// Whatever the bytes, the answer is a graph or Diagnostics. dot.cc is a door to Boost.
#pragma once

#include <optional>
#include <string>

#include "scenarios/loader/drawn_graph.h"
#include "sim/base/diagnostic.h"

namespace scenarios {

[[nodiscard]] std::optional<DrawnGraph> parse_dot(const std::string& text,
                                                  sim::Diagnostics& diagnostics);

}  // namespace scenarios
