// SPDX-License-Identifier: GPL-2.0-only
// Files that a scenario names in place of an algorithm, each read once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/given.h"
#include "sim/base/diagnostic.h"

namespace scenarios {

// True for text that names such a file: *.xml (MSCCL), *.goal (GOAL).
[[nodiscard]] bool names_file(std::string_view algorithm);
// Of a path, the name that cases and tables show.
[[nodiscard]] std::string shown_file(const std::string& path);

class GivenFiles {
 public:
  explicit GivenFiles(std::string folder) : folder_(std::move(folder)) {}

  // Null when the file has faults: they are kept, and `place` is reported as what names it.
  [[nodiscard]] std::shared_ptr<const collectives::Given> find(const std::string& path,
                                                               sim::Position place,
                                                               sim::Diagnostics& diagnostics);
  [[nodiscard]] const std::string& faults() const { return faults_; }  // rendered, "" when none
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }  // as first named

 private:
  std::string folder_;
  std::map<std::string, std::shared_ptr<const collectives::Given>> known_;  // by path
  std::string faults_;
  std::vector<std::string> texts_;
};

}  // namespace scenarios
