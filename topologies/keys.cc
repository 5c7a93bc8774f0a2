// SPDX-License-Identifier: GPL-2.0-only
#include "topologies/keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/quantity.h"
#include "sim/base/units.h"

namespace topologies {

namespace {

using sim::Dimension;
using sim::Failure;
using sim::Key;
using sim::Quantity;

Key key(std::string name, Dimension dimension, CountRange range, std::string help) {
  Key key;
  key.name = std::move(name);
  key.dimension = dimension;
  key.help = std::move(help);
  key.required = true;
  key.least = range.least;
  key.most = range.most;
  return key;
}

std::optional<Failure> fault_of(const Quantity& value, const Key& key) {
  if (value.dimension != key.dimension) {
    return Failure{fmt::format("{} is not a {}", key.name, name_of(key.dimension)),
                   fmt::format("write it like {}", example_of(key.dimension))};
  }
  if (key.dimension == Dimension::kText) {
    if (std::ranges::find(key.choices, value.text) != key.choices.end()) return std::nullopt;
    return Failure{fmt::format("{} cannot be '{}'", key.name, value.text), accepts(key)};
  }
  if (value.amount >= key.least && value.amount <= key.most) return std::nullopt;
  const auto text = [&](std::int64_t amount) { return to_text(amount, key.dimension); };
  return Failure{fmt::format("{} is {}", key.name, text(value.amount)),
                 fmt::format("between {} and {}", text(key.least), text(key.most))};
}

}  // namespace

Key count_key(std::string name, CountRange range, std::string help) {
  return key(std::move(name), Dimension::kCount, range, std::move(help));
}

Key bandwidth_key(std::string name, std::string help) {
  const CountRange range{1, sim::gigabytes_per_second(1'000'000).value};
  return key(std::move(name), Dimension::kBandwidth, range, std::move(help));
}

Key time_key(std::string name, std::string help) {
  const CountRange range{0, sim::kPicosecondsPerSecond};
  return key(std::move(name), Dimension::kTime, range, std::move(help));
}

Key size_key(std::string name, CountRange range, std::string help) {
  return key(std::move(name), Dimension::kBytes, range, std::move(help));
}

Key share_key(std::string name, std::string help) {
  return key(std::move(name), Dimension::kRatio, {1, sim::kRatioOne}, std::move(help));
}

Key choice_key(std::string name, std::vector<std::string> choices, std::string help) {
  Key text = key(std::move(name), Dimension::kText, {0, 0}, std::move(help));
  text.least = std::numeric_limits<std::int64_t>::min();
  text.most = std::numeric_limits<std::int64_t>::max();
  text.choices = std::move(choices);
  return text;
}

std::optional<Failure> fault_in(const sim::Parameters& parameters, const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    const sim::Parameter* parameter = parameters.find(key.name);
    if (parameter == nullptr) {
      return Failure{fmt::format("parameter {} is missing", key.name), accepts(key)};
    }
    if (std::optional<Failure> fault = fault_of(parameter->value, key)) return fault;
  }
  return std::nullopt;
}

}  // namespace topologies
