// SPDX-License-Identifier: GPL-2.0-only
// How fast this machine is just now: CPU seconds of a fixed loop that does what the simulator does
// (integer work, random memory in a few MiB). Speeds of the simulator are told as multiples of it,
// so that another machine, or a busy one, is not taken for a slower build.
#pragma once

namespace scenarios {

[[nodiscard]] double calibration_seconds();

}  // namespace scenarios
