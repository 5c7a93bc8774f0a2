// SPDX-License-Identifier: GPL-2.0-only
// A model parameter: a declared number with how well it is known and where it comes from. Results
// list every parameter a run used, so that a reader can tell what was published and what was
// judged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/key.h"

namespace sim {

enum class Grade {
  kPublished,  // by the vendor
  kAnalyst,    // by an analyst or a third-party measurement
  kJudged,     // engineering judgement; low and high give the plausible range
  kChosen,     // a choice of the experiment, not a fact (size of the cluster, packet size)
  kScenario,   // overridden in the scenario
};

struct Parameter {
  std::string name;
  Quantity value;
  Quantity low;  // equal to value where no range is known
  Quantity high;
  Grade grade = Grade::kChosen;
  std::string source = {};  // "aws-neuron-sdk trn3-arch.rst (2.29)"
};

// Parameters by name, in a fixed order. Reading one that is not there is a programmer's fault: the
// loader has checked them against the declared keys.
class Parameters {
 public:
  void set(Parameter parameter);  // replaces one of the same name, keeping its place
  [[nodiscard]] const Parameter* find(std::string_view name) const;
  [[nodiscard]] const std::vector<Parameter>& list() const { return list_; }

  [[nodiscard]] Bytes bytes(std::string_view name) const;
  [[nodiscard]] Bandwidth bandwidth(std::string_view name) const;
  [[nodiscard]] Time time(std::string_view name) const;
  [[nodiscard]] std::int64_t count(std::string_view name) const;
  [[nodiscard]] std::int64_t ratio(std::string_view name) const;  // parts per billion
  [[nodiscard]] const std::string& text(std::string_view name) const;

 private:
  [[nodiscard]] const Quantity& value(std::string_view name, Dimension dimension) const;

  std::vector<Parameter> list_;
};

[[nodiscard]] std::string_view name_of(Grade grade);  // "published", "analyst", "judged", ...

}  // namespace sim
