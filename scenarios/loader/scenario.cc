// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "scenarios/loader/cases.h"
#include "scenarios/loader/cluster.h"
#include "scenarios/loader/conditions.h"
#include "scenarios/loader/declared.h"
#include "scenarios/loader/echo.h"
#include "scenarios/loader/faults.h"
#include "scenarios/loader/file.h"
#include "scenarios/loader/given_files.h"
#include "scenarios/loader/graph_file.h"
#include "scenarios/loader/keys.h"
#include "scenarios/loader/outline_faults.h"
#include "scenarios/loader/overrides.h"
#include "scenarios/loader/studies.h"
#include "scenarios/loader/yaml.h"
#include "sim/base/fingerprint.h"
#include "sim/base/key.h"

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::Key;
using sim::Section;
using sim::Value;

// The files that a scenario names.
struct NamedFiles {
  GraphText graph;
  GivenFiles given;
};

std::string hash_of(const std::string& text, const NamedFiles& files,
                    const std::vector<Override>& overrides, const std::vector<CaseSpec>& cases) {
  sim::Fingerprint hash;
  hash.add(text);
  if (!files.graph.text.empty()) hash.add(files.graph.text);
  for (const std::string& given : files.given.texts()) hash.add(given);
  for (const Override& override : overrides) {
    hash.add(override.path);
    hash.add(override.value);
  }
  for (const CaseSpec& one : cases) {
    if (one.arrival) {
      for (const sim::Time time : one.arrival->times) {
        hash.add(static_cast<std::uint64_t>(time.value));
      }
    }
    if (!one.routing) continue;
    for (const std::int64_t bytes : one.routing->matrix) {
      hash.add(static_cast<std::uint64_t>(bytes));
    }
  }
  return hash.hex();
}

// Turns one tree into a Scenario. Goes on after a fault wherever what follows still makes sense, so
// that all faults of a file are shown together. Lives only during `load_text`.
class Reader {
 public:
  Reader(std::string folder, Diagnostics& diagnostics, GivenFiles& files)
      : folder_(std::move(folder)), diagnostics_(diagnostics), files_(files) {}

  std::optional<Scenario> read(const Value& tree) {
    top_ = sim::read_section(tree, keys(), "", diagnostics_);
    check_name();
    Scenario scenario;
    std::int64_t most_ops = 0;
    read_plain_keys(scenario, most_ops);
    build_cluster(tree, scenario);
    add_workload(tree, scenario, most_ops);
    if (const Section::Entry* faults = top_.find("faults"); faults && diagnostics_.empty()) {
      check_connected(*faults, scenario.topology, scenario.cases, diagnostics_);
    }
    add_conditions(tree, scenario, most_ops);
    check_arrivals(scenario);
    scenario.what_if = read_what_if(top_, diagnostics_);
    scenario.sweep = read_sweep(top_, diagnostics_);
    if (!diagnostics_.empty()) return std::nullopt;
    scenario.echo = echo(top_, keys());
    return scenario;
  }

 private:
  void check_name() {
    if (!top_.has("scenario") || is_name(top_.text("scenario"))) return;
    diagnostics_.add(
        {top_.position("scenario"),
         fmt::format("{} cannot be a scenario's name", sim::quoted(top_.text("scenario"))),
         fmt::format("a-z, 0-9 and hyphens, at most {} of them", kMostNameLength), ""});
  }

  void read_plain_keys(Scenario& scenario, std::int64_t& most_ops) {
    if (top_.has("scenario")) scenario.name = top_.text("scenario");
    if (top_.has("about")) scenario.about = top_.text("about");
    if (top_.has("fidelity")) scenario.fidelity = top_.text("fidelity");
    if (top_.has("seed")) scenario.seed = static_cast<std::uint64_t>(top_.count("seed"));
    const Section::Entry* limits = top_.find("limits");
    if (limits == nullptr) return;
    const Section& given = limits->sections[0];
    if (given.has("packet_hops")) {
      scenario.limits.packet_hops = static_cast<std::uint64_t>(given.count("packet_hops"));
    }
    if (given.has("simulated_time")) scenario.limits.simulated_time = given.time("simulated_time");
    if (given.has("cpu_time")) scenario.budget.time = given.time("cpu_time");
    if (given.has("memory")) scenario.budget.memory = given.bytes("memory");
    if (given.has("ops")) most_ops = given.count("ops");
    scenario.most_ops = static_cast<std::uint64_t>(most_ops);
  }

