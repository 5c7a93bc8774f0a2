// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/loader/cluster.h"
#include "scenarios/loader/declared.h"
#include "scenarios/loader/echo.h"
#include "scenarios/loader/file.h"
#include "scenarios/loader/overrides.h"
#include "scenarios/loader/yaml.h"
#include "scenarios/workload/architecture.h"
#include "scenarios/workload/declare.h"
#include "scenarios/workload/engine_price.h"
#include "scenarios/workload/hf_config.h"
#include "scenarios/workload/layout_keys.h"
#include "sim/base/check.h"
#include "sim/base/fingerprint.h"

namespace workload {
namespace {

using scenarios::Override;
using sim::Diagnostics;
using sim::Key;
using sim::Section;
using sim::Value;

constexpr std::int64_t kMostUnitsBuilt = 2;
constexpr std::int64_t kMostRanks = 2'000'000;
constexpr std::size_t kMostPoints = 2'000;

// Turns one tree into a scenario; goes on after a fault where what follows still makes sense.
class Reader {
 public:
  Reader(std::string folder, Ask ask, Diagnostics& diagnostics)
      : folder_(std::move(folder)), ask_(ask), diagnostics_(diagnostics) {}

  std::optional<ModelScenario> read(const Value& tree) {
    top_ = sim::read_section(tree, model_keys(), "", diagnostics_);
    check_name();
    read_model();
    if (top_.has("pricing") && sound(tree, "cluster")) build_cluster(top_.text("pricing"));
    if (sound(tree, "chip")) choose_chip();
    if (top_.has("pricing")) scenario_.pricing = top_.text("pricing");
    scenario_.margin = top_.has("memory_margin") ? ratio_of(top_, "memory_margin") : 0;
    if (scenario_.ranks > 0 && sound(tree, "layout") && top_.has("phase")) read_layouts(tree);
    read_search(tree);
    if (!diagnostics_.empty()) return std::nullopt;
    scenario_.echo = scenarios::echo(top_, model_keys());
    return std::move(scenario_);
  }

  // Faults of a config.json, rendered with their own file.
  [[nodiscard]] const std::string& import_faults() const { return import_faults_; }

 private:
  void report(sim::Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
  }

  void check_name() {
    if (top_.has("about")) scenario_.about = top_.text("about");
    if (!top_.has("scenario")) return;
    scenario_.name = top_.text("scenario");
    if (scenarios::is_name(scenario_.name)) return;
    report(top_.position("scenario"),
           fmt::format("{} cannot be a scenario's name", sim::quoted(scenario_.name)),
           fmt::format("a-z, 0-9 and hyphens, at most {} of them", scenarios::kMostNameLength));
  }

  // True when that part of the tree reads without faults of its own.
  bool sound(const Value& tree, const char* name) {
    if (!top_.has(name)) return false;
    const Value::Entry* given = tree.find(name);
    if (given == nullptr) return true;
    Diagnostics probe("", "");
    const Key& key = *scenarios::find_key(model_keys(), name);
    static_cast<void>(sim::read_section(given->value, key.inner, name, probe));
    return probe.empty();
  }

  void read_model() {
    if (!top_.has("model")) return;
    const Section& section = top_.section("model");
    const int given = (section.has("preset") ? 1 : 0) + (section.has("hf_config") ? 1 : 0) +
                      (section.has("architecture") ? 1 : 0);
    if (given != 1) {
      report(section.place, given == 0 ? "model names no architecture" : "model is given twice",
             "exactly one of preset, hf_config and architecture");
      return;
    }
    if (section.has("preset")) return take_preset(section);
    if (section.has("hf_config")) return take_config(section);
    if (!diagnostics_.empty()) return;
    if (std::optional<Model> model =
            read_architecture(section.section("architecture"), diagnostics_)) {
      scenario_.model = std::move(*model);
    }
  }

