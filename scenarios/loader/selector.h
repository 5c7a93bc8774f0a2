// SPDX-License-Identifier: GPL-2.0-only
// What `algorithm: auto` and `algorithm: all` stand for in a case: by the scenario's own
// `selection` where it has one, else by the table published for its preset, else by the costs of
// its parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/selection.h"
#include "sim/base/key.h"
#include "sim/base/parameter.h"
#include "sim/engine/placement.h"
#include "sim/fabric/fabric.h"

namespace scenarios {

inline constexpr const char* kAuto = "auto";
inline constexpr const char* kAll = "all";

[[nodiscard]] sim::Key selection_key();
[[nodiscard]] std::vector<sim::Key> option_keys();  // of a workload item: window, channels, torus

class Selector {
 public:
  // `top` is the whole scenario, read without faults so far as `selection` goes.
  Selector(const sim::Section& top, const sim::Fabric& fabric, const sim::Parameters& parameters);

  [[nodiscard]] sim::Result<collectives::Choice> choose(const collectives::Job& job,
                                                        const sim::Placement& placement) const;

 private:
  std::optional<collectives::Selection> table_;
  const sim::Fabric& fabric_;
  const sim::Parameters& parameters_;
};

// The options of a job that `item` gives: window, channels, torus. Fails at a key: (key, what,
// expected).
struct OptionFault {
  std::string key;
  std::string what;
  std::string expected;
};
[[nodiscard]] std::optional<OptionFault> apply_options(const sim::Section& item,
                                                       collectives::Options& options);

}  // namespace scenarios
