// SPDX-License-Identifier: GPL-2.0-only
// The folder that a run writes to. Opening it creates it, proves that it can be written and locks
// it, so that two runs never touch each other; a lock whose owner is gone is taken over (flock ends
// with its process). Files appear whole or not at all: all are written aside first, then renamed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace scenarios {

class OutputFolder {
 public:
  struct File {
    std::string name;
    std::string text;
  };

  // `names`: what will be written. A fault is wrong input: the folder is the user's choice.
  [[nodiscard]] static sim::Result<OutputFolder> open(const std::string& path,
                                                      const std::vector<std::string>& names);
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();  // unlocks

  // Empty when all files are there; else nothing of an earlier run was replaced by half.
  [[nodiscard]] std::optional<sim::Failure> write(const std::vector<File>& files) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  OutputFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;
};

}  // namespace scenarios
