// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/fabric/inspect.h"
#include "tests/topologies/credit_cycles.h"
#include "tests/topologies/hand_parameters.h"

namespace {

using sim::Bandwidth;
using sim::EndpointId;
using sim::LinkId;
using topologies_test::all_ends;
using topologies_test::Changes;
using topologies_test::make;
using Histogram = std::vector<std::uint64_t>;

const Changes kFull = {{"sled.bandwidth", "512 GB/s"}, {"rack.bandwidth", "512 GB/s"}};

std::vector<std::string> way(const sim::Topology& topology, std::uint32_t from, std::uint32_t to) {
  std::vector<LinkId> links;
  topology.routes->append_path(EndpointId{from}, EndpointId{to}, 0, links);
  std::vector<std::string> names;
  for (const LinkId link : links) {
    names.push_back(topology.fabric->node(topology.fabric->link(link).to).name);
  }
  return names;
}

std::vector<EndpointId> first_ends(std::uint32_t count) {
  std::vector<EndpointId> ends;
  for (std::uint32_t end = 0; end < count; ++end) ends.push_back(EndpointId{end});
  return ends;
}

TEST(Ultraserver, Has144ChipsEachWithASledARackAndATwinLink) {
  const sim::Topology server = make("ultraserver");
  EXPECT_EQ(server.fabric->endpoints(), 144U);
  EXPECT_EQ(server.fabric->nodes().size(), 144U + 36 + 8);
  EXPECT_EQ(server.fabric->links().size(), 2U * (144 + 144 + 72));
  for (std::uint32_t chip = 0; chip < 144; ++chip) {
    EXPECT_EQ(server.fabric->out_links(server.fabric->node_of(EndpointId{chip})).size(), 3U);
  }
  EXPECT_EQ(server.fabric->node(server.fabric->node_of(EndpointId{72 + 3 * 4 + 1})).name,
            "chip(rack 1, sled 3, position 1)");
}

TEST(Ultraserver, SwitchesJoin4ChipsOfASledAnd18OfAPlane) {
  const sim::Topology server = make("ultraserver");
  for (std::uint32_t node = 144; node < server.fabric->nodes().size(); ++node) {
    const bool sled = server.fabric->nodes()[node].name.starts_with("sled switch");
    EXPECT_EQ(server.fabric->out_links(sim::NodeId{node}).size(), sled ? 4U : 18U);
  }
}

TEST(Ultraserver, PassesAsManySwitchesAndChipsAsAnalystsCount) {
  // From one chip, 4 planes: 3 + 17 chips behind 1 switch, 51 behind 3 hops; over the twin links 1
  // chip at once, 20 behind 2 hops, 51 behind 4 (SemiAnalysis: 1, 3, 4 hops). Links are hops + 1.
  EXPECT_EQ(hop_histogram(make("ultraserver")),
            (Histogram{0, 144, 144 * 20, 144 * 20, 144 * 51, 144 * 51}));
  EXPECT_EQ(hop_histogram(make("ultraserver", {{"planes", "2"}})),
            (Histogram{0, 144, 144 * 37, 144 * 37, 144 * 34, 144 * 34}));
  EXPECT_EQ(hop_histogram(make("ultraserver", {{"planes", "1"}})),
            (Histogram{0, 144, 144 * 71, 144 * 71}));
}

TEST(Ultraserver, RoutesAreTheShortestThereAre) {
  for (const char* planes : {"1", "2", "4"}) {
    for (const char* relay : {"source", "destination", "split"}) {
      const sim::Topology server = make("ultraserver", {{"planes", planes}, {"relay", relay}});
      const auto shortest = shortest_routes(*server.fabric);
      std::vector<LinkId> ours;
      std::vector<LinkId> best;
      for (const EndpointId from : all_ends(*server.fabric)) {
        for (const EndpointId to : all_ends(*server.fabric)) {
          if (from == to) continue;
          server.routes->append_path(from, to, 0, ours);
          shortest->append_path(from, to, 0, best);
        }
      }
      EXPECT_EQ(ours.size(), best.size()) << planes << " planes, relay " << relay;
    }
  }
}

TEST(Ultraserver, GoesBySledThenRackThenTwinWhenTheSourceRelays) {
  const sim::Topology server = make("ultraserver");
  EXPECT_EQ(
      way(server, 0, 72 + 2 * 4 + 3),
      (std::vector<std::string>{"sled switch(rack 0, sled 0)", "chip(rack 0, sled 0, position 3)",
                                "rack switch(rack 0, plane 3)", "chip(rack 0, sled 2, position 3)",
                                "chip(rack 1, sled 2, position 3)"}));
}

TEST(Ultraserver, GoesByTwinThenSledThenRackWhenTheDestinationRelays) {
  const sim::Topology server = make("ultraserver", {{"relay", "destination"}});
  EXPECT_EQ(
      way(server, 0, 72 + 2 * 4 + 3),
      (std::vector<std::string>{"chip(rack 1, sled 0, position 0)", "sled switch(rack 1, sled 0)",
                                "chip(rack 1, sled 0, position 3)", "rack switch(rack 1, plane 3)",
                                "chip(rack 1, sled 2, position 3)"}));
}

TEST(Ultraserver, SplitAlternatesBetweenTheTwoOrdersOnLanesOfTheirOwn) {
  const sim::Topology server = make("ultraserver", {{"relay", "split"}});
  EXPECT_EQ(way(server, 0, 72 + 2).front(), "sled switch(rack 0, sled 0)");
  EXPECT_EQ(server.routes->lane(EndpointId{0}, EndpointId{72 + 2}), 0);
  EXPECT_EQ(way(server, 0, 72 + 3).front(), "chip(rack 1, sled 0, position 0)");
  EXPECT_EQ(server.routes->lane(EndpointId{0}, EndpointId{72 + 3}), 1);
}

TEST(Ultraserver, CreditsCannotWaitInACycleWhateverThePlanesAndTheRelay) {
  for (const char* planes : {"1", "2", "4"}) {
    for (const char* relay : {"source", "destination", "split"}) {
      for (const char* cores : {"0", "2"}) {
        const sim::Topology server = make(
            "ultraserver",
            {{"sleds", "4"}, {"planes", planes}, {"relay", relay}, {"endpoints_per_chip", cores}});
        EXPECT_FALSE(topologies_test::can_wait_in_a_cycle(*server.fabric, *server.routes))
            << planes << " planes, relay " << relay << ", cores " << cores;
      }
    }
  }
  for (const char* relay : {"source", "destination", "split"}) {
    const sim::Topology server = make("ultraserver", {{"relay", relay}});
    EXPECT_FALSE(topologies_test::can_wait_in_a_cycle(*server.fabric, *server.routes)) << relay;
  }
}

// The same routes, all on one lane.
class OneLane final : public sim::Routes {
 public:
  explicit OneLane(const sim::Routes& routes) : routes_(routes) {}
  std::uint32_t path_count(EndpointId from, EndpointId to) const override {
    return routes_.path_count(from, to);
  }
  void append_path(EndpointId from, EndpointId to, std::uint32_t path,
                   std::vector<LinkId>& links) const override {
    routes_.append_path(from, to, path, links);
  }

