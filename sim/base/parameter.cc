// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/parameter.h"

#include <fmt/format.h>

#include <utility>

#include "sim/base/check.h"

namespace sim {

void Parameters::set(Parameter parameter) {
  for (Parameter& present : list_) {
    if (present.name == parameter.name) {
      present = std::move(parameter);
      return;
    }
  }
  list_.push_back(std::move(parameter));
}

const Parameter* Parameters::find(std::string_view name) const {
  for (const Parameter& parameter : list_) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

Bytes Parameters::bytes(std::string_view name) const {
  return Bytes(value(name, Dimension::kBytes).amount);
}

Bandwidth Parameters::bandwidth(std::string_view name) const {
  return Bandwidth(value(name, Dimension::kBandwidth).amount);
}

Time Parameters::time(std::string_view name) const {
  return Time(value(name, Dimension::kTime).amount);
}

std::int64_t Parameters::count(std::string_view name) const {
  return value(name, Dimension::kCount).amount;
}

std::int64_t Parameters::ratio(std::string_view name) const {
  return value(name, Dimension::kRatio).amount;
}

const std::string& Parameters::text(std::string_view name) const {
  return value(name, Dimension::kText).text;
}

const Quantity& Parameters::value(std::string_view name, Dimension dimension) const {
  const Parameter* parameter = find(name);
  const bool usable = parameter != nullptr && parameter->value.dimension == dimension;
  if (!usable) {
    const std::string fault = fmt::format("parameter {} is a {}", name, name_of(dimension));
    check_failed(fault.c_str(), __FILE__, __LINE__);
  }
  return parameter->value;
}

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::kPublished:
      return "published";
    case Grade::kAnalyst:
      return "analyst";
    case Grade::kJudged:
      return "judged";
    case Grade::kChosen:
      return "chosen";
    case Grade::kScenario:
      return "scenario";
  }
  return "";
}

}  // namespace sim
