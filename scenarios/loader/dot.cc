// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/graphviz.hpp>
#include <cctype>
#include <exception>
#include <map>
#include <utility>
#include <vector>

#include "scenarios/loader/dot_words.h"
#include "scenarios/loader/text_check.h"
#include "scenarios/loader/yaml.h"

namespace scenarios {
namespace {

namespace door = boost::detail::graph;

// Collects what Boost reads.
class Collector : public door::mutate_graph {
 public:
  [[nodiscard]] bool is_directed() const override { return false; }
  void do_add_vertex(const door::node_t& node) override {
    node_.emplace(node, graph.nodes.size());
    graph.nodes.push_back({node, {}});
  }
  void do_add_edge(const door::edge_t& edge, const door::node_t& source,
                   const door::node_t& target) override {
    edge_.emplace(edge, graph.edges.size());
    graph.edges.push_back({source, target, {}});
  }
  void set_node_property(const door::id_t& key, const door::node_t& node,
                         const door::id_t& value) override {
    graph.nodes[node_.at(node)].attributes.push_back({key, value, {}});
  }
  void set_edge_property(const door::id_t& key, const door::edge_t& edge,
                         const door::id_t& value) override {
    graph.edges[edge_.at(edge)].attributes.push_back({key, value, {}});
  }
  void set_graph_property(const door::id_t& /*key*/, const door::id_t& /*value*/) override {}
  void finish_building_graph() override {}

  DrawnGraph graph;

 private:
  std::map<door::node_t, std::size_t> node_;
  std::map<door::edge_t, std::size_t> edge_;
};

// What Boost says of the text; "" when it reads.
std::string fault_in(const std::string& text, DrawnGraph& graph) {
  try {
    Collector collector;
    if (!door::read_graphviz_new(text, &collector)) return "not a graph";
    graph = std::move(collector.graph);
    return "";
  } catch (const std::exception& fault) {
    return fault.what();
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Boost tells what is wrong, not where: the fault is at the last word without which the text would
// not be wrong in this way.
sim::Position place_of_fault(const std::string& text, const std::vector<DotWord>& words,
                             const std::string& what) {
  std::size_t least = 0;
  std::size_t most = words.size();
  while (least < most) {
    const std::size_t middle = (least + most) / 2;
    DrawnGraph none;
    const std::size_t end = middle == 0 ? 0 : words[middle - 1].end;
    if (fault_in(text.substr(0, end), none) == what) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return most == 0 ? sim::Position{} : place_of(text, words[most - 1].begin);
}

// Boost reads subgraphs by recursion.
bool check_depth(const std::string& text, const std::vector<DotWord>& words,
                 sim::Diagnostics& diagnostics) {
  std::size_t depth = 0;
  for (const DotWord& word : words) {
    if (word.is_name) continue;
    if (word.text == "}" && depth > 0) --depth;
    if (word.text == "{" && ++depth > kMostDepth) {
      diagnostics.add({place_of(text, word.begin),
                       fmt::format("subgraphs nest more than {} deep", kMostDepth),
                       "a flatter graph"});
      return false;
    }
  }
  return true;
}

// Faults of what Boost would read, but a fabric cannot be.
bool check_words(const std::string& text, const std::vector<DotWord>& words,
                 sim::Diagnostics& diagnostics) {
  const auto is_sign = [&](std::size_t word, const char* sign) {
    return word < words.size() && !words[word].is_name && words[word].text == sign;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto place = [&] { return place_of(text, words[i].begin); };
    if (is_sign(i, "->") || (i < 2 && lower(words[i].text) == "digraph")) {
      diagnostics.add({place(), "a fabric is no directed graph", "graph { a -- b }",
                       "every link has both directions, so write each once"});
      return false;
    }
    if (!is_sign(i, "--")) continue;
    const bool whole = is_sign(i + 1, "{") || (i > 0 && is_sign(i - 1, "}")) ||
                       (i + 1 < words.size() && lower(words[i + 1].text) == "subgraph" &&
                        text[words[i + 1].begin] != '"');
    if (whole) {
      diagnostics.add({place(), "an edge joins a whole subgraph", "a node at each end",
                       "write a link for each pair"});
      return false;
    }
  }
  return true;
}

void add_places(DrawnGraph& graph, DotPlaces& places) {
  for (DrawnNode& node : graph.nodes) node.place = places.node(node.name);
  for (DrawnEdge& edge : graph.edges) edge.place = places.next_edge(edge.from, edge.to);
  const auto locate = [&](auto& items) {
    for (auto& item : items) {
      for (DrawnAttribute& one : item.attributes) {
        one.place = places.value(one.key, one.value, item.place);
      }
    }
  };
  locate(graph.nodes);
  locate(graph.edges);
  // Boost gives nodes by name; chips are numbered as the file has them.
  std::ranges::stable_sort(graph.nodes, [](const DrawnNode& a, const DrawnNode& b) {
    return a.place.line != b.place.line ? a.place.line < b.place.line
                                        : a.place.column < b.place.column;
  });
}

}  // namespace

std::optional<DrawnGraph> parse_dot(const std::string& text, sim::Diagnostics& diagnostics) {
  const std::optional<std::vector<DotWord>> words = dot_words(text, diagnostics);
  if (!words || !check_depth(text, *words, diagnostics)) return std::nullopt;
  if (!check_words(text, *words, diagnostics)) return std::nullopt;
  DrawnGraph graph;
  if (const std::string fault = fault_in(text, graph); !fault.empty()) {
    diagnostics.add({place_of_fault(text, *words, fault), "not a DOT graph: " + fault,
                     "graph { a -- b [key=\"value\"] }"});
    return std::nullopt;
  }
  DotPlaces places(text, *words);
  add_places(graph, places);
  return graph;
}

}  // namespace scenarios