  void take_preset(const Section& section) {
    const std::string& name = section.text("preset");
    if (std::optional<ModelPreset> preset = find_model(name)) {
      scenario_.model = std::move(preset->model);
      return;
    }
    const std::string near = sim::nearest(name, model_names());
    report(section.position("preset"), fmt::format("unknown model {}", sim::quoted(name)),
           fmt::format("one of {}", fmt::join(model_names(), ", ")),
           near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }

  void take_config(const Section& section) {
    const std::string& named = section.text("hf_config");
    const bool absolute = named.starts_with('/') || folder_.empty();
    const std::string path = absolute ? named : folder_ + "/" + named;
    const sim::Result<std::string> text = scenarios::read_text_file(path);
    if (!text.ok()) {
      report(section.position("hf_config"), text.failure().what, "a config.json",
             text.failure().hint);
      return;
    }
    const std::string clean = scenarios::clean_text(text.value());
    Diagnostics faults(path, clean);
    std::optional<ImportedModel> imported = import_hf_config(clean, faults);
    if (!imported) {
      import_faults_ = faults.render();
      report(section.position("hf_config"), fmt::format("{} cannot be imported", path),
             "a config.json without the faults shown above");
      return;
    }
    scenario_.model = std::move(imported->model);
    scenario_.model.source = path;
    scenario_.notes = std::move(imported->notes);
  }

  // A cluster of many equal units is priced on two of them.
  void build_cluster(const std::string& pricing) {
    Section section = top_.section("cluster");
    const char* counter = section.has("server") ? "servers" : "ultraservers";
    std::int64_t units = 1;
    for (Section::Entry& entry : section.entries) {
      if (entry.key != counter || entry.scalars.size() != 1) continue;
      units = entry.scalars[0].amount;
      const std::int64_t built = std::min(units, kMostUnitsBuilt);
      entry.scalars[0] = {sim::Dimension::kCount, built, std::to_string(built)};
    }
    std::optional<scenarios::Cluster> cluster =
        scenarios::build_cluster(section, pricing == "links" ? "packet" : pricing,
                                 scenarios::Symmetry::kNever, diagnostics_);
    if (!cluster) return;
    const std::int64_t built = std::min(units, kMostUnitsBuilt);
    const sim::Fabric& fabric = *cluster->topology.fabric;
    const sim::Level* chip = fabric.level("chip");
    const std::int64_t chips = chip == nullptr ? fabric.endpoints() : chip->groups;
    scenario_.ranks = fabric.endpoints() / built * units;
    scenario_.chips = chips / built * units;
    if (scenario_.ranks > kMostRanks) {
      report(section.place, "the cluster is too large",
             fmt::format("at most {} ranks", kMostRanks));
    }
    scenario_.fabric = named_fabric(cluster->fabric, built, units, chips);
    scenario_.parameters = std::move(cluster->parameters);
    scenario_.topology = std::make_shared<const sim::Topology>(std::move(cluster->topology));
  }

  // "2 x HGX, 16 chips" of two units, with the true counts.
  [[nodiscard]] std::string named_fabric(std::string text, std::int64_t built, std::int64_t units,
                                         std::int64_t chips) const {
    if (units == built) return text;
    const std::string old_count = fmt::format(", {} chips", chips);
    const std::string old_units = fmt::format("{} x ", built);
    if (const std::size_t at = text.find(old_count); at != std::string::npos) {
      text.replace(at, old_count.size(), fmt::format(", {} chips", scenario_.chips));
    }
    if (text.starts_with(old_units)) text.replace(0, old_units.size(), fmt::format("{} x ", units));
    return text;
  }

  void choose_chip() {
    if (!top_.has("cluster")) return;
    const Section& section = top_.section("chip");
    std::string wanted;
    for (const char* key : {"ultraserver", "server", "topology"}) {
      if (top_.section("cluster").has(key)) wanted = top_.section("cluster").text(key);
    }
    std::optional<Chip> chip =
        section.has("preset") ? find_chip(section.text("preset")) : chip_of_hardware(wanted);
    if (!chip) {
      const std::string name = section.has("preset") ? section.text("preset") : wanted;
      report(section.place,
             section.has("preset") ? fmt::format("unknown chip {}", sim::quoted(name))
                                   : fmt::format("no chip is known for {}", name),
             fmt::format("chip: {{preset: ...}}, one of {}", fmt::join(chip_names(), ", ")));
      return;
    }
    scenario_.chip = std::move(*chip);
    if (const Section::Entry* overrides = section.find("facts")) override_facts(*overrides);
  }

  void override_facts(const Section::Entry& overrides) {
    std::vector<std::string> names;
    for (const Key& key : chip_fact_keys()) names.push_back(key.name);
    for (const Value::Entry& entry : overrides.open.entries) {
      const Key* key = scenarios::find_key(chip_fact_keys(), entry.key);
      if (key == nullptr) {
        const std::string near = sim::nearest(entry.key, names);
        report(entry.position, fmt::format("unknown key {} in chip.facts", sim::quoted(entry.key)),
               fmt::format("one of {}", fmt::join(names, ", ")),
               near.empty() ? "" : fmt::format("did you mean '{}'?", near));
      } else if (const auto read =
                     sim::read_scalar(entry.value, *key, "chip.facts", diagnostics_)) {
        set_fact(scenario_.chip, entry.key, *read);
      }
    }
  }

  [[nodiscard]] Phase phase() const {
    const std::string& text = top_.text("phase");
    return text == "training"  ? Phase::kTraining
           : text == "prefill" ? Phase::kPrefill
                               : Phase::kDecode;
  }

  void read_layouts(const Value& tree) {
    const Section& section = top_.section("layout");
    scenario_.layout = read_layout(section, phase(), scenario_.ranks);
    if (ask_ == Ask::kSearch) return;
    const Section::Entry* sweep = top_.find("sweep");
    if (sweep == nullptr) {
      if (scenario_.model.layers == 0) return;  // its faults are known
      if (!check_layout(scenario_.model, scenario_.layout, scenario_.ranks, section,
                        diagnostics_)) {
        return;
      }
      check_memory(section);
      scenario_.points.push_back({"", scenario_.layout, ""});
      return;
    }
    const Value::Entry* given = tree.find("layout");
    add_points(*sweep, 0, given->value, "");
  }

  void check_memory(const Section& section) {
    if (scenario_.chip.memory == 0) return;  // no chip: a fault that is known
    const MemoryTable table =
        memory_of(scenario_.model, scenario_.layout,
                  scenario_.chip.memory / (scenario_.ranks / scenario_.chips), scenario_.margin);
    if (table.fits()) return;
    const auto gib = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); };
    std::string terms;
    for (const MemoryTerm& term : table.terms) {
      terms += fmt::format("{}{} {:.1f}", terms.empty() ? "" : ", ", term.name, gib(term.bytes));
    }
    report(section.place,
           fmt::format("the layout does not fit: stage {} needs {:.1f} GiB of {:.1f} GiB; the "
                       "largest term is {}",
                       table.stage, gib(table.sum), gib(table.capacity), table.largest().name),
           fmt::format("less than {:.1f} GiB; it is, in GiB, {}", gib(table.capacity), terms),
           "`ultrasim layouts FILE` lists layouts that fit");
  }

