// SPDX-License-Identifier: GPL-2.0-only
// A 64-bit hash of a sequence of integers and texts, equal on every machine (XXH3). Results carry
// one, so that "the same run" can be told without comparing every number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sim {

class Fingerprint {
 public:
  void add(std::uint64_t number);
  void add(std::string_view text);  // with its length, so that "a","bc" differs from "ab","c"
  [[nodiscard]] std::uint64_t value() const { return state_; }
  [[nodiscard]] std::string hex() const;  // 16 digits

 private:
  std::uint64_t state_ = 0;
};

}  // namespace sim
