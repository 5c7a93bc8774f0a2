// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/fabric_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "analysis/figures.h"
#include "analysis/text_table.h"
#include "scenarios/loader/scenario.h"
#include "sim/base/diagnostic.h"
#include "sim/fabric/inspect.h"
#include "sim/fabric/structure.h"

namespace scenarios {
namespace {

// Questions about all pairs cost endpoints squared: beyond this, cuts and samples answer.
constexpr std::uint32_t kMostInspected = 600;
constexpr std::uint32_t kSampled = 8;

std::string shown(const sim::Quantity& quantity) {
  return quantity.dimension == sim::Dimension::kText
             ? quantity.text
             : sim::to_text(quantity.amount, quantity.dimension);
}

std::string range_of(const sim::Parameter& one) {
  const std::string low = shown(one.low);
  const std::string high = shown(one.high);
  return low == high ? "" : fmt::format("{} .. {}", low, high);
}

std::string line(std::string_view what, const std::string& value) {
  return analysis::wrapped(value, fmt::format("  {:<36}", what), std::string(38, ' '));
}

// "[2]": its place among `sources`, where it is added when it is new.
std::string source_mark(const std::string& source, std::vector<std::string>& sources) {
  if (source.empty()) return {};
  const auto found = std::ranges::find(sources, source);
  const auto place = found - sources.begin();
  if (found == sources.end()) sources.push_back(source);
  return fmt::format("[{}]", place + 1);
}

std::string counts_of(const sim::Fabric& fabric) {
  constexpr std::array<const char*, 4> kKinds{"cores", "chips", "NICs", "switches"};
  std::array<std::int64_t, kKinds.size()> nodes{};
  for (const sim::Node& node : fabric.nodes()) ++nodes[static_cast<std::size_t>(node.kind)];
  std::string text;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (nodes[i] > 0) text += line(kKinds[i], fmt::format("{}", nodes[i]));
  }
  std::vector<std::int64_t> links(fabric.classes().size(), 0);
  std::vector<sim::Bandwidth> rates(links.size());
  for (const sim::Link& link : fabric.links()) {
    ++links[sim::index(link.kind)];
    rates[sim::index(link.kind)] = std::max(rates[sim::index(link.kind)], link.bandwidth);
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i] == 0) continue;
    const std::string& name = fabric.classes()[i].name;
    text += line(name + (name.ends_with('s') ? "es" : "s") + " (one way each)",
                 fmt::format("{}, up to {}", links[i],
                             sim::to_text(rates[i].value, sim::Dimension::kBandwidth)));
  }
  return text;
}

std::string hops_text(const std::vector<std::uint64_t>& histogram) {
  std::string text;
  for (std::size_t hops = 1; hops < histogram.size(); ++hops) {
    if (histogram[hops] == 0) continue;
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", histogram[hops], hops);
  }
  return text;
}

std::string pairs_text(const sim::Topology& topology) {
  const sim::Fabric& fabric = *topology.fabric;
  std::vector<sim::EndpointId> all;
  for (std::uint32_t i = 0; i < fabric.endpoints(); ++i) all.push_back(sim::EndpointId{i});
  std::string text = line("diameter", analysis::counted(sim::diameter(fabric), "link"));
  text += line("bisection, one way", analysis::rate_figure(sim::bisection(fabric).value));
  const sim::UniformLoad load = sim::uniform_all_to_all(topology, all);
  text +=
      line("uniform all-to-all injects at most",
           fmt::format("{} per chip, bound by the {}", analysis::rate_figure(load.injection.value),
                       fabric.kind(load.fullest).name));
  return text + line("ordered pairs by links on the path", hops_text(sim::hop_histogram(topology)));
}

// "out of each sled": what may leave a group, level by level from inside out.
std::string levels_text(const sim::Fabric& fabric) {
  std::string text;
  for (const sim::Level* level : sim::nested_levels(fabric)) {
    if (level->groups < 2) continue;
    const sim::GroupRates rates = sim::rates_out(fabric, *level);
    std::string rate = analysis::rate_figure(rates.least.value);
    if (rates.most != rates.least) rate += " to " + analysis::rate_figure(rates.most.value);
    text += line(fmt::format("out of each {} ({})", level->name, level->groups), rate);
  }
  return text;
}

std::string sampled_text(const sim::Topology& topology) {
  const sim::Fabric& fabric = *topology.fabric;
  std::vector<sim::EndpointId> sources;
  for (std::uint32_t i = 0; i < kSampled; ++i) {
    const std::uint64_t end = std::uint64_t{fabric.endpoints()} * i / kSampled;
    sources.push_back(sim::EndpointId{static_cast<std::uint32_t>(end)});
  }
  return line("bisection, one way, at most",
              analysis::rate_figure(sim::bisection_by_cuts(fabric).value)) +
         line(fmt::format("pairs from {} ends by links", kSampled),
              hops_text(sim::hops_from(topology, sources)));
}

