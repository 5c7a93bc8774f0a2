// SPDX-License-Identifier: GPL-2.0-only
// The order in which a group takes chips, and the inner groups that hierarchies default to.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "scenarios/loader/groups.h"
#include "tests/scenarios/text.h"

namespace {

using scenarios::Chips;
using scenarios::Scenario;
using scenarios_test::load;
using scenarios_test::text_of;
using Groups = std::vector<std::uint32_t>;

Scenario ultraserver(const std::string& more = "") {
  return load(text_of({.cluster = "  ultraserver: trn3-gen2\n" + more}));
}

Chips ordered(const sim::Fabric& fabric, const std::string& span) {
  sim::Result<Chips> chips = scenarios::chips_in_order(fabric, span);
  EXPECT_TRUE(chips.ok());
  return chips.ok() ? std::move(chips).value() : Chips{};
}

// The group at a level of each of the first `count` chips.
Groups groups_at(const sim::Fabric& fabric, const char* level, const Chips& chips,
                 std::size_t count) {
  Groups groups;
  for (std::size_t i = 0; i < count; ++i) {
    groups.push_back(fabric.level(level)->group_of[sim::index(chips[i][0])]);
  }
  return groups;
}

std::size_t distinct(const Groups& groups) {
  return std::set<std::uint32_t>(groups.begin(), groups.end()).size();
}

TEST(Groups, SledFirstFillsSledAfterSled) {
  const Scenario scenario = ultraserver();
  const sim::Fabric& fabric = *scenario.topology.fabric;
  const Chips chips = ordered(fabric, "sled_first");
  ASSERT_EQ(chips.size(), 144U);
  for (std::uint32_t i = 0; i < 144; ++i) EXPECT_EQ(sim::index(chips[i][0]), i);
  EXPECT_EQ(distinct(groups_at(fabric, "sled", chips, 8)), 2U);
  EXPECT_EQ(distinct(groups_at(fabric, "rack", chips, 72)), 1U);
}

TEST(Groups, PlaneFirstFillsPlaneAfterPlaneOfARack) {
  const Scenario scenario = ultraserver();
  const sim::Fabric& fabric = *scenario.topology.fabric;
  const Chips chips = ordered(fabric, "plane_first");
  EXPECT_EQ(distinct(groups_at(fabric, "plane", chips, 18)), 1U);
  EXPECT_EQ(distinct(groups_at(fabric, "sled", chips, 18)), 18U);
  EXPECT_EQ(distinct(groups_at(fabric, "plane", chips, 19)), 2U);
  EXPECT_EQ(distinct(groups_at(fabric, "rack", chips, 72)), 1U);
}

TEST(Groups, TwinFirstPutsTwinsBesideEachOther) {
  const Scenario scenario = ultraserver();
  const sim::Fabric& fabric = *scenario.topology.fabric;
  const Chips chips = ordered(fabric, "twin_first");
  const Groups twins = groups_at(fabric, "twin", chips, 144);
  for (std::size_t i = 0; i < 144; i += 2) EXPECT_EQ(twins[i], twins[i + 1]);
  EXPECT_EQ(distinct(twins), 72U);
  EXPECT_EQ(sim::index(chips[0][0]), 0U);
}

TEST(Groups, EveryOrderTakesEveryEndpointOnce) {
  const Scenario scenario = ultraserver("  ultraservers: 2\n  ranks: cores\n");
  const sim::Fabric& fabric = *scenario.topology.fabric;
  for (const char* span : {"sled_first", "plane_first", "twin_first"}) {
    const Chips chips = ordered(fabric, span);
    const sim::Placement all = scenarios::place(fabric, chips, chips.size());
    std::set<std::uint32_t> seen;
    for (const sim::EndpointId end : all.endpoint_of) seen.insert(sim::index(end));
    EXPECT_EQ(all.ranks(), fabric.endpoints()) << span;
    EXPECT_EQ(seen.size(), fabric.endpoints()) << span;
    // One UltraServer is filled before the next.
    EXPECT_EQ(distinct(groups_at(fabric, "ultraserver", chips, 144)), 1U) << span;
  }
}

TEST(Groups, CoresOfAChipStayTogether) {
  const Scenario scenario = ultraserver("  ranks: cores\n");
  const Chips chips = ordered(*scenario.topology.fabric, "plane_first");
  const sim::Placement placement = scenarios::place(*scenario.topology.fabric, chips, 3);
  ASSERT_EQ(placement.ranks(), 12U);
  const auto& chip_of = scenario.topology.fabric->level("chip")->group_of;
  for (std::size_t r = 0; r < 12; ++r) {
    EXPECT_EQ(chip_of[sim::index(placement.endpoint_of[r])],
              chip_of[sim::index(placement.endpoint_of[r / 4 * 4])]);
  }
}

TEST(Groups, InnerRanksAreThoseOfTheOutermostLevelThatDividesEvenly) {
  const auto inner = [](const Scenario& scenario, const char* span, std::size_t chips) {
    const sim::Fabric& fabric = *scenario.topology.fabric;
    return scenarios::inner_groups(fabric, scenarios::place(fabric, ordered(fabric, span), chips));
  };
  const Scenario one = ultraserver();
  EXPECT_EQ(inner(one, "sled_first", 144), (Groups{72, 72}));     // two racks
  EXPECT_EQ(inner(one, "sled_first", 16), (Groups{4, 4, 4, 4}));  // four sleds of one rack
  EXPECT_EQ(inner(one, "sled_first", 6), Groups{});               // a sled and a half
  EXPECT_EQ(inner(one, "sled_first", 4), Groups{});               // one sled
  EXPECT_EQ(inner(one, "twin_first", 16), Groups{});              // racks alternate
  const Scenario two = ultraserver("  ultraservers: 2\n");
  EXPECT_EQ(inner(two, "sled_first", 288), (Groups{144, 144}));
  EXPECT_EQ(inner(two, "sled_first", 200), Groups(50, 4));  // sleds
  const Scenario cores = ultraserver("  ranks: cores\n");
  EXPECT_EQ(inner(cores, "sled_first", 8), (Groups{16, 16}));
}

// The ends of each group of the first case.
std::vector<Groups> taken(const std::string& group, const std::string& cluster = "") {
  const Scenario scenario = load(text_of(
      {.cluster = "  ultraserver: trn3-gen2\n" + cluster, .group = "    group: " + group + "\n"}));
  std::vector<Groups> groups;
  if (scenario.cases.empty()) return groups;
  const scenarios::CaseSpec& one = scenario.cases.front();
  EXPECT_EQ(one.placement.ranks(), one.job.ranks * one.groups);
  for (std::uint32_t group_number = 0; group_number < one.groups; ++group_number) {
    Groups ends;
    for (const sim::EndpointId end :
         scenarios::one_group(one.placement, one.job.ranks, group_number).endpoint_of) {
      ends.push_back(sim::index(end));
    }
    groups.push_back(ends);
  }
  return groups;
}

TEST(Groups, SeveralAtOnceStandBesideEachOther) {
  EXPECT_EQ(taken("{chips: 3, at_once: 2}"), (std::vector<Groups>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(taken("{chips: 8, at_once: all}").size(), 18U);
  EXPECT_EQ(taken("{chips: 5, at_once: all}").size(), 28U);
  EXPECT_EQ(taken("{chips: 2, first: 1, at_once: 2}"), (std::vector<Groups>{{1, 2}, {3, 4}}));
}

TEST(Groups, WithAStrideTheChipsBetweenBelongToTheNextGroups) {
  EXPECT_EQ(taken("{chips: 2, stride: 3, at_once: 4}"),
            (std::vector<Groups>{{0, 3}, {1, 4}, {2, 5}, {6, 9}}));
  // Data parallel over tensor parallel groups of 8: every chip in exactly one group.
  const std::vector<Groups> all = taken("{stride: 8, at_once: all}");
  ASSERT_EQ(all.size(), 8U);
  std::set<std::uint32_t> seen;
  for (const Groups& group : all) {
    EXPECT_EQ(group.size(), 18U);
    seen.insert(group.begin(), group.end());
  }
  EXPECT_EQ(seen.size(), 144U);
  EXPECT_EQ(taken("{chips: 18, stride: 8}"), (std::vector<Groups>{all[0]}));
}

TEST(Groups, NoChipIsInTwoGroups) {
  for (std::size_t chips = 1; chips < 9; ++chips) {
    for (std::size_t stride = 1; stride < 6; ++stride) {
      for (std::size_t first = 0; first < 4; ++first) {
        const scenarios::Pattern pattern{chips, stride, first};
        const std::size_t all = 37;
        std::set<std::size_t> seen;
        for (std::size_t group = 0; group < pattern.fit(all); ++group) {
          for (std::size_t member = 0; member < chips; ++member) {
            EXPECT_LT(pattern.chip(group, member), all);
            EXPECT_GE(pattern.chip(group, member), first);
            EXPECT_TRUE(seen.insert(pattern.chip(group, member)).second);
          }
        }
        EXPECT_GT(seen.size() + 2 * chips * stride, all - first);  // at most a block is left over
      }
    }
  }
}

TEST(Groups, MembersAreTakenAsListed) {
  EXPECT_EQ(taken("{members: [77, 0, 5]}"), (std::vector<Groups>{{77, 0, 5}}));
  EXPECT_EQ(taken("{members: ['chip(rack 1, sled 1, position 1)', 0]}"),
            (std::vector<Groups>{{77, 0}}));
  // In the order of the span: plane_first puts chip 4 behind chip 0.
  EXPECT_EQ(taken("{members: [0, 1], span: plane_first}"), (std::vector<Groups>{{0, 4}}));
  EXPECT_EQ(taken("{members: [1, 0]}", "  ranks: cores\n"),
            (std::vector<Groups>{{4, 5, 6, 7, 0, 1, 2, 3}}));
}

}  // namespace
