// SPDX-License-Identifier: GPL-2.0-only
// The worked topology of CONTRIBUTING.md, which must stay the same text, compiles and is a mesh.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>

#include "sim/fabric/inspect.h"
#include "topologies/keys.h"

namespace topologies {
namespace {

// [example]
std::vector<sim::Key> mesh_keys() {
  return {count_key("ends", {2, 1'000}, "ends, each joined to every other"),
          bandwidth_key("link.bandwidth", "rate of each link, per direction"),
          time_key("link.latency", "propagation delay of each link"),
          size_key("packet.size", kPacketBytes, "most payload bytes of a packet")};
}

sim::Fabric mesh_fabric(const sim::Parameters& parameters) {
  const auto ends = static_cast<std::uint32_t>(parameters.count("ends"));
  sim::FabricBuilder builder;
  const sim::ClassId kind =
      builder.add_class({.name = "mesh link", .payload = parameters.bytes("packet.size")});
  for (std::uint32_t end = 0; end < ends; ++end) {
    const sim::NodeId node =
        builder.add_node({.kind = sim::NodeKind::kChip, .name = "end " + std::to_string(end)});
    for (std::uint32_t other = 0; other < end; ++other) {
      builder.connect(node, sim::NodeId{other}, kind, parameters.bandwidth("link.bandwidth"),
                      parameters.time("link.latency"));
    }
    builder.add_endpoint(node);
  }
  std::vector<std::uint32_t> chips(ends);
  std::iota(chips.begin(), chips.end(), 0U);
  builder.add_level("chip", std::move(chips));
  return std::move(builder).seal();
}

sim::Result<sim::Topology> make_mesh(const sim::Parameters& parameters) {
  if (std::optional<sim::Failure> fault = fault_in(parameters, mesh_keys())) return *fault;
  auto fabric = std::make_unique<const sim::Fabric>(mesh_fabric(parameters));
  auto routes = sim::shortest_routes(*fabric);
  return sim::Topology{std::move(fabric), std::move(routes)};
}
// [example]

void set(sim::Parameters& parameters, const std::string& name, sim::Dimension dimension,
         const std::string& text) {
  const sim::Quantity value = parse_quantity(text, dimension).value();
  parameters.set({name, value, value, value, sim::Grade::kChosen, "test"});
}

TEST(MeshExample, JoinsEveryEndToEveryOther) {
  sim::Parameters parameters;
  set(parameters, "ends", sim::Dimension::kCount, "5");
  set(parameters, "link.bandwidth", sim::Dimension::kBandwidth, "50 GB/s");
  set(parameters, "link.latency", sim::Dimension::kTime, "500 ns");
  EXPECT_FALSE(make_mesh(parameters).ok()) << "packet.size is missing";
  set(parameters, "packet.size", sim::Dimension::kBytes, "4 KiB");
  const sim::Topology mesh = make_mesh(parameters).value();
  EXPECT_EQ(mesh.fabric->endpoints(), 5U);
  EXPECT_EQ(mesh.fabric->links().size(), 20U);
  EXPECT_EQ(sim::diameter(*mesh.fabric), 1U);
  EXPECT_EQ(mesh.routes->path_count(sim::EndpointId{0}, sim::EndpointId{4}), 1U);
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(ULTRASIM_SOURCE_DIR) + path).rdbuf();
  return text.str();
}

TEST(MeshExample, IsTheTextOfContributing) {
  const std::string mark = "// [example]\n";
  const std::string source = text_of("/tests/docs/mesh_example_test.cc");
  const std::size_t start = source.find(mark) + mark.size();
  const std::string example = source.substr(start, source.find(mark, start) - start);
  EXPECT_GT(example.size(), 1'000U);
  EXPECT_NE(text_of("/CONTRIBUTING.md").find(example), std::string::npos);
}

}  // namespace
}  // namespace topologies
