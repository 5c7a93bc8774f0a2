// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "scenarios/loader/declared.h"
#include "scenarios/loader/embedded.h"
#include "scenarios/loader/yaml.h"
#include "sim/base/check.h"
#include "topologies/topologies.h"

namespace scenarios {
namespace {

using sim::Diagnostics;
using sim::Dimension;
using sim::Grade;
using sim::Key;
using sim::Parameter;
using sim::Section;
using sim::Value;
using Shape = sim::Key::Shape;

constexpr int kMostDepth = 8;  // of presets that are like others
constexpr Grade kGrades[] = {Grade::kPublished, Grade::kAnalyst, Grade::kJudged, Grade::kChosen};

Key text_key(std::string name, bool required, std::vector<std::string> choices = {}) {
  Key key;
  key.name = std::move(name);
  key.required = required;
  key.choices = std::move(choices);
  return key;
}

Key map_key(std::string name, bool required) {
  Key key = text_key(std::move(name), required);
  key.shape = Shape::kOpenMap;
  return key;
}

Key count_key(std::string name, std::int64_t most) {
  Key key = text_key(std::move(name), false);
  key.dimension = Dimension::kCount;
  key.fallback = "1";
  key.least = 1;
  key.most = most;
  return key;
}

std::vector<Key> preset_keys() {
  const std::vector<std::string> topologies = topologies::topologies().names();
  return {text_key("preset", true),
          text_key("title", true),
          text_key("summary", true),
          text_key("like", false),
          text_key("unit", true, {"ultraserver", "server", "topology"}),
          text_key("topology", true, topologies),
          text_key("cluster_topology", false, topologies),
          count_key("cores_per_chip", 8),
          count_key("cores_per_logical_core", 2),
          map_key("parameters", true),
          text_key("default_wiring", false),
          map_key("wirings", false)};
}

std::vector<Key> parameter_keys() {
  std::vector<std::string> grades;
  for (const Grade grade : kGrades) grades.emplace_back(sim::name_of(grade));
  return {text_key("value", true), text_key("low", false), text_key("high", false),
          text_key("grade", true, grades), text_key("source", true)};
}

const Parameter* find(const std::vector<Parameter>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &Parameter::name);
  return found == list.end() ? nullptr : &*found;
}

std::string text_or(const Section& section, std::string_view key, std::string otherwise) {
  return section.has(key) ? section.text(key) : std::move(otherwise);
}

Grade grade_of(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kGrades, [&](Grade grade) { return sim::name_of(grade) == name; });
  CHECK(found != std::end(kGrades));
  return *found;
}

std::optional<sim::Quantity> quantity_of(const Section& section, const char* field, const Key& key,
                                         const std::string& path, Diagnostics& diagnostics) {
  const char* given = section.has(field) ? field : "value";
  const Value scalar{Value::Kind::kScalar, section.position(given), section.text(given), {}, {}};
  return sim::read_scalar(scalar, key, path, diagnostics);
}

std::optional<Parameter> read_parameter(const Value::Entry& entry, const Key& key,
                                        const std::string& path, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.count();
  const Section section = sim::read_section(entry.value, parameter_keys(), path, diagnostics);
  if (diagnostics.count() > before) return std::nullopt;
  const auto value = quantity_of(section, "value", key, path, diagnostics);
  const auto low = quantity_of(section, "low", key, path, diagnostics);
  const auto high = quantity_of(section, "high", key, path, diagnostics);
  if (!value || !low || !high) return std::nullopt;
  if (key.dimension != Dimension::kText &&
      (low->amount > value->amount || value->amount > high->amount)) {
    diagnostics.add({entry.position, path + " is outside its range", "low <= value <= high", ""});
  }
  return Parameter{
      key.name, *value, *low, *high, grade_of(section.text("grade")), section.text("source")};
}

