// SPDX-License-Identifier: GPL-2.0-only
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/load.h"

// The name that libFuzzer calls.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::load(bytes, size);
  return 0;
}
