// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/bound.h"

#include <gtest/gtest.h>

#include "tests/sim/engine/world.h"

namespace sim::packet {
namespace {

Placement first(std::uint32_t ranks) {
  Placement placement;
  for (std::uint32_t i = 0; i < ranks; ++i) placement.endpoint_of.push_back(EndpointId(i));
  return placement;
}

std::int64_t bound_on_star(Collective collective, std::int64_t bytes) {
  const Topology topology = star(8, {});
  return physical_bound(topology, collective, Bytes(bytes), first(4)).time.value;
}

TEST(PhysicalBound, OnAStarItIsTheTextbookBoundOfEachCollective) {
  EXPECT_EQ(bound_on_star(Collective::kAllReduce, 400'000), 2 * 3 * 100'000 * 10);
  EXPECT_EQ(bound_on_star(Collective::kAllGather, 400'000), 3 * 100'000 * 10);
  EXPECT_EQ(bound_on_star(Collective::kReduceScatter, 400'000), 3 * 100'000 * 10);
  EXPECT_EQ(bound_on_star(Collective::kAllToAll, 400'000), 3 * 100'000 * 10);
}

std::int64_t bound_on_star(const Layout& layout, std::int64_t bytes) {
  const Topology topology = star(8, {});
  return physical_bound(topology, layout, Bytes(bytes), first(4)).time.value;
}

TEST(PhysicalBound, OfARootItIsWhatTheRootOrTheOthersHaveToCarry) {
  const BlockSizes sizes(Bytes(400'000), 4, 1);
  EXPECT_EQ(bound_on_star({Collective::kBroadcast, 4, sizes, 2}, 400'000), 400'000 * 10);
  EXPECT_EQ(bound_on_star({Collective::kReduce, 4, sizes, 2}, 400'000), 400'000 * 10);
  EXPECT_EQ(bound_on_star({Collective::kGather, 4, sizes, 2}, 400'000), 300'000 * 10);
  EXPECT_EQ(bound_on_star({Collective::kScatter, 4, sizes, 2}, 400'000), 300'000 * 10);
}

TEST(PhysicalBound, OfPairsItIsWhatLeavesOrEntersAPart) {
  const BlockSizes sizes(Bytes(400'000), 1, 2);
  EXPECT_EQ(bound_on_star({Collective::kPermute, 4, sizes, 0, {1, 2, 3, 0}}, 400'000), 4'000'000);
  EXPECT_EQ(bound_on_star({Collective::kPermute, 4, sizes, 0, {0, 1, 2, 3}}, 400'000), 0);
  EXPECT_EQ(bound_on_star({Collective::kPermute, 4, sizes, 0, {0, 1, 2, kNoRank}}, 400'000), 0);
}

// Two islands of two chips, each island one switch, joined by one thin link.
Topology islands() {
  FabricBuilder b;
  const ClassId kind = b.add_class(link_class("link", {}));
  const auto hub = [&] {
    return b.add_node({NodeKind::kSwitch, Forwarding::kCutThrough, Time(0), "hub"});
  };
  const NodeId hubs[] = {hub(), hub()};
  for (int i = 0; i < 4; ++i) {
    const NodeId chip = b.add_node({NodeKind::kChip, Forwarding::kCutThrough, Time(0), "chip"});
    b.connect(chip, hubs[i / 2], kind, gigabytes_per_second(100), Time(0));
    b.add_endpoint(chip);
  }
  b.connect(hubs[0], hubs[1], kind, gigabytes_per_second(10), Time(0));
  b.add_level("chip", {0, 1, 2, 3});
  b.add_level("island", {0, 0, 1, 1});
  auto fabric = std::make_unique<const Fabric>(std::move(b).seal());
  auto routes = shortest_routes(*fabric);
  return {std::move(fabric), std::move(routes)};
}

TEST(PhysicalBound, AThinCutBetweenPartsBindsAndIsNamed) {
  const Topology topology = islands();
  const Bound all_to_all =
      physical_bound(topology, Collective::kAllToAll, Bytes(400'000), first(4));
  EXPECT_EQ(all_to_all.time.value, 2 * 2 * 100'000 * 100);  // two ranks, half of their bytes each
  EXPECT_EQ(all_to_all.name, "10 GB/s out of each island");
  const Bound all_reduce =
      physical_bound(topology, Collective::kAllReduce, Bytes(400'000), first(4));
  EXPECT_EQ(all_reduce.time.value, 400'000 * 100);  // S each way
}

TEST(PhysicalBound, PairsAcrossAThinCutBindItAndPairsInsideDoNot) {
  const Topology topology = islands();
  const auto bound = [&](std::vector<Rank> targets) {
    const Layout layout{Collective::kPermute, 4, BlockSizes(Bytes(100'000), 1, 2), 0,
                        std::move(targets)};
    return physical_bound(topology, layout, Bytes(100'000), first(4)).time.value;
  };
  EXPECT_EQ(bound({2, 3, 0, 1}), 2 * 100'000 * 100);
  EXPECT_EQ(bound({1, 0, 3, 2}), 100'000 * 10);
  EXPECT_EQ(bound({1, 2, 0, kNoRank}), 100'000 * 100);
}

TEST(PhysicalBound, OnlyLinksThatTheGroupUsesCount) {
  const Topology topology = islands();
  const Bound bound = physical_bound(topology, Collective::kAllToAll, Bytes(200'000), first(2));
  EXPECT_EQ(bound.time.value, 100'000 * 10);  // inside one island
}

TEST(PhysicalBound, OfSeveralGroupsItIsWhatAllOfThemOwe) {
  const Topology topology = islands();
  const auto bound = [&](Collective collective, std::vector<std::uint32_t> ends) {
    Placement placement;
    for (const std::uint32_t end : ends) placement.endpoint_of.push_back(EndpointId(end));
    const Layout layout{collective, 2, BlockSizes(Bytes(200'000), 2, 2)};
    return physical_bound(topology, layout, Bytes(200'000), placement).time.value;
  };
  // Inside the islands, and from each to the other.
  EXPECT_EQ(bound(Collective::kAllToAll, {0, 1, 2, 3}), 100'000 * 10);
  EXPECT_EQ(bound(Collective::kAllToAll, {0, 2, 1, 3}), 2 * 100'000 * 100);
  EXPECT_EQ(bound(Collective::kAllReduce, {0, 2, 1, 3}), 2 * 200'000 * 100);
  // Roots on both sides use both directions of the cut: each carries one tensor.
  const Layout broadcast{Collective::kBroadcast, 2, BlockSizes(Bytes(200'000), 1, 1)};
  Placement placement;
  for (const std::uint32_t end : {0U, 2U, 3U, 1U}) placement.endpoint_of.push_back(EndpointId(end));
  EXPECT_EQ(physical_bound(topology, broadcast, Bytes(200'000), placement).time.value,
            200'000 * 100);
}

TEST(PhysicalBound, ARankByItselfIsBoundByNothing) {
  const Layout layout{Collective::kAllReduce, 1, BlockSizes(Bytes(200'000), 1, 1)};
  const Bound bound = physical_bound(islands(), layout, Bytes(200'000), first(1));
  EXPECT_EQ(bound.time.value, 0);
  EXPECT_EQ(bound.name, "");
}

}  // namespace
}  // namespace sim::packet
