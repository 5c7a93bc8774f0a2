// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/load.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/loader/scenario.h"
#include "sim/base/check.h"

namespace fuzz {
namespace {

constexpr std::size_t kMostOverrides = 8;

// path=value, separated by NUL bytes, after the first NUL byte of the input.
std::vector<scenarios::Override> take_overrides(std::string& text) {
  std::vector<scenarios::Override> overrides;
  std::size_t start = text.find('\0');
  if (start == std::string::npos) return overrides;
  const std::string rest = text.substr(start + 1);
  for (std::size_t at = 0; at < rest.size() && overrides.size() < kMostOverrides;) {
    const std::size_t end = std::min(rest.find('\0', at), rest.size());
    const std::string one = rest.substr(at, end - at);
    const std::size_t equals = one.find('=');
    if (equals != std::string::npos) {
      overrides.push_back({one.substr(0, equals), one.substr(equals + 1)});
    }
    at = end + 1;
  }
  // Without an override the NUL byte stays: the loader has to refuse it.
  if (!overrides.empty()) text.resize(start);
  return overrides;
}

}  // namespace

void load(const std::uint8_t* bytes, std::size_t size) {
  std::string text(bytes, bytes + size);
  const std::vector<scenarios::Override> overrides = take_overrides(text);
  const scenarios::Loaded loaded = scenarios::load_text(text, "fuzz.yaml", overrides);
  CHECK(loaded.scenario.has_value() == loaded.faults.empty());
  if (!loaded.scenario)
    return CHECK(loaded.faults.ends_with("error\n") || loaded.faults.ends_with("errors\n"));
  CHECK(!loaded.scenario->cases.empty());
  const scenarios::Loaded again = scenarios::load_text(loaded.scenario->echo, "echo.yaml", {});
  CHECK(again.faults.empty());
  CHECK(again.scenario->echo == loaded.scenario->echo);
  CHECK(again.scenario->cases.size() == loaded.scenario->cases.size());
}

}  // namespace fuzz
