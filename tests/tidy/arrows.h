// SPDX-License-Identifier: GPL-2.0-only
// Who may include and link whom: the rooms of the house, the arrows between them, the doors of
// third-party libraries, and cycles. Each rule takes sources and returns one line per fault.
#pragma once

#include <string>

#include "tests/tidy/source.h"

namespace tidy {

// The room that a file or a quoted include belongs to ("sim/engine/packet" counts as its own); ""
// if none.
[[nodiscard]] std::string room_of(const std::string& path);
[[nodiscard]] const std::vector<std::string>& rooms_with_readme();

[[nodiscard]] Faults include_arrows(const Sources& sources);
[[nodiscard]] Faults link_arrows(const Sources& sources);
[[nodiscard]] Faults doors(const Sources& sources);
[[nodiscard]] Faults file_cycles(const Sources& sources);
[[nodiscard]] Faults folder_cycles(const Sources& sources);

}  // namespace tidy