  // Every combination of the swept values from `depth` on.
  void add_points(const Section::Entry& sweep, std::size_t depth, const Value& layout,
                  const std::string& name) {
    if (scenario_.points.size() > kMostPoints) return;
    if (depth == sweep.sections.size()) return add_point(layout, name);
    const Section& one = sweep.sections[depth];
    if (!one.has("key") || !one.has("values")) return;
    const std::string& path = one.text("key");
    for (const sim::Quantity& value : one.find("values")->scalars) {
      Value changed = layout;
      if (!put(changed, path, value.text, one.position("key"))) return;
      add_points(
          sweep, depth + 1, changed,
          fmt::format("{}{}{} {}", name, name.empty() ? "" : ", ", short_name(path), value.text));
    }
  }

  // "tensor" of tensor_parallel_degree, "routing model" of routing.model: for a narrow table.
  static std::string short_name(std::string path) {
    const std::size_t end = path.find("_parallel_degree");
    if (end != std::string::npos) path.erase(end);
    std::ranges::replace(path, '.', ' ');
    return path;
  }

  bool put(Value& map, const std::string& path, const std::string& text, sim::Position place) {
    const std::size_t dot = path.find('.');
    const std::string key = path.substr(0, dot);
    Value* inner = nullptr;
    for (Value::Entry& entry : map.entries) {
      if (entry.key == key) inner = &entry.value;
    }
    if (inner == nullptr) {
      map.entries.push_back({key, place, {}});
      inner = &map.entries.back().value;
      inner->position = place;
    }
    if (dot != std::string::npos) {
      inner->kind = Value::Kind::kMap;
      return put(*inner, path.substr(dot + 1), text, place);
    }
    inner->kind = Value::Kind::kScalar;
    inner->text = text;
    return true;
  }

