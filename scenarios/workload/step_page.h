// SPDX-License-Identifier: GPL-2.0-only
// The answer about a model scenario: for people (a page), and for programs (JSON, CSV) with exact
// integers and units in the keys. Pure functions of the scenario and its steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/workload/scenario.h"

namespace workload {

struct Answer {
  const ModelScenario* scenario = nullptr;
  std::vector<std::optional<Step>> steps;  // by point; empty where the layout was refused
  std::vector<std::string> tiers;
  std::string price_source;
};

// Evaluates every point of the scenario.
[[nodiscard]] Answer answer_of(const ModelScenario& scenario);

[[nodiscard]] std::string step_page(const Answer& answer);
[[nodiscard]] std::string step_json(const Answer& answer);
[[nodiscard]] std::string step_csv(const Answer& answer);

// "compute 71 %, tensor parallelism exposed 18 %: ...": what a reader would change first.
[[nodiscard]] std::string bottleneck_of(const Layout& layout, const Step& step);
// Part of the peak of the layout's number format, by Megatron's and TorchTitan's conventions.
[[nodiscard]] double utilisation(const ModelScenario& scenario, const Layout& layout,
                                 const Step& step, double flops);

}  // namespace workload
