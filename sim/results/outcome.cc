// SPDX-License-Identifier: GPL-2.0-only
#include "sim/results/outcome.h"

#include "sim/base/check.h"

namespace sim {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kDone:
      return "done";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kStalled:
      return "stalled";
    case Verdict::kInterrupted:
      return "interrupted";
  }
  CHECK(false);
}

}  // namespace sim
