// SPDX-License-Identifier: GPL-2.0-only
// `cluster.fabric: file.dot` (or .gv, .graphml): the nodes and links that the file draws take the
// place of its name in the tree, as if they had been written there. So everything behind (checks,
// echo, results) knows one way to write a fabric of one's own. Attributes have the names of
// `cluster.fabric.nodes` and `.links`; what only says how a graph is drawn is left aside, anything
// else is a fault. Faults are shown in the graph's file.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/diagnostic.h"
#include "sim/base/value.h"

namespace scenarios {

inline constexpr std::int64_t kMostGraphBytes = 32 << 20;

struct GraphText {
  std::string text;     // of the file, "" when there is none
  std::string faults;   // of its content, rendered
  bool unread = false;  // it could not be read, which was reported
};

// Files are found from the folder of `scenario_path`. A file that cannot be read is a fault of the
// scenario, reported in `diagnostics`.
[[nodiscard]] GraphText take_graph_file(sim::Value& scenario, const std::string& scenario_path,
                                        sim::Diagnostics& diagnostics);

}  // namespace scenarios
