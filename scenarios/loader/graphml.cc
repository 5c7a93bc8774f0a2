// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/graphml.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/graphml.hpp>
#include <boost/property_tree/detail/file_parser_error.hpp>
#include <exception>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/loader/xml_tags.h"

namespace scenarios {
namespace {

// Collects what Boost reads: nodes and edges in the order of the file, told from each other by
// their numbers.
class Collector : public boost::mutate_graph {
 public:
  [[nodiscard]] bool is_directed() const override { return false; }
  boost::any do_add_vertex() override {
    graph.nodes.emplace_back();
    return graph.nodes.size() - 1;
  }
  std::pair<boost::any, bool> do_add_edge(boost::any /*source*/, boost::any /*target*/) override {
    graph.edges.emplace_back();
    return {graph.edges.size() - 1, true};
  }
  void set_graph_property(const std::string& /*name*/, const std::string& /*value*/,
                          const std::string& /*type*/) override {}
  void set_vertex_property(const std::string& name, boost::any node, const std::string& value,
                           const std::string& /*type*/) override {
    set(graph.nodes[boost::any_cast<std::size_t>(node)].attributes, name, value);
  }
  void set_edge_property(const std::string& name, boost::any edge, const std::string& value,
                         const std::string& /*type*/) override {
    set(graph.edges[boost::any_cast<std::size_t>(edge)].attributes, name, value);
  }

  DrawnGraph graph;

 private:
  // What is written after a default replaces it. Data without a name is another program's drawing.
  static void set(std::vector<DrawnAttribute>& attributes, const std::string& name,
                  const std::string& value) {
    if (name.empty()) return;
    for (DrawnAttribute& known : attributes) {
      if (known.key == name) return void(known.value = value);
    }
    attributes.push_back({name, value, {}});
  }
};

// What a file has to have for its tags and what Boost reads to be the same, in the same order.
class Check {
 public:
  explicit Check(sim::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  bool all(const std::vector<XmlTag>& tags) {
    for (const XmlTag& tag : tags) {
      if (tag.name == "graph") graph(tag);
      if (tag.name == "key") key(tag);
      if (tag.name == "node") node(tag);
      if (tag.name == "edge") require(tag, "source") && require(tag, "target");
      if (tag.name == "data" && require(tag, "key")) data(tag);
    }
    for (const XmlTag& tag : tags) {
      if (tag.name == "edge") known_ends(tag);
    }
    if (graphs_ == 0) report({}, "there is no graph in it", "<graph edgedefault=\"undirected\">");
    return sound_;
  }

 private:
  void report(sim::Position place, std::string what, std::string expected, std::string hint = "") {
    diagnostics_.add({place, std::move(what), std::move(expected), std::move(hint)});
    sound_ = false;
  }

  bool require(const XmlTag& tag, const char* attribute) {
    if (tag.find(attribute) != nullptr) return true;
    report(tag.place, fmt::format("<{}> without {}", tag.name, attribute),
           fmt::format("{}=\"...\"", attribute));
    return false;
  }

  void graph(const XmlTag& tag) {
    if (++graphs_ > 1) report(tag.place, "a second graph", "one graph, and none in a node");
    if (require(tag, "edgedefault") && *tag.find("edgedefault") != "undirected") {
      report(tag.place, "a fabric is no directed graph", "edgedefault=\"undirected\"",
             "every link has both directions, so write each once");
    }
  }

  void key(const XmlTag& tag) {
    if (require(tag, "id") && require(tag, "for")) keys_.insert(*tag.find("id"));
  }

  void node(const XmlTag& tag) {
    if (!require(tag, "id")) return;
    const std::string& id = *tag.find("id");
    if (nodes_.insert(id).second) return;
    report(tag.place, fmt::format("there are two nodes called {}", sim::quoted(id)),
           "each id once");
  }

  void data(const XmlTag& tag) {
    const std::string& key = *tag.find("key");
    if (keys_.contains(key)) return;
    report(tag.place, fmt::format("no key has the id {}", sim::quoted(key)),
           "the id of a <key> at the head of the file", nearest(key, {keys_.begin(), keys_.end()}));
  }

  void known_ends(const XmlTag& tag) {
    for (const char* end : {"source", "target"}) {
      const std::string* name = tag.find(end);
      if (name == nullptr || nodes_.contains(*name)) continue;
      report(tag.place, fmt::format("no node is called {}", sim::quoted(*name)),
             "the id of a <node>", nearest(*name, {nodes_.begin(), nodes_.end()}));
    }
    const std::string* directed = tag.find("directed");
    if (directed == nullptr || *directed != "true") return;
    report(tag.place, "a fabric is no directed graph", "edges with both directions");
  }

  static std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string near = sim::nearest(word, candidates);
    return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
  }