  // A layout that cannot serve the model is a row that says so; a wrong key or value is a fault.
  void add_point(const Value& layout, const std::string& name) {
    const std::size_t before = diagnostics_.count();
    const Key& key = *scenarios::find_key(model_keys(), "layout");
    const Section section = sim::read_section(layout, key.inner, "layout", diagnostics_);
    if (diagnostics_.count() > before || scenario_.model.layers == 0) return;
    const Layout read = read_layout(section, phase(), scenario_.ranks);
    Diagnostics probe("", "");
    const bool works = check_layout(scenario_.model, read, scenario_.ranks, section, probe);
    scenario_.points.push_back(
        {name, works ? std::optional(read) : std::nullopt, works ? "" : probe.list()[0].what});
  }

  void read_search(const Value& tree) {
    if (!sound(tree, "search")) return;
    const Section& section = top_.section("search");
    const auto list = [&](const char* key) {
      std::vector<std::int64_t> values;
      if (const Section::Entry* entry = section.find(key)) {
        for (const sim::Quantity& one : entry->scalars) values.push_back(one.amount);
      }
      return values;
    };
    scenario_.search = {section.count("top"),
                        list("tensor_parallel_degree"),
                        list("context_parallel_degree"),
                        list("expert_parallel_degree"),
                        list("pipeline_parallel_degree"),
                        list("micro_batch_size"),
                        list("virtual_stages"),
                        section.count("most_micro_batches")};
  }

  std::string folder_;
  Ask ask_;
  Diagnostics& diagnostics_;
  Section top_;
  ModelScenario scenario_;
  std::string import_faults_;
};

std::string hash_of(const std::string& text, const std::vector<Override>& overrides) {
  sim::Fingerprint hash;
  hash.add(text);
  for (const Override& override : overrides) {
    hash.add(override.path);
    hash.add(override.value);
  }
  return hash.hex();
}

}  // namespace

Machine ModelScenario::machine(CollectivePrice& price) const {
  return {&chip, ranks, ranks / chips, margin, &price};
}

std::unique_ptr<CollectivePrice> ModelScenario::link_price() const {
  return std::make_unique<LinkPrice>(*topology, parameters, ranks);
}

std::unique_ptr<CollectivePrice> ModelScenario::chosen_price() const {
  if (pricing == "links") return link_price();
  return std::make_unique<EnginePrice>(pricing, *topology, parameters, ranks);
}

bool is_model_scenario(const std::string& text) {
  Diagnostics probe("", "");
  const std::string clean = scenarios::clean_text(text);
  const std::optional<Value> tree = scenarios::parse_yaml(clean, probe);
  return tree && tree->kind == Value::Kind::kMap && tree->find("model") != nullptr;
}

bool asks_about_model(const std::string& path) {
  const sim::Result<std::string> text = scenarios::read_text_file(path);
  return text.ok() && is_model_scenario(text.value());
}

LoadedModel load_model_text(const std::string& text, const std::string& shown_name,
                            const std::string& folder, const std::vector<Override>& overrides,
                            Ask ask) {
  const std::string clean = scenarios::clean_text(text);
  Diagnostics diagnostics(shown_name, clean);
  Reader reader(folder, ask, diagnostics);
  std::optional<ModelScenario> scenario;
  if (std::optional<Value> tree = scenarios::parse_yaml(clean, diagnostics)) {
    scenarios::apply_overrides(overrides, model_keys(), *tree, diagnostics);
    scenario = reader.read(*tree);
  }
  if (!diagnostics.empty()) {
    return {std::nullopt, reader.import_faults() +
                              scenarios::render_faults(diagnostics, shown_name, clean, overrides)};
  }
  scenario->input_hash = hash_of(text, overrides);
  return {std::move(scenario), ""};
}

LoadedModel load_model_file(const std::string& path, const std::vector<Override>& overrides,
                            Ask ask) {
  const sim::Result<std::string> text = scenarios::read_text_file(path);
  if (!text.ok()) {
    Diagnostics diagnostics(path, "");
    diagnostics.add({{}, text.failure().what, "", text.failure().hint});
    return {std::nullopt, diagnostics.render()};
  }
  const std::size_t slash = path.rfind('/');
  return load_model_text(text.value(), path,
                         slash == std::string::npos ? "" : path.substr(0, slash), overrides, ask);
}

}  // namespace workload
