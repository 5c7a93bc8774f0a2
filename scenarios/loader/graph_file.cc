// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/loader/dot.h"
#include "scenarios/loader/file.h"
#include "scenarios/loader/graphml.h"
#include "scenarios/loader/own_fabric.h"
#include "scenarios/loader/text_check.h"
#include "scenarios/loader/yaml.h"
#include "sim/base/key.h"

namespace scenarios {
namespace {

using sim::Value;

// What Graphviz, yEd, Gephi and networkx say of a picture.
constexpr std::array<std::string_view, 44> kDrawing = {
    "URL",        "arrowhead", "arrowsize", "arrowtail", "color",     "colorscheme", "comment",
    "constraint", "decorate",  "dir",       "fillcolor", "fixedsize", "fontcolor",   "fontname",
    "fontsize",   "group",     "headlabel", "headport",  "height",    "href",        "id",
    "image",      "label",     "layer",     "len",       "lp",        "margin",      "minlen",
    "ordering",   "penwidth",  "pos",       "rank",      "shape",     "sides",       "size",
    "style",      "taillabel", "tailport",  "target",    "tooltip",   "weight",      "width",
    "x",          "y"};

bool is_drawing(const std::string& key) {
  return std::find(kDrawing.begin(), kDrawing.end(), key) != kDrawing.end();
}

Value scalar(std::string text, sim::Position place) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.position = place;
  value.text = std::move(text);
  return value;
}

void add(Value& map, const std::string& key, std::string text, sim::Position place) {
  map.entries.push_back({key, place, scalar(std::move(text), place)});
}

Value map_at(sim::Position place) {
  Value map;
  map.kind = Value::Kind::kMap;
  map.position = place;
  return map;
}

void add_attributes(const std::vector<DrawnAttribute>& attributes, Value& map) {
  for (const DrawnAttribute& one : attributes) {
    if (!is_drawing(one.key)) add(map, one.key, one.value, one.place);
  }
}

Value fabric_of(const DrawnGraph& graph) {
  Value nodes;
  nodes.kind = Value::Kind::kList;
  nodes.position = {1, 1};
  Value links = nodes;
  for (const DrawnNode& node : graph.nodes) {
    nodes.items.push_back(map_at(node.place));
    add(nodes.items.back(), "name", node.name, node.place);
    add_attributes(node.attributes, nodes.items.back());
  }
  for (const DrawnEdge& edge : graph.edges) {
    links.items.push_back(map_at(edge.place));
    add(links.items.back(), "from", edge.from, edge.place);
    add(links.items.back(), "to", edge.to, edge.place);
    add_attributes(edge.attributes, links.items.back());
  }
  Value fabric = map_at({1, 1});
  fabric.entries.push_back({"nodes", {1, 1}, std::move(nodes)});
  fabric.entries.push_back({"links", {1, 1}, std::move(links)});
  return fabric;
}

std::optional<Value> parse(const std::string& text, const std::string& ending,
                           sim::Diagnostics& diagnostics) {
  if (!check_characters(text, diagnostics)) return std::nullopt;
  const bool dot = ending == ".dot" || ending == ".gv";
  const std::optional<DrawnGraph> graph =
      dot ? parse_dot(text, diagnostics) : parse_graphml(text, diagnostics);
  if (!graph) return std::nullopt;
  Value fabric = fabric_of(*graph);
  const sim::Section section = sim::read_section(fabric, own_fabric_keys(), "fabric", diagnostics);
  if (diagnostics.empty()) static_cast<void>(read_own_fabric(section, diagnostics));
  return fabric;
}

// Later faults of the fabric as a whole are shown where the scenario names the file.
void place_at(Value& value, sim::Position place) {
  value.position = place;
  for (Value& item : value.items) place_at(item, place);
  for (Value::Entry& entry : value.entries) {
    entry.position = place;
    place_at(entry.value, place);
  }
}

Value* find_name(Value& scenario) {
  for (Value::Entry& top : scenario.entries) {
    if (top.key != "cluster") continue;
    for (Value::Entry& entry : top.value.entries) {
      if (entry.key == "fabric" && entry.value.kind == Value::Kind::kScalar) return &entry.value;
    }
  }
  return nullptr;
}

}  // namespace

GraphText take_graph_file(Value& scenario, const std::string& scenario_path,
                          sim::Diagnostics& diagnostics) {
  Value* name = find_name(scenario);
  if (name == nullptr) return {};
  const sim::Position place = name->position;
  const auto refuse = [&](std::string what, std::string expected, std::string hint = "") {
    diagnostics.add({place, std::move(what), std::move(expected), std::move(hint)});
    return GraphText{"", "", true};
  };
  const std::filesystem::path file =
      std::filesystem::path(scenario_path).parent_path() / name->text;
  const std::string ending = file.extension().string();
  if (ending != ".dot" && ending != ".gv" && ending != ".graphml") {
    return refuse(fmt::format("{} is no graph file", sim::quoted(name->text)),
                  "a name that ends in .dot, .gv or .graphml, or {nodes: ..., links: ...}");
  }
  const sim::Result<std::string> text = read_text_file(file.string(), "a graph", kMostGraphBytes);
  if (!text.ok()) {
    return refuse(fmt::format("{}: {}", file.string(), text.failure().what),
                  "a graph file, found from the folder of the scenario", text.failure().hint);
  }
  const std::string clean = clean_text(text.value());
  sim::Diagnostics faults(file.string(), clean);
  std::optional<Value> fabric = parse(clean, ending, faults);
  if (!faults.empty()) return {text.value(), faults.render(), false};
  place_at(*fabric, place);
  *name = std::move(*fabric);
  return {text.value(), "", false};
}

}  // namespace scenarios
