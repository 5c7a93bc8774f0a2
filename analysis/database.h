// SPDX-License-Identifier: GPL-2.0-only
// An SQLite file. The only SQLite door. What is committed survives the death of the process; one
// process writes at a time, a second is told so. Faults (full disk, damaged file, no permission)
// are Failures that name the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/result.h"

namespace analysis {

struct Blob {
  std::string bytes;
};
using Cell = std::variant<std::int64_t, double, std::string, Blob>;
using Cells = std::vector<Cell>;

class Database {
 public:
  enum class Mode { kRead, kWrite };  // kWrite creates the file where there is none

  [[nodiscard]] static sim::Result<Database> open(const std::string& path, Mode mode);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // One statement, with a value for each '?'.
  [[nodiscard]] std::optional<sim::Failure> run(const std::string& sql, const Cells& values = {});
  // Calls `row` for each row of the answer.
  [[nodiscard]] std::optional<sim::Failure> each(const std::string& sql, const Cells& values,
                                                 const std::function<void(const Cells&)>& row);
  // `steps` as one transaction: all of them or none.
  [[nodiscard]] std::optional<sim::Failure> together(
      const std::function<std::optional<sim::Failure>()>& steps);

 private:
  struct Handle;
  explicit Database(std::unique_ptr<Handle> handle);

  std::unique_ptr<Handle> handle_;
};

[[nodiscard]] std::int64_t integer_of(const Cell& cell);     // 0 for what is none
[[nodiscard]] const std::string& text_of(const Cell& cell);  // "" for what is none; blobs too

}  // namespace analysis
