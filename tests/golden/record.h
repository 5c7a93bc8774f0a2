// SPDX-License-Identifier: GPL-2.0-only
// What a golden file holds: one block of lines per case, in the scenario's order. Only what a run
// found, nothing of the machine, so that equal input gives equal text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/results/outcome.h"

namespace golden {

struct Block {
  std::string name;  // of the case
  std::string text;  // its lines, the one with the name first
};

[[nodiscard]] Block block_of(const sim::CaseOutcome& outcome);

// A file is its blocks under one line that says how it is written.
[[nodiscard]] std::string file_text(const std::vector<Block>& blocks);
[[nodiscard]] std::vector<Block> read_blocks(std::string_view text);

// "" when equal; else the first line that differs, as stored and as found.
[[nodiscard]] std::string first_difference(std::string_view stored, std::string_view found);

}  // namespace golden
