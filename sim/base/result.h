// SPDX-License-Identifier: GPL-2.0-only
// A value or the reason why there is none. For faults that have no place in a file (those are
// Diagnostics): an algorithm that cannot serve a group, a folder that cannot be written.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "sim/base/check.h"

namespace sim {

struct Failure {
  std::string what;       // what went wrong, in a sentence without full stop
  std::string hint = {};  // what to do about it; may be empty
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Failure failure) : state_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  [[nodiscard]] const T& value() const& { return CHECK(ok()), *std::get_if<0>(&state_); }
  [[nodiscard]] T& value() & { return CHECK(ok()), *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return CHECK(ok()), std::move(*std::get_if<0>(&state_)); }
  [[nodiscard]] const Failure& failure() const { return CHECK(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace sim
