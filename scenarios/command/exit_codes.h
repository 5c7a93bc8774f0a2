// SPDX-License-Identifier: GPL-2.0-only
// What the shell is told.
#pragma once

namespace scenarios {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  // failed or stalled
inline constexpr int kWrongInput = 2;
inline constexpr int kInterrupted = 130;

}  // namespace scenarios