  // True when the part of the tree reads without faults of its own.
  static bool is_sound(const Value& value, const std::vector<Key>& keys) {
    Diagnostics probe("", "");
    static_cast<void>(sim::read_section(value, keys, "", probe));
    return probe.empty();
  }

  Section* sound_section(const Value& tree, const char* name) {
    const Value::Entry* given = tree.find(name);
    if (given == nullptr || !is_sound(given->value, find_key(keys(), name)->inner)) return nullptr;
    for (Section::Entry& entry : top_.entries) {
      if (entry.key == name) return &entry.sections[0];
    }
    return nullptr;
  }

  Symmetry symmetry() const {
    const std::string word = top_.has("symmetry") ? top_.text("symmetry") : "auto";
    if (word == "always") return Symmetry::kAlways;
    return word == "never" ? Symmetry::kNever : Symmetry::kWhenLarge;
  }

  void build_cluster(const Value& tree, Scenario& scenario) {
    Section* section = sound_section(tree, "cluster");
    if (section == nullptr) return;
    std::string engine = scenario.fidelity.empty() ? "packet" : scenario.fidelity;
    if (engine == "auto") engine = "flow";  // which does not draw a large cluster whole
    std::optional<Cluster> cluster =
        scenarios::build_cluster(*section, engine, symmetry(), diagnostics_);
    if (!cluster) return;
    scenario.fabric = std::move(cluster->fabric);
    scenario.parameters = std::move(cluster->parameters);
    scenario.topology = std::move(cluster->topology);
    scenario.outline = std::move(cluster->outline);
    add_faults(tree, scenario);
  }

  void add_faults(const Value& tree, Scenario& scenario) {
    const Section::Entry* faults = top_.find("faults");
    if (faults == nullptr) return;
    const std::vector<Key>& inner = find_key(keys(), "faults")->inner;
    for (const Value& item : tree.find("faults")->value.items) {
      if (!is_sound(item, inner)) return;
    }
    if (scenario.outline) {
      add_outline_faults(*faults, scenario.parameters, scenario.topology, *scenario.outline,
                         diagnostics_);
    } else {
      scenario.topology =
          apply_faults(*faults, scenario.parameters, std::move(scenario.topology), diagnostics_);
    }
    const std::size_t count = faults->sections.size();
    scenario.fabric += fmt::format(", {} {}", count, count == 1 ? "fault" : "faults");
  }

  void add_workload(const Value& tree, Scenario& scenario, std::int64_t most_ops) {
    const Section::Entry* workload = top_.find("workload");
    if (workload == nullptr) return;
    const std::vector<Key>& inner = find_key(keys(), "workload")->inner;
    const Value& list = tree.find("workload")->value;
    const sim::Fabric* fabric = most_ops > 0 ? scenario.topology.fabric.get() : nullptr;
    std::optional<Selector> selector;
    if (fabric != nullptr && has_sound_selection(tree)) {
      selector.emplace(top_, *fabric, scenario.parameters);
    }
    for (std::size_t i = 0; i < workload->sections.size(); ++i) {
      if (!is_sound(list.items[i], inner)) continue;
      add_cases({workload->sections[i], fmt::format("workload[{}]", i), fabric, most_ops,
                 selector ? &*selector : nullptr, scenario.outline ? scenario.outline->domains : 1,
                 &files_, scenario.seed, folder_},
                diagnostics_, scenario.cases);
    }
  }

  // Faults and neighbours, each item that reads without faults of its own.
  void add_conditions(const Value& tree, Scenario& scenario, std::int64_t most_ops) {
    if (scenario.topology.fabric == nullptr) return;
    const sim::Fabric& fabric = *scenario.topology.fabric;
    for_each_sound(tree, "impairments", [&](const Section& item, const std::string& path) {
      check_fidelity(item, path, scenario);
      add_impairment(item, path, fabric, diagnostics_, scenario.conditions);
    });
    for_each_sound(tree, "neighbours", [&](const Section& item, const std::string& path) {
      check_fidelity(item, path, scenario);
      if (!add_load(item, path, fabric, diagnostics_, scenario.conditions)) return;
      const sim::Fabric* drawn = most_ops > 0 ? &fabric : nullptr;
      add_cases({item, path, drawn, most_ops, nullptr, 1, &files_, scenario.seed, folder_},
                diagnostics_, scenario.neighbours);
    });
  }

