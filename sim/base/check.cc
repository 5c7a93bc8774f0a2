// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace sim {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr,
               "%s:%d: internal error: CHECK(%s) failed; please report this with its scenario\n",
               file, line, condition);
  std::abort();
}

}  // namespace sim
