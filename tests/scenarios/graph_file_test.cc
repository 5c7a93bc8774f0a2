// SPDX-License-Identifier: GPL-2.0-only
// A fabric in a DOT or GraphML file is the fabric that a scenario would write down.
#include "scenarios/loader/graph_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenarios/command/drawing.h"
#include "scenarios/loader/dot.h"
#include "scenarios/loader/graphml.h"
#include "scenarios/loader/scenario.h"

namespace {

using scenarios::DrawnGraph;
using sim::LinkId;

scenarios::Loaded load_with(const std::string& fabric) {
  return scenarios::load_text(
      "scenario: g\ncluster: {topology: own, fabric: " + fabric +
          "}\nworkload:\n  - {collective: all_to_all, bytes: 1 MiB, algorithm: direct}\n",
      "g.yaml", {});
}

// A file in the working directory of the test, gone with it.
class File {
 public:
  File(std::string name, const std::string& text) : name_(std::move(name)) {
    std::ofstream(name_, std::ios::binary) << text;
  }
  ~File() { std::filesystem::remove(name_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

constexpr const char* kWritten =
    "{nodes: [{name: b, kind: chip, server: left}, {name: a, kind: chip, server: right},"
    " {name: s, kind: switch, latency: 300 ns, forwarding: store_and_forward}],"
    " links: [{from: b, to: s, bandwidth: 100 GB/s, latency: 10 ns, kind: copper},"
    " {from: a, to: s, bandwidth: 50 GB/s}]}";

constexpr const char* kDot =
    "strict graph {  // comments, defaults and chains\n"
    "  node [shape=box, kind=chip];\n"
    "  b [server=left]; a [server=\"right\"];\n"
    "  s [kind=switch, latency=\"300 ns\", forwarding=store_and_forward, color=red];\n"
    "  b -- s [bandwidth=\"100 GB/s\", latency=\"10 ns\", kind=copper];\n"
    "  /* the other */ a -- s [bandwidth=\"50 \" + \"GB/s\", penwidth=2];\n"
    "}\n";

constexpr const char* kGraphml =
    "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"d0\" for=\"node\" attr.name=\"kind\" attr.type=\"string\">"
    "<default>chip</default></key>\n"
    "<key id=\"d1\" for=\"node\" attr.name=\"server\" attr.type=\"string\"/>\n"
    "<key id=\"d2\" for=\"node\" attr.name=\"latency\" attr.type=\"string\"/>\n"
    "<key id=\"d3\" for=\"node\" attr.name=\"forwarding\" attr.type=\"string\"/>\n"
    "<key id=\"e0\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\"/>\n"
    "<key id=\"e1\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"/>\n"
    "<key id=\"e2\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>\n"
    "<key id=\"g\" for=\"node\" yfiles.type=\"nodegraphics\"/>\n"
    "<graph edgedefault=\"undirected\"><!-- <node id=\"no\"/> -->\n"
    "<node id=\"b\"><data key=\"d1\">left</data><data key=\"g\">red</data></node>\n"
    "<node id=\"a\"><data key=\"d1\">right</data></node>\n"
    "<node id=\"s\"><data key=\"d0\">switch</data><data key=\"d2\">300 ns</data>"
    "<data key=\"d3\">store_and_forward</data></node>\n"
    "<edge source=\"b\" target=\"s\"><data key=\"e0\">100 GB/s</data><data key=\"e1\">10 ns</data>"
    "<data key=\"e2\">copper</data></edge>\n"
    "<edge source=\"a\" target=\"s\"><data key=\"e0\">50 GB/s</data></edge>\n"
    "</graph></graphml>\n";

TEST(GraphFile, DotGraphmlAndYamlAreOneFabric) {
  const scenarios::Loaded written = load_with(kWritten);
  ASSERT_EQ(written.faults, "");
  for (const auto& [name, text] : {std::pair{"same.dot", kDot}, std::pair{"same.graphml", kGraphml},
                                   std::pair{"same.gv", kDot}}) {
    const File file(name, text);
    const scenarios::Loaded loaded = load_with(file.name());
    ASSERT_EQ(loaded.faults, "");
    EXPECT_EQ(scenarios::to_dot(*loaded.scenario->topology.fabric, "x").value(),
              scenarios::to_dot(*written.scenario->topology.fabric, "x").value());
    EXPECT_EQ(loaded.scenario->echo, written.scenario->echo) << "results echo it in full";
    EXPECT_NE(loaded.scenario->input_hash, written.scenario->input_hash);
  }
}

TEST(GraphFile, TheHashOfAnInputHoldsTheGraph) {
  std::string hash;
  for (const char* rate : {"100 GB/s", "101 GB/s"}) {
    const File file("hash.dot", std::string("graph { node [kind=chip]; a -- b [bandwidth=\"") +
                                    rate + "\"]; }");
    const scenarios::Loaded loaded = load_with(file.name());
    ASSERT_EQ(loaded.faults, "");
    EXPECT_NE(loaded.scenario->input_hash, hash);
    hash = loaded.scenario->input_hash;
  }
}

// Of a preset all that an own fabric can say: every node, link, rate, latency and kind.
TEST(GraphFile, WhatDrawWritesReadsBack) {
  for (const char* cluster : {"{ultraserver: trn3-gen2}", "{server: trn2}", "{topology: star}",
                              "{server: p5, servers: 2}", "{server: pcie-gen4}"}) {
    const scenarios::Loaded preset = scenarios::load_text(
        std::string("scenario: g\ncluster: ") + cluster +
            "\nworkload:\n  - {collective: barrier, algorithm: dissemination}\n",
        "g.yaml", {});
    ASSERT_EQ(preset.faults, "") << cluster;
    const sim::Fabric& fabric = *preset.scenario->topology.fabric;
    const std::string drawn = scenarios::to_dot(fabric, "x").value();
    const File file("drawn.dot", drawn);
    const scenarios::Loaded back = load_with(file.name());
    ASSERT_EQ(back.faults, "") << cluster;
    EXPECT_EQ(scenarios::to_dot(*back.scenario->topology.fabric, "x").value(), drawn) << cluster;
  }
}

// A DOT text is read by Boost; ours only says where things stand. Whatever the bytes, nothing
// crashes, and what does not read has a fault with a place in the text.
TEST(GraphFile, EveryPrefixAndEveryLostByteIsAFaultOrAGraph) {
  const auto read = [](const std::string& text, bool dot) {
    sim::Diagnostics diagnostics("g", text);
    const std::optional<DrawnGraph> graph =
        dot ? scenarios::parse_dot(text, diagnostics) : scenarios::parse_graphml(text, diagnostics);
    EXPECT_NE(graph.has_value(), !diagnostics.empty()) << text;
    return graph.has_value();
  };
  for (const bool dot : {true, false}) {
    const std::string whole = dot ? kDot : kGraphml;
    EXPECT_TRUE(read(whole, dot));
    const std::size_t step = dot ? 1 : 7;
    for (std::size_t at = 0; at + 2 < whole.size(); at += step) {
      EXPECT_FALSE(read(whole.substr(0, at), dot)) << at;
      std::string lost = whole;
      read(lost.erase(at, 1), dot);
      std::string odd = whole;
      odd[at] = dot ? '"' : '<';
      read(odd, dot);
    }
  }
}

TEST(GraphFile, DeepAndManyAreFaultsNotCrashes) {
  std::string deep = "graph {";
  std::string xml;
  for (int i = 0; i < 100'000; ++i) {
    deep += "{";
    xml += "<a>";
  }
  sim::Diagnostics of_dot("g", deep);
  EXPECT_FALSE(scenarios::parse_dot(deep, of_dot).has_value());
  EXPECT_EQ(of_dot.count(), 1U);
  sim::Diagnostics of_xml("g", xml);
  EXPECT_FALSE(scenarios::parse_graphml(xml, of_xml).has_value());
  EXPECT_EQ(of_xml.count(), 1U);
}

}  // namespace