  sim::Diagnostics& diagnostics_;
  bool sound_ = true;
  int graphs_ = 0;
  std::set<std::string> keys_;
  std::set<std::string> nodes_;
};

// What is no XML is reported; what else is wrong is left in `fault_text`.
std::optional<DrawnGraph> read(const std::string& text, std::string& fault_text,
                               sim::Diagnostics& diagnostics) {
  std::istringstream stream(text);
  try {
    Collector collector;
    boost::read_graphml(stream, collector, 0);
    return std::move(collector.graph);
  } catch (const boost::property_tree::file_parser_error& fault) {
    diagnostics.add({{static_cast<int>(fault.line()), 1}, "not XML: " + fault.message(), ""});
  } catch (const std::exception& fault) {
    fault_text = fault.what();
  }
  return std::nullopt;
}

// Names and places, from tags that match what was read.
void annotate(const std::vector<XmlTag>& tags, DrawnGraph& graph) {
  std::map<std::string, std::string> named;
  std::vector<DrawnAttribute>* current = nullptr;  // of the node or edge that is open
  std::size_t nodes = 0;
  std::size_t edges = 0;
  for (const XmlTag& tag : tags) {
    if (tag.name == "key" && tag.find("attr.name") != nullptr) {
      named[*tag.find("id")] = *tag.find("attr.name");
    } else if (tag.name == "node") {
      DrawnNode& node = graph.nodes[nodes++];
      node.name = *tag.find("id");
      node.place = tag.place;
      current = &node.attributes;
    } else if (tag.name == "edge") {
      DrawnEdge& edge = graph.edges[edges++];
      edge.from = *tag.find("source");
      edge.to = *tag.find("target");
      edge.place = tag.place;
      current = &edge.attributes;
    } else if (tag.name == "/node" || tag.name == "/edge") {
      current = nullptr;
    }
    if (current == nullptr) continue;
    const bool opens = tag.name == "node" || tag.name == "edge";
    for (DrawnAttribute& one : *current) {
      if (opens) one.place = tag.place;  // a default has no other
      if (tag.name == "data" && one.key == named[*tag.find("key")]) one.place = tag.inside;
    }
    if (opens && tag.empty) current = nullptr;
  }
}

std::size_t count(const std::vector<XmlTag>& tags, const char* name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(tags, [&](const XmlTag& tag) { return tag.name == name; }));
}

}  // namespace

std::optional<DrawnGraph> parse_graphml(const std::string& text, sim::Diagnostics& diagnostics) {
  const std::optional<std::vector<XmlTag>> tags = xml_tags(text, diagnostics);
  if (!tags) return std::nullopt;
  std::string fault;
  std::optional<DrawnGraph> graph = read(text, fault, diagnostics);
  if (!diagnostics.empty() || !Check(diagnostics).all(*tags)) return std::nullopt;
  if (!graph) {
    diagnostics.add({{}, "not GraphML: " + fault, "<graphml> with one <graph>"});
    return std::nullopt;
  }
  if (graph->nodes.size() != count(*tags, "node") || graph->edges.size() != count(*tags, "edge")) {
    diagnostics.add({{},
                     "some nodes or edges do not stand directly in the graph",
                     "<graphml><graph> <node/> <edge/> </graph></graphml>"});
    return std::nullopt;
  }
  annotate(*tags, *graph);
  return graph;
}

}  // namespace scenarios
