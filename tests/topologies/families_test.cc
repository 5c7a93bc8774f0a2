// SPDX-License-Identifier: GPL-2.0-only
// Scale-up families apart from UltraServers: counts, degrees, distances, bisections and uniform
// all-to-all against closed forms, and what each refuses.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/fabric/inspect.h"
#include "tests/topologies/hand_parameters.h"

namespace {

using sim::Bandwidth;
using sim::EndpointId;
using topologies_test::all_ends;
using topologies_test::Changes;
using topologies_test::make;
using topologies_test::try_make;
using Histogram = std::vector<std::uint64_t>;

constexpr std::int64_t kGiga = 1'000'000'000;

Changes torus(const char* x, const char* y, const char* z) {
  return {{"torus.x", x}, {"torus.y", y}, {"torus.z", z}};
}

std::size_t degree(const sim::Topology& topology, std::uint32_t end) {
  const sim::Fabric& fabric = *topology.fabric;
  return fabric.out_links(fabric.node_of(EndpointId{end})).size();
}

TEST(Torus, EveryChipHasTwoNeighboursInEachDimensionOfMoreThanTwo) {
  const sim::Topology cube = make("torus");
  for (std::uint32_t chip = 0; chip < 64; ++chip) EXPECT_EQ(degree(cube, chip), 6U);
  EXPECT_EQ(cube.fabric->links().size(), 64U * 6);
  const sim::Topology flat = make("torus", torus("4", "2", "1"));
  for (std::uint32_t chip = 0; chip < 8; ++chip) EXPECT_EQ(degree(flat, chip), 3U);
}

// Distances on a ring of 4 are 0, 1, 1, 2, so over three rings (1 + 2x + x^2)^3.
TEST(Torus, DistancesFollowFromThoseOfItsRings) {
  EXPECT_EQ(hop_histogram(make("torus")),
            (Histogram{0, 64 * 6, 64 * 15, 64 * 20, 64 * 15, 64 * 6, 64}));
  EXPECT_EQ(diameter(*make("torus", torus("8", "8", "1")).fabric), 8U);
  EXPECT_EQ(diameter(*make("torus", torus("7", "5", "1")).fabric), 5U);
}

// Two cuts through the rings of the dimension that is halved.
TEST(Torus, BisectionIsTwoCutsThroughTheOutermostDimension) {
  EXPECT_EQ(bisection(*make("torus").fabric), Bandwidth(2 * 16 * 64 * kGiga));
  EXPECT_EQ(bisection(*make("torus", torus("4", "4", "1")).fabric), Bandwidth(2 * 4 * 128 * kGiga));
  Changes open = torus("4", "4", "1");
  open.emplace_back("torus.ends", "open");
  EXPECT_EQ(bisection(*make("torus", open).fabric), Bandwidth(4 * 128 * kGiga));
}

// Mean distance on a ring of even n is n/4 in each direction's favour: each of its 2n links carries
// n^2/8 of n pairs, so a dimension lets through 8/n of its rate.
TEST(Torus, UniformAllToAllLoadsBothDirectionsOfARingEqually) {
  for (const auto& [size, z_rate] : std::map<std::string, std::int64_t>{{"4", 64}, {"8", 64}}) {
    const std::int64_t n = std::stoll(size);
    const sim::Topology ring = make("torus", torus(size.c_str(), size.c_str(), size.c_str()));
    const std::int64_t chips = n * n * n;
    const auto load = uniform_all_to_all(ring, all_ends(*ring.fabric));
    EXPECT_EQ(load.injection, Bandwidth(z_rate * kGiga * 8 / n * (chips - 1) / chips));
    EXPECT_EQ(ring.fabric->kind(load.fullest).name, "z link");
  }
}

TEST(Torus, RingsOfMoreThanFourHaveTwoLanesEach) {
  EXPECT_EQ(make("torus").routes->lanes(), 1);
  EXPECT_EQ(make("torus", torus("8", "4", "1")).routes->lanes(), 2);
  EXPECT_EQ(make("torus", torus("8", "8", "6")).routes->lanes(), 8);
  Changes open = torus("8", "8", "6");
  open.emplace_back("torus.ends", "open");
  EXPECT_EQ(make("torus", open).routes->lanes(), 1);
}

TEST(Switched, IsOneHopFromAnyToAny) {
  const sim::Topology rack = make("switched", {{"chips", "72"}, {"trays", "18"}});
  EXPECT_EQ(hop_histogram(rack), (Histogram{0, 0, 72 * 71}));
  EXPECT_EQ(bisection(*rack.fabric), Bandwidth(36 * 50 * kGiga));
  EXPECT_EQ(uniform_all_to_all(rack, all_ends(*rack.fabric)).injection, Bandwidth(50 * kGiga));
  EXPECT_EQ(rack.fabric->level("sled")->groups, 18U);
}

TEST(Switched, CarriesWhetherItsSwitchesReduce) {
  for (const char* answer : {"yes", "no"}) {
    const sim::Topology server = make("switched", {{"switch.reduces", answer}});
    for (const sim::Node& node : server.fabric->nodes()) {
      EXPECT_EQ(node.reduces, node.kind == sim::NodeKind::kSwitch && std::string(answer) == "yes");
    }
  }
}

TEST(Switched, RefusesTraysThatDoNotDivideTheChips) {
  EXPECT_EQ(try_make("switched", {{"trays", "3"}}).failure().what, "3 trays do not divide 8 chips");
}

// n (n - 1) links; a cut into halves crosses n^2/4 of them each way.
TEST(FullMesh, IsOneLinkFromEachToEach) {
  const sim::Topology mesh = make("full_mesh");
  EXPECT_EQ(mesh.fabric->links().size(), 8U * 7);
  EXPECT_EQ(hop_histogram(mesh), (Histogram{0, 8 * 7}));
  EXPECT_EQ(bisection(*mesh.fabric), Bandwidth(16 * 50 * kGiga));
  EXPECT_EQ(uniform_all_to_all(mesh, all_ends(*mesh.fabric)).injection, Bandwidth(7 * 50 * kGiga));
}

TEST(Pcie, DistancesGrowFromSwitchToSocketToTheOtherSocket) {
  EXPECT_EQ(hop_histogram(make("pcie")), (Histogram{0, 0, 8 * 1, 0, 8 * 2, 8 * 4}));
}

// Four chips on each side of the sockets: 4 x 4 of the shares of 1/7 cross to the other socket,
// over uplinks of 32 GB/s, of which each switch's two chips use one with 6 of 7 shares.
TEST(Pcie, UniformAllToAllIsBoundByTheUplinks) {
  const sim::Topology server = make("pcie");
  const auto load = uniform_all_to_all(server, all_ends(*server.fabric));
  EXPECT_EQ(load.injection, Bandwidth(32 * kGiga * 7 / (2 * 6)));
  EXPECT_EQ(server.fabric->kind(load.fullest).name, "PCIe uplink");
  EXPECT_EQ(bisection(*server.fabric), Bandwidth(62 * kGiga));
}

TEST(Families, RefuseABufferThatHoldsNoPacket) {
  for (const char* family : {"torus", "switched", "full_mesh", "pcie"}) {
    EXPECT_EQ(try_make(family, {{"link.buffer", "1 KiB"}}).failure().what,
              "link.buffer does not hold one packet");
  }
}

// Hops count what stands between two chips: links less one.
TEST(Gen1, PassesAsManySwitchesAndChipsAsAnalystsCount) {
  const sim::Topology gen1 =
      make("ultraserver",
           {{"positions", "2"}, {"sleds", "16"}, {"planes", "2"}, {"sled.structure", "direct"}});
  EXPECT_EQ(gen1.fabric->nodes().size(), 64U + 4);
  // In a rack: the mate directly, 15 of the plane over one switch, 15 of the other plane over two;
  // over the twin link: itself, its mate, 15 over a switch, 15 over three hops.
  EXPECT_EQ(hop_histogram(gen1), (Histogram{0, 64 * 2, 64 * 16, 64 * 30, 64 * 15}));
  EXPECT_EQ(uniform_all_to_all(gen1, all_ends(*gen1.fabric)).injection,
            Bandwidth(128 * kGiga * 63 / 32));
}

TEST(Families, DifferFromEachOther) {
  std::map<Histogram, std::string> seen;
  for (const char* family : {"torus", "full_mesh", "pcie", "ultraserver", "star"}) {
    const auto [other, fresh] = seen.try_emplace(hop_histogram(make(family)), family);
    EXPECT_TRUE(fresh) << family << " has the distances of " << other->second;
  }
}

}  // namespace
