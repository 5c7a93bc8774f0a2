// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/loader/studies.h"

#include <gtest/gtest.h>

#include "tests/scenarios/text.h"

namespace scenarios {
namespace {

using scenarios_test::faults_of;
using scenarios_test::load;
using scenarios_test::text_of;

TEST(WhatIf, IsReadAndEchoed) {
  const Scenario scenario =
      load(text_of({}) +
           "what_if:\n  - name: as documented\n    set: {cluster.wiring: doc}\n"
           "  - name: two\n    set:\n      switch.latency: 300 ns\n"
           "      workload.0.bytes: [64 KiB, 1 MiB]\n");
  ASSERT_EQ(scenario.what_if.size(), 2U);
  EXPECT_EQ(scenario.what_if[0].name, "as documented");
  EXPECT_EQ(scenario.what_if[0].overrides[0].path, "cluster.wiring");
  EXPECT_EQ(scenario.what_if[1].overrides[1].value, "[64 KiB, 1 MiB]");
  EXPECT_EQ(load(scenario.echo).echo, scenario.echo);
  EXPECT_EQ(load(scenario.echo).what_if[1].overrides[1].value, "[64 KiB, 1 MiB]");
}

TEST(WhatIf, ItsFaultsAreShown) {
  const std::string faults = faults_of(text_of({}) +
                                       "what_if:\n  - name: a\n    set: {seed: 2}\n"
                                       "  - name: a\n    set: {}\n");
  EXPECT_NE(faults.find("two changes are called 'a'"), std::string::npos) << faults;
  EXPECT_NE(faults.find("the change sets nothing"), std::string::npos) << faults;
}

std::vector<std::string> values_of(const std::string& axis) {
  const Scenario scenario = load(text_of({}) + "sweep: {switch.latency: " + axis + "}\n");
  return scenario.sweep.empty() ? std::vector<std::string>{} : scenario.sweep[0].values;
}

TEST(Sweep, ListsAndRangesBecomeValues) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(values_of("[100 ns, 300 ns]"), (Values{"100 ns", "300 ns"}));
  EXPECT_EQ(values_of("{from: 1 us, to: 9 us, times: 2}"),
            (Values{"1 us", "2 us", "4 us", "8 us"}));
  EXPECT_EQ(values_of("{from: 1 us, to: 100 us, points: 3}"), (Values{"1 us", "10 us", "100 us"}));
  EXPECT_EQ(values_of("{from: 1, to: 3, points: 9}"), (Values{"1", "2", "3"}));
}

TEST(Sweep, BadRangesAreFaults) {
  for (const char* axis :
       {"[]", "{from: 2 us, to: 1 us, times: 2}", "{from: 1 us, to: 2 us}",
        "{from: 1 us, to: 2 KiB, times: 2}", "{from: 1 us, to: 2 us, times: 1}",
        "{from: 1 us, to: 2 us, times: 2, points: 3}", "{from: 1 us, to: 2 us, points: 99999}"}) {
    const std::string faults = faults_of(text_of({}) + "sweep: {switch.latency: " + axis + "}\n");
    EXPECT_NE(faults.find("'switch.latency' in sweep"), std::string::npos) << axis << faults;
  }
  const std::string faults = faults_of(text_of({}) +
                                       "sweep: {a: {from: 1, to: 9000, points: 9000}, "
                                       "b: {from: 1, to: 9000, points: 9000}}\n");
  EXPECT_NE(faults.find("the sweep has"), std::string::npos) << faults;
}

TEST(Sweep, PointsVisitTheWholeGridOnce) {
  const std::vector<Axis> axes = {{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}};
  ASSERT_EQ(runs_of(axes), 6U);
  std::vector<std::string> seen;
  for (std::uint64_t number = 0; number < 6; ++number) {
    const std::vector<Override> point = point_of(axes, number);
    seen.push_back(point[0].value + point[1].value);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"1x", "1y", "1z", "2x", "2y", "2z"}));
  EXPECT_EQ(runs_of({}), 0U);
}

TEST(Sweep, EveryUnitIsANumber) {
  EXPECT_EQ(any_quantity("64 KiB")->dimension, sim::Dimension::kBytes);
  EXPECT_EQ(any_quantity("400 Gb/s")->dimension, sim::Dimension::kBandwidth);
  EXPECT_EQ(any_quantity("1.5 us")->dimension, sim::Dimension::kTime);
  EXPECT_EQ(any_quantity("8")->dimension, sim::Dimension::kCount);
  EXPECT_EQ(any_quantity("90 %")->dimension, sim::Dimension::kRatio);
  EXPECT_FALSE(any_quantity("doc"));
}

}  // namespace
}  // namespace scenarios