 private:
  const sim::Routes& routes_;
};

TEST(Ultraserver, SplitNeedsItsSecondLane) {
  const sim::Topology server = make("ultraserver", {{"relay", "split"}});
  EXPECT_TRUE(topologies_test::can_wait_in_a_cycle(*server.fabric, OneLane(*server.routes)));
}

TEST(Ultraserver, BisectionIsTheTwinLinks) {
  EXPECT_EQ(bisection(*make("ultraserver").fabric), sim::gigabytes_per_second(72 * 128));
  EXPECT_EQ(bisection(*make("ultraserver", {{"planes", "1"}}).fabric),
            sim::gigabytes_per_second(72 * 128));
}

TEST(Ultraserver, UniformAllToAllOver144ChipsIsBoundByTheTwinLinks) {
  for (Changes changes : {Changes{}, kFull}) {
    for (const char* relay : {"source", "destination", "split"}) {
      changes.emplace_back("relay", relay);
      const sim::Topology server = make("ultraserver", changes);
      const auto load = uniform_all_to_all(server, all_ends(*server.fabric));
      EXPECT_EQ(load.injection, Bandwidth(128'000'000'000LL * 143 / 72));  // 254 GB/s
      EXPECT_EQ(server.fabric->kind(load.fullest).name, "twin link");
    }
  }
}

// Injection when the other links are made so fast that only `links` can bind.
std::int64_t injection(Changes changes, const char* fast, const char* faster, std::uint32_t chips) {
  changes.emplace_back(fast, "100 TB/s");
  changes.emplace_back(faster, "100 TB/s");
  const sim::Topology server = make("ultraserver", changes);
  return uniform_all_to_all(server, first_ends(chips)).injection.value;
}

TEST(Ultraserver, UniformAllToAllSharesAreExactInEveryDimension) {
  const char* const sled = "sled.bandwidth";
  const char* const rack = "rack.bandwidth";
  const char* const twin = "rack_to_rack.bandwidth";
  constexpr std::int64_t kGiga = 1'000'000'000;
  EXPECT_EQ(injection({}, rack, twin, 72), 256 * kGiga * 71 / 54);        // 337 GB/s
  EXPECT_EQ(injection({}, sled, twin, 72), 320 * kGiga * 71 / 68);        // 334 GB/s
  EXPECT_EQ(injection(kFull, rack, twin, 72), 512 * kGiga * 71 / 54);     // 673 GB/s
  EXPECT_EQ(injection(kFull, sled, twin, 72), 512 * kGiga * 71 / 68);     // 535 GB/s
  EXPECT_EQ(injection({}, sled, twin, 144), 320 * kGiga * 143 / 136);     // 336 GB/s
  EXPECT_EQ(injection(kFull, sled, twin, 144), 512 * kGiga * 143 / 136);  // 538 GB/s
}

TEST(Ultraserver, Gen1ShapeIsBoundBy252GigabytesPerSecond) {
  const sim::Topology server =
      make("ultraserver", {{"positions", "2"}, {"sleds", "16"}, {"planes", "2"}});
  EXPECT_EQ(uniform_all_to_all(server, all_ends(*server.fabric)).injection,
            Bandwidth(128'000'000'000LL * 63 / 32));
}

TEST(Ultraserver, CoresHangOnTheirChipByCoreLinks) {
  const sim::Topology server = make("ultraserver", {{"endpoints_per_chip", "4"}});
  EXPECT_EQ(server.fabric->endpoints(), 576U);
  EXPECT_EQ(server.fabric->node(server.fabric->node_of(EndpointId{7})).name,
            "core(rack 0, sled 0, position 1, core 3)");
  EXPECT_EQ(server.fabric->level("chip")->groups, 144U);
  EXPECT_EQ(way(server, 4, 7),
            (std::vector<std::string>{"chip(rack 0, sled 0, position 1)",
                                      "core(rack 0, sled 0, position 1, core 3)"}));
  EXPECT_EQ(way(server, 0, 4).size(), 4U);
  EXPECT_EQ(diameter(*server.fabric), 7U);
  EXPECT_EQ(uniform_all_to_all(server, all_ends(*server.fabric)).injection,
            Bandwidth(128'000'000'000LL * 575 / (4 * 288)));
}

TEST(Ultraserver, LevelsRunFromChipToTwin) {
  const sim::Topology server = make("ultraserver");
  std::vector<std::pair<std::string, std::uint32_t>> levels;
  for (const sim::Level& level : server.fabric->levels()) {
    levels.emplace_back(level.name, level.groups);
  }
  EXPECT_EQ(levels, (std::vector<std::pair<std::string, std::uint32_t>>{
                        {"chip", 144}, {"sled", 36}, {"plane", 8}, {"rack", 2}, {"twin", 72}}));
  const sim::Level* twin = server.fabric->level("twin");
  EXPECT_EQ(twin->group_of[5], twin->group_of[72 + 5]);
}

TEST(Ultraserver, OneRackHasNoTwinLinks) {
  const sim::Topology rack = make("ultraserver", {{"racks", "1"}});
  EXPECT_EQ(rack.fabric->endpoints(), 72U);
  EXPECT_EQ(rack.fabric->links().size(), 2U * 144);
  EXPECT_EQ(rack.fabric->level("twin"), nullptr);
  EXPECT_TRUE(strongly_connected(*rack.fabric));
}

TEST(Ultraserver, FlatIsOneNonBlockingSwitch) {
  const sim::Topology flat = make("ultraserver", {{"structure", "flat"}});
  EXPECT_EQ(hop_histogram(flat), (Histogram{0, 0, 144 * 143}));
  EXPECT_EQ(bisection(*flat.fabric), sim::gigabytes_per_second(72 * 1024));
  EXPECT_EQ(uniform_all_to_all(flat, all_ends(*flat.fabric)).injection,
            sim::gigabytes_per_second(1024));
  EXPECT_EQ(way(flat, 0, 143).front(), "flat fabric");
}

TEST(Ultraserver, LinksCarryTheirParameters) {
  const sim::Topology server = make("ultraserver", {{"endpoints_per_chip", "2"}});
  const auto& links = server.fabric->links();
  const auto is_class = [&](const char* name) {
    return std::ranges::find_if(links, [&, name](const sim::Link& link) {
      return server.fabric->classes()[index(link.kind)].name == name;
    });
  };
  EXPECT_EQ(is_class("sled link")->latency, sim::nanoseconds(10));
  EXPECT_EQ(is_class("rack link")->latency, sim::nanoseconds(20));
  EXPECT_EQ(is_class("twin link")->latency, sim::nanoseconds(40));
  EXPECT_EQ(is_class("core link")->bandwidth, sim::gigabytes_per_second(1056));
  for (const sim::LinkClass& kind : server.fabric->classes()) {
    const bool core = kind.name == "core link";
    EXPECT_EQ(kind.flow, sim::FlowControl::kCredits);
    EXPECT_EQ(kind.buffer, sim::kibibytes(256));
    EXPECT_EQ(kind.payload, core ? sim::Bytes(0) : sim::kibibytes(4));
    EXPECT_EQ(kind.efficiency, core ? 1'000'000'000 : 900'000'000);
  }
}

}  // namespace
