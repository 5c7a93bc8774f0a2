// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/declare.h"

#include <utility>

namespace workload {
namespace {

using sim::Dimension;
using sim::Key;

Key scalar(std::string name, Dimension dimension, std::string help) {
  Key key;
  key.name = std::move(name);
  key.dimension = dimension;
  key.help = std::move(help);
  return key;
}

}  // namespace

Key text_key(std::string name, std::string help) {
  return scalar(std::move(name), Dimension::kText, std::move(help));
}

Key choice_key(std::string name, std::string help, std::vector<std::string> choices,
               std::string fallback) {
  Key key = scalar(std::move(name), Dimension::kText, std::move(help));
  key.choices = std::move(choices);
  return with_default(std::move(key), std::move(fallback));
}

Key count_key(std::string name, std::string help, std::int64_t least, std::int64_t most,
              std::string fallback) {
  Key key = scalar(std::move(name), Dimension::kCount, std::move(help));
  key.least = least;
  key.most = most;
  return with_default(std::move(key), std::move(fallback));
}

Key counts_key(std::string name, std::string help, std::int64_t least, std::int64_t most) {
  Key key = count_key(std::move(name), std::move(help), least, most);
  key.shape = Key::Shape::kScalars;
  return key;
}

Key flag_key(std::string name, std::string help, std::string fallback) {
  return with_default(scalar(std::move(name), Dimension::kFlag, std::move(help)),
                      std::move(fallback));
}

Key ratio_key(std::string name, std::string help, std::string fallback) {
  return with_default(scalar(std::move(name), Dimension::kRatio, std::move(help)),
                      std::move(fallback));
}

Key section_key(std::string name, std::string help, std::vector<Key> inner) {
  Key key = scalar(std::move(name), Dimension::kText, std::move(help));
  key.shape = Key::Shape::kSection;
  key.inner = std::move(inner);
  return key;
}

Key required(Key key) {
  key.required = true;
  return key;
}

Key with_default(Key key, std::string fallback) {
  if (!fallback.empty()) key.fallback = std::move(fallback);
  return key;
}

std::int64_t count_or(const sim::Section& section, const char* key, std::int64_t otherwise) {
  return section.has(key) ? section.count(key) : otherwise;
}

double ratio_of(const sim::Section& section, const char* key) {
  return static_cast<double>(section.ratio(key)) / static_cast<double>(sim::kRatioOne);
}

}  // namespace workload
