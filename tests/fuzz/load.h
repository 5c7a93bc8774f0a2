// SPDX-License-Identifier: GPL-2.0-only
// One step of fuzzing, shared by both fuzzers: any bytes give a scenario or a message, and a
// scenario's echo loads again. Bytes after a NUL line are taken as `--set` overrides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuzz {

// CHECKs what must hold.
void load(const std::uint8_t* bytes, std::size_t size);

}  // namespace fuzz
