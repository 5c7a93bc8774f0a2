// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/value.h"

namespace sim {

std::string_view name_of(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kScalar:
      return "text";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a map";
  }
  return "nothing";
}

}  // namespace sim
