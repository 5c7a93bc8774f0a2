// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/declared.h"

#include <algorithm>

#include "sim/base/check.h"
#include "sim/engine/costs.h"
#include "sim/engine/engines.h"
#include "topologies/topologies.h"

namespace scenarios {
namespace {

using sim::Key;

void append_new(const std::vector<Key>& more, std::vector<Key>& list) {
  for (const Key& key : more) {
    if (find_key(list, key.name) == nullptr) list.push_back(key);
  }
}

}  // namespace

std::vector<Key> declared_parameters(std::string_view topology, std::string_view engine) {
  const auto* shape = topologies::topologies().find(topology);
  const auto* player = sim::engines().find(engine);
  CHECK(shape != nullptr && player != nullptr);
  std::vector<Key> declared;
  append_new(shape->keys, declared);
  append_new(topologies::fabric_keys(), declared);
  append_new(sim::end_cost_keys(), declared);
  append_new(player->keys, declared);
  return declared;
}

bool set_by_loader(std::string_view parameter) {
  return parameter == "endpoints_per_chip" || parameter == "ultraservers" || parameter == "servers";
}

std::vector<std::string> all_parameter_names() {
  std::vector<Key> all;
  for (const auto& entry : topologies::topologies().entries()) append_new(entry.keys, all);
  append_new(topologies::fabric_keys(), all);
  append_new(sim::end_cost_keys(), all);
  for (const auto& entry : sim::engines().entries()) append_new(entry.keys, all);
  std::vector<std::string> names;
  for (const Key& key : all) names.push_back(key.name);
  return names;
}

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= kMostNameLength && std::ranges::all_of(text, allowed);
}

const Key* find_key(const std::vector<Key>& keys, std::string_view name) {
  const auto found = std::ranges::find(keys, name, &Key::name);
  return found == keys.end() ? nullptr : &*found;
}

bool is_default(const sim::Section::Entry& entry, const Key& key) {
  return key.fallback && entry.scalars.size() == 1 && entry.scalars[0].text == *key.fallback;
}

}  // namespace scenarios
