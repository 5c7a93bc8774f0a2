// SPDX-License-Identifier: GPL-2.0-only
// A sweep in words and tables: what each value of each key is worth over all other keys, and the
// best and worst runs. From the tables of the file; nothing is simulated.
#pragma once

#include <string>

#include "analysis/sweep_file.h"

namespace analysis {

[[nodiscard]] std::string sweep_page(const SweepIdentity& identity, const SweepFile::Tables& tables,
                                     const std::string& path);
// One line per case of each run: the swept keys, then the figures with units in the header.
[[nodiscard]] std::string sweep_csv(const SweepFile::Tables& tables);

}  // namespace analysis