std::vector<Parameter> read_parameters(const Value& map, const std::vector<Key>& declared,
                                       const std::string& path, Diagnostics& diagnostics) {
  std::vector<Parameter> parameters;
  for (const Value::Entry& entry : map.entries) {
    const Key* key = find_key(declared, entry.key);
    const std::string inner = path + "." + entry.key;
    if (key == nullptr || set_by_loader(entry.key)) {
      diagnostics.add({entry.position, inner + " is not a parameter to be given here", "", ""});
    } else if (find(parameters, entry.key) != nullptr) {
      diagnostics.add({entry.position, inner + " is given twice", "", ""});
    } else if (auto parameter = read_parameter(entry, *key, inner, diagnostics)) {
      parameters.push_back(std::move(*parameter));
    }
  }
  return parameters;
}

// What the model assumes where a preset says nothing of a key.
void add_fallbacks(std::vector<Parameter>& given, const std::vector<Key>& declared,
                   Diagnostics& diagnostics) {
  for (const Key& key : declared) {
    if (!key.fallback || find(given, key.name) != nullptr || set_by_loader(key.name)) continue;
    const Value scalar{Value::Kind::kScalar, {}, *key.fallback, {}, {}};
    const auto value = sim::read_scalar(scalar, key, key.name, diagnostics);
    if (!value) continue;
    given.push_back({key.name, *value, *value, *value, Grade::kChosen,
                     "default of the model: the preset says nothing of it"});
  }
}

void report_missing(const std::vector<Parameter>& given, const std::vector<Key>& declared,
                    Diagnostics& diagnostics) {
  for (const Key& key : declared) {
    if (find(given, key.name) == nullptr && !set_by_loader(key.name)) {
      diagnostics.add({{}, "parameter '" + key.name + "' is missing", sim::accepts(key), ""});
    }
  }
}

std::vector<Wiring> read_wirings(const Value& map, const std::vector<Key>& declared,
                                 Diagnostics& diagnostics) {
  const std::vector<Key> keys = {text_key("summary", true), map_key("parameters", true)};
  std::vector<Wiring> wirings;
  for (const Value::Entry& entry : map.entries) {
    const std::string path = "wirings." + entry.key;
    const std::size_t before = diagnostics.count();
    const Section section = sim::read_section(entry.value, keys, path, diagnostics);
    if (diagnostics.count() > before) continue;
    wirings.push_back({entry.key, section.text("summary"),
                       read_parameters(section.find("parameters")->open, declared,
                                       path + ".parameters", diagnostics)});
  }
  return wirings;
}

std::optional<Preset> parse(const std::string& text, Diagnostics& diagnostics, int depth);

const EmbeddedFile* file_of(std::string_view name) {
  for (const EmbeddedFile& file : hardware_files()) {
    if (file.name == std::string(name) + ".yaml") return &file;
  }
  return nullptr;
}

// Takes what `like` gives and this preset does not.
void inherit(const Section& section, const std::vector<Key>& declared, int depth,
             std::vector<Parameter>& parameters, Diagnostics& diagnostics) {
  if (!section.has("like")) return;
  const EmbeddedFile* file = file_of(section.text("like"));
  std::optional<Preset> base;
  if (file != nullptr && depth < kMostDepth) {
    base = parse(clean_text(file->text), diagnostics, depth + 1);
  }
  if (!base) {
    diagnostics.add({section.position("like"),
                     fmt::format("there is no preset {} to be like", section.text("like")), "",
                     ""});
    return;
  }
  for (const Key& key : declared) {
    const Parameter* inherited = find(base->parameters, key.name);
    if (inherited != nullptr && find(parameters, key.name) == nullptr) {
      parameters.push_back(*inherited);
    }
  }
}