bool sound(const sim::Fabric& fabric) {
  for (std::uint32_t link = 0; link < fabric.links().size(); ++link) {
    if (fabric.dead(sim::LinkId{link})) return false;
  }
  return true;
}

// The smallest scenario on this cluster: so that it is built by the one way there is.
Loaded load(const Preset& preset, const std::string& wiring, std::int64_t domains) {
  std::string text = fmt::format("scenario: describe\ncluster:\n  {}: {}\n  {}: {}\n", preset.unit,
                                 preset.name, preset.counted_by(), domains);
  if (!wiring.empty()) text += fmt::format("  wiring: {}\n", wiring);
  text +=
      "workload:\n  - collective: all_reduce\n    group: {chips: 2}\n    bytes: 1 KiB\n"
      "    algorithm: direct\n";
  return load_text(text, "describe", {});
}

std::optional<sim::Failure> refuse(const Preset& preset, const std::string& wiring,
                                   std::int64_t domains) {
  if (domains > 1 && preset.cluster_topology.empty()) {
    return sim::Failure{fmt::format("{} cannot be joined with others", preset.name), ""};
  }
  if (wiring.empty() || preset.wiring(wiring) != nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const Wiring& one : preset.wirings) names.push_back(one.name);
  return sim::Failure{
      fmt::format("unknown wiring {} of {}", sim::quoted(wiring), preset.name),
      names.empty() ? "it has only one" : fmt::format("one of {}", analysis::listed(names))};
}

std::string wirings_text(const Preset& preset) {
  if (preset.wirings.empty()) return {};
  std::string text = "wirings:\n";
  for (const Wiring& wiring : preset.wirings) {
    const char* note = wiring.name == preset.default_wiring ? " (default)" : "";
    text += line(wiring.name + note, wiring.summary);
  }
  return text;
}

}  // namespace

std::string fabric_text(const Scenario& scenario) {
  const sim::Fabric& fabric = *scenario.topology.fabric;
  std::string text = fmt::format("fabric: {}\n", scenario.fabric) + counts_of(fabric);
  text += line("connected", sim::strongly_connected(fabric) ? "yes, both ways" : "no");
  text += levels_text(fabric);
  const bool exact = fabric.endpoints() <= kMostInspected && sound(fabric);
  return text + (exact ? pairs_text(scenario.topology) : sampled_text(scenario.topology));
}

sim::Result<Scenario> load_fabric(const std::string& name, const std::string& wiring,
                                  std::int64_t domains) {
  const bool file = name.ends_with(".yaml") || name.ends_with(".yml");
  if (file && (!wiring.empty() || domains != 1)) {
    return sim::Failure{"--wiring and --ultraservers are for hardware presets",
                        "the scenario file says both"};
  }
  Loaded loaded;
  if (file) {
    loaded = load_file(name, {});
  } else {
    const std::optional<Preset> preset = find_preset(name);
    if (!preset) {
      return sim::Failure{fmt::format("no hardware preset is called {}", sim::quoted(name)),
                          "see `ultrasim list`, or give a scenario file (.yaml)"};
    }
    if (auto failure = refuse(*preset, wiring, domains)) return *failure;
    loaded = load(*preset, wiring, domains);
  }
  if (!loaded.scenario) return sim::Failure{"this cluster cannot be built:\n" + loaded.faults, ""};
  return std::move(*loaded.scenario);
}

std::string parameters_text(const std::vector<sim::Parameter>& parameters) {
  using Column = analysis::TextTable::Column;
  analysis::TextTable table(
      {Column{"name"}, Column{"value"}, Column{"range"}, Column{"grade"}, Column{"source"}});
  std::vector<std::string> sources;
  for (const sim::Parameter& one : parameters) {
    table.add_row({one.name, shown(one.value), range_of(one), std::string(sim::name_of(one.grade)),
                   source_mark(one.source, sources)});
  }
  std::string text;
  for (const std::string& row : table.lines("  ")) text += row + "\n";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    text += analysis::wrapped(sources[i], fmt::format("  {:>4} ", fmt::format("[{}]", i + 1)),
                              "       ");
  }
  return text;
}

sim::Result<std::string> preset_text(const Preset& preset, const std::string& wiring,
                                     std::int64_t domains) {
  if (preset.topology == "own") {
    return fmt::format("hardware preset {}: {}\n  {}\n\nparameters:\n", preset.name, preset.title,
                       preset.summary) +
           parameters_text(preset.parameters);
  }
  const sim::Result<Scenario> scenario = load_fabric(preset.name, wiring, domains);
  if (!scenario.ok()) return scenario.failure();
  std::string text = fmt::format("hardware preset {}: {}\n", preset.name, preset.title);
  text += analysis::wrapped(preset.summary, "  ", "  ");
  text += fmt::format("topology: {}\n", domains > 1 ? preset.widest_topology() : preset.topology);
  text += wirings_text(preset) + "\n" + fabric_text(scenario.value()) + "\nparameters:\n";
  return text + parameters_text(scenario.value().parameters.list());
}

}  // namespace scenarios
