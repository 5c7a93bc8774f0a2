// SPDX-License-Identifier: GPL-2.0-only
// CHECK states what the programmer promises. It is on in release builds; when it fails the process
// prints the condition with its place and aborts. It is never used on user input: see diagnostic.h.
#pragma once

namespace sim {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace sim

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::sim::check_failed(#condition, __FILE__, __LINE__))