Preset fill(const Section& section, Diagnostics& diagnostics, int depth) {
  Preset preset;
  preset.unit = section.text("unit");
  preset.cores_per_chip = section.count("cores_per_chip");
  preset.cores_per_logical_core = section.count("cores_per_logical_core");
  preset.name = section.text("preset");
  preset.title = section.text("title");
  preset.summary = section.text("summary");
  preset.topology = section.text("topology");
  preset.cluster_topology = text_or(section, "cluster_topology", "");
  const std::vector<Key> declared = declared_parameters(preset.widest_topology());
  preset.parameters =
      read_parameters(section.find("parameters")->open, declared, "parameters", diagnostics);
  inherit(section, declared, depth, preset.parameters, diagnostics);
  add_fallbacks(preset.parameters, declared, diagnostics);
  report_missing(preset.parameters, declared, diagnostics);
  if (section.has("wirings")) {
    preset.wirings = read_wirings(section.find("wirings")->open, declared, diagnostics);
  }
  preset.default_wiring = text_or(section, "default_wiring", "");
  const bool known = preset.wiring(preset.default_wiring) != nullptr;
  if (preset.wirings.empty() != preset.default_wiring.empty() ||
      (!preset.wirings.empty() && !known)) {
    diagnostics.add({section.place, "default_wiring must name one of the wirings", "", ""});
  }
  if (!is_name(preset.name)) {
    diagnostics.add({section.position("preset"), "a preset's name is a-z, 0-9 and -", "", ""});
  }
  return preset;
}

std::optional<Preset> parse(const std::string& text, Diagnostics& diagnostics, int depth) {
  const std::optional<Value> tree = parse_yaml(text, diagnostics);
  if (!tree) return std::nullopt;
  const Section section = sim::read_section(*tree, preset_keys(), "", diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  Preset preset = fill(section, diagnostics, depth);
  if (!diagnostics.empty()) return std::nullopt;
  return preset;
}

Preset parse_shipped(const EmbeddedFile& file) {
  const std::string text = clean_text(file.text);
  Diagnostics diagnostics("scenarios/hardware/" + std::string(file.name), text);
  std::optional<Preset> preset = parse_preset(text, diagnostics);
  if (!preset) std::fputs(diagnostics.render().c_str(), stderr);
  CHECK(preset.has_value());
  CHECK(file.name == preset->name + ".yaml");
  return std::move(*preset);
}

std::vector<Preset> parse_all() {
  std::vector<Preset> presets;
  for (const EmbeddedFile& file : hardware_files()) presets.push_back(parse_shipped(file));
  return presets;
}

}  // namespace

const Wiring* Preset::wiring(std::string_view wanted) const {
  const auto found = std::ranges::find(wirings, wanted, &Wiring::name);
  return found == wirings.end() ? nullptr : &*found;
}

sim::Parameters Preset::under(const Wiring* wiring, const std::vector<Key>& keys) const {
  sim::Parameters chosen;
  for (const Key& key : keys) {
    if (set_by_loader(key.name)) continue;
    const Parameter* parameter = wiring != nullptr ? find(wiring->parameters, key.name) : nullptr;
    if (parameter == nullptr) parameter = find(parameters, key.name);
    CHECK(parameter != nullptr);
    chosen.set(*parameter);
  }
  return chosen;
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = parse_all();
  return kPresets;
}

std::vector<std::string> preset_names(std::string_view unit) {
  const std::string line = fmt::format("\nunit: {}\n", unit);
  std::vector<std::string> names;
  for (const EmbeddedFile& file : hardware_files()) {
    if (file.text.find(line) == std::string_view::npos) continue;
    names.emplace_back(file.name.substr(0, file.name.find('.')));
  }
  return names;
}

// A run needs one preset: only that one is parsed.
std::optional<Preset> find_preset(std::string_view name) {
  const EmbeddedFile* file = file_of(name);
  return file == nullptr ? std::nullopt : std::optional(parse_shipped(*file));
}

std::optional<Preset> parse_preset(const std::string& text, Diagnostics& diagnostics) {
  return parse(text, diagnostics, 0);
}

}  // namespace scenarios
