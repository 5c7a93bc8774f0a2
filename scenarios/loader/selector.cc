// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/selector.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/quantity.h"
#include "sim/engine/costs.h"

namespace scenarios {
namespace {

using sim::Dimension;
using sim::Key;
using sim::Section;

const std::vector<Key>& keys_of(const char* algorithm) {
  const auto* entry = collectives::algorithms().find(algorithm);
  CHECK(entry != nullptr);
  return entry->keys;
}

Key key_of(std::string name, Dimension dimension, std::string help) {
  Key key;
  key.name = std::move(name);
  key.dimension = dimension;
  key.help = std::move(help);
  return key;
}

collectives::Rule rule_of(const Section& section) {
  collectives::Rule rule;
  for (const sim::Collective collective : sim::all_collectives()) {
    if (sim::name_of(collective) == section.text("collective")) rule.collective = collective;
  }
  rule.algorithm = section.text("algorithm");
  if (section.has("up_to")) rule.up_to = section.bytes("up_to").value;
  if (section.has("most_ranks")) {
    rule.most_ranks = static_cast<sim::Rank>(section.count("most_ranks"));
  }
  return rule;
}

std::string preset_of(const Section& top) {
  const Section& cluster = top.section("cluster");
  for (const char* kind : {"ultraserver", "server", "topology"}) {
    if (cluster.has(kind)) return cluster.text(kind);
  }
  return "";
}

// "4x4x4" -> {4, 4, 4}; empty when it is no such thing.
std::vector<sim::Rank> dimensions_of(const std::string& text) {
  std::vector<sim::Rank> sizes;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    sim::Rank size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size == 0) return {};
    sizes.push_back(size);
    if (next == end) return sizes;
    if (*next != 'x') return {};
    at = next + 1;
  }
}

}  // namespace

Key selection_key() {
  std::vector<std::string> collectives;
  for (const sim::Collective one : sim::all_collectives()) collectives.emplace_back(name_of(one));
  Key key;
  key.name = "selection";
  key.shape = Key::Shape::kSections;
  key.help = "What `algorithm: auto` takes: the first rule that fits; `ultrasim tune` writes them.";
  Key collective = key_of("collective", Dimension::kText, "What the rule is for.");
  collective.choices = std::move(collectives);
  collective.required = true;
  Key algorithm = key_of("algorithm", Dimension::kText, "What it takes.");
  algorithm.choices = collectives::algorithms().names();
  algorithm.required = true;
  Key up_to = key_of("up_to", Dimension::kBytes, "Largest size of the rule; any when left out.");
  up_to.least = 1;
  Key ranks =
      key_of("most_ranks", Dimension::kCount, "Largest group of the rule; any when left out.");
  ranks.least = 2;
  ranks.most = 10'000'000;
  key.inner = {collective, algorithm, up_to, ranks};
  return key;
}

std::vector<Key> option_keys() {
  Key torus;
  torus.name = "torus";
  torus.shape = Key::Shape::kSection;
  torus.help = "How `torus` numbers the ranks of a group: a grid, its first dimension fastest.";
  torus.inner = keys_of("torus");
  torus.inner.at(0).required = true;
  return {keys_of("direct").at(0), keys_of("ring").at(0), torus};
}

Selector::Selector(const Section& top, const sim::Fabric& fabric, const sim::Parameters& parameters)
    : fabric_(fabric), parameters_(parameters) {
  const Section::Entry* given = top.find("selection");
  if (given == nullptr || given->sections.empty()) {
    table_ = collectives::published(preset_of(top));
    return;
  }
  table_ = collectives::Selection{"the scenario's selection", {}};
  for (const Section& rule : given->sections) table_->rules.push_back(rule_of(rule));
}

sim::Result<collectives::Choice> Selector::choose(const collectives::Job& job,
                                                  const sim::Placement& placement) const {
  if (table_) return collectives::choose(*table_, job);
  const sim::EndCosts ends = sim::end_costs(parameters_);
  collectives::StepCosts costs;
  costs.step = ends.per_transfer + ends.memory + ends.memory;
  costs.gap = ends.issue_gap;
  for (const sim::LinkId link : fabric_.out_links(fabric_.node_of(placement.endpoint_of[0]))) {
    costs.out += fabric_.link(link).bandwidth;
  }
  return collectives::computed(costs, job);
}

std::optional<OptionFault> apply_options(const Section& item, collectives::Options& options) {
  options.window = static_cast<std::uint32_t>(item.count("window"));
  options.channels = static_cast<std::uint32_t>(item.count("channels"));
  if (!item.has("torus")) return std::nullopt;
  const Section& torus = item.section("torus");
  options.dimension_algorithm = torus.text("dimension_algorithm");
  options.dimensions = dimensions_of(torus.text("dimensions"));
  if (!options.dimensions.empty()) return std::nullopt;
  return OptionFault{"torus",
                     fmt::format("{} are no dimensions", sim::quoted(torus.text("dimensions"))),
                     "sizes such as 4x4 or 4x4x4"};
}

}  // namespace scenarios