  // A neighbour's collective begins when it is launched, whoever comes late.
  void check_arrivals(const Scenario& scenario) {
    const Section::Entry* workload = top_.find("workload");
    const bool shared = !scenario.neighbours.empty() || !scenario.conditions.loads.empty();
    if (workload == nullptr || !shared) return;
    for (const Section& item : workload->sections) {
      if (!item.has("arrival")) continue;
      diagnostics_.add({item.section("arrival").place,
                        "ranks that come late cannot be played beside neighbours",
                        "no 'arrival', or no 'neighbours'", ""});
    }
  }

  void check_fidelity(const Section& item, const std::string& path, const Scenario& scenario) {
    if (scenario.fidelity.empty() || scenario.fidelity == "packet") return;
    diagnostics_.add({item.place, path + ": only packets know of impairments and neighbours",
                      "fidelity: packet", ""});
  }

  template <class Visit>
  void for_each_sound(const Value& tree, const char* name, Visit visit) {
    const Section::Entry* list = top_.find(name);
    const Value::Entry* given = tree.find(name);
    if (list == nullptr || given == nullptr) return;
    const std::vector<Key>& inner = find_key(keys(), name)->inner;
    for (std::size_t i = 0; i < list->sections.size(); ++i) {
      if (!is_sound(given->value.items[i], inner)) continue;
      visit(list->sections[i], fmt::format("{}[{}]", name, i));
    }
  }

  static bool has_sound_selection(const Value& tree) {
    const auto* given = tree.find("selection");
    if (given == nullptr) return true;
    const std::vector<Key>& inner = find_key(keys(), "selection")->inner;
    return std::ranges::all_of(given->value.items,
                               [&](const Value& item) { return is_sound(item, inner); });
  }

  std::string folder_;
  Diagnostics& diagnostics_;
  GivenFiles& files_;
  Section top_;
};

std::optional<Scenario> read_clean(const std::string& text, const std::string& path,
                                   const std::vector<Override>& overrides, NamedFiles& files,
                                   Diagnostics& diagnostics) {
  std::optional<Value> tree = parse_yaml(text, diagnostics);
  if (!tree) return std::nullopt;
  if (tree->kind == Value::Kind::kNull) {
    diagnostics.add(
        {{}, "the file is empty", "a scenario", "see the files of scenarios/library for examples"});
    return std::nullopt;
  }
  apply_overrides(overrides, keys(), *tree, diagnostics);
  files.graph = take_graph_file(*tree, path, diagnostics);
  if (!files.graph.faults.empty() || files.graph.unread) return std::nullopt;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return Reader(folder, diagnostics, files.given).read(*tree);
}

std::string rendered(const std::string& name, const sim::Failure& failure) {
  Diagnostics diagnostics(name, "");
  diagnostics.add({{}, failure.what, "", failure.hint});
  return diagnostics.render();
}

}  // namespace

Loaded load_file(const std::string& path, const std::vector<Override>& overrides) {
  sim::Result<std::string> text = read_text_file(path);
  if (!text.ok()) return {std::nullopt, rendered(path, text.failure())};
  return load_text(text.value(), path, overrides);
}

Loaded load_text(const std::string& text, const std::string& shown_name,
                 const std::vector<Override>& overrides) {
  if (text.size() > static_cast<std::size_t>(kMostFileBytes)) {
    return {std::nullopt, rendered(shown_name, {"the text is too large", ""})};
  }
  const std::string clean = clean_text(text);
  Diagnostics diagnostics(shown_name, clean);
  NamedFiles files{{}, GivenFiles(std::filesystem::path(shown_name).parent_path().string())};
  std::optional<Scenario> scenario = read_clean(clean, shown_name, overrides, files, diagnostics);
  if (!diagnostics.empty()) {
    return {std::nullopt,
            render_faults(diagnostics, shown_name, clean, overrides) + files.given.faults()};
  }
  if (!files.graph.faults.empty()) return {std::nullopt, files.graph.faults};
  scenario->input_hash = hash_of(text, files, overrides, scenario->cases);
  return {std::move(scenario), ""};
}

}  // namespace scenarios
