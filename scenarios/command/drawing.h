// SPDX-License-Identifier: GPL-2.0-only
// A fabric as an SVG picture, in which a person finds their way, or as DOT for other programs.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/fabric/fabric.h"

namespace scenarios {

// Fail where nobody could read the picture: too many nodes.
[[nodiscard]] sim::Result<std::string> to_svg(const sim::Fabric& fabric, const std::string& title);
[[nodiscard]] sim::Result<std::string> to_dot(const sim::Fabric& fabric, const std::string& title);

}  // namespace scenarios
