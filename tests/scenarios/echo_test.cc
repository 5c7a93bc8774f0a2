// SPDX-License-Identifier: GPL-2.0-only
// The echo law: the echo of a scenario loads to the same scenario, and is its own echo.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "scenarios/loader/embedded.h"
#include "tests/scenarios/text.h"

namespace {

using scenarios::CaseSpec;
using scenarios::Scenario;
using scenarios_test::load;
using scenarios_test::text_of;

void expect_same_parameters(const Scenario& a, const Scenario& b) {
  ASSERT_EQ(a.parameters.list().size(), b.parameters.list().size());
  for (std::size_t i = 0; i < a.parameters.list().size(); ++i) {
    const sim::Parameter& one = a.parameters.list()[i];
    const sim::Parameter& other = b.parameters.list()[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.value, other.value) << one.name;
    EXPECT_EQ(one.low, other.low) << one.name;
    EXPECT_EQ(one.high, other.high) << one.name;
    EXPECT_EQ(one.grade, other.grade) << one.name;
    EXPECT_EQ(one.source, other.source) << one.name;
  }
}

void expect_same_case(const CaseSpec& a, const CaseSpec& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.algorithm, b.algorithm);
  EXPECT_EQ(a.group, b.group);
  EXPECT_EQ(a.chips, b.chips);
  EXPECT_EQ(a.job.collective, b.job.collective);
  EXPECT_EQ(a.job.ranks, b.job.ranks);
  EXPECT_EQ(a.job.bytes, b.job.bytes);
  EXPECT_EQ(a.job.options.inner, b.job.options.inner);
  EXPECT_EQ(a.job.options.inner_algorithm, b.job.options.inner_algorithm);
  EXPECT_EQ(a.job.options.outer_algorithm, b.job.options.outer_algorithm);
  EXPECT_EQ(a.job.options.slices, b.job.options.slices);
  EXPECT_EQ(a.placement.endpoint_of, b.placement.endpoint_of);
}

void expect_echo_law(const Scenario& scenario) {
  const Scenario again = load(scenario.echo);
  EXPECT_EQ(again.echo, scenario.echo);
  EXPECT_EQ(again.name, scenario.name);
  EXPECT_EQ(again.about, scenario.about);
  EXPECT_EQ(again.fabric, scenario.fabric);
  EXPECT_EQ(again.fidelity, scenario.fidelity);
  EXPECT_EQ(again.seed, scenario.seed);
  EXPECT_EQ(again.limits.packet_hops, scenario.limits.packet_hops);
  EXPECT_EQ(again.limits.simulated_time, scenario.limits.simulated_time);
  expect_same_parameters(again, scenario);
  ASSERT_EQ(again.cases.size(), scenario.cases.size());
  for (std::size_t i = 0; i < scenario.cases.size(); ++i) {
    expect_same_case(again.cases[i], scenario.cases[i]);
  }
}

TEST(Echo, OfEveryLibraryScenarioLoadsToTheSameScenario) {
  std::filesystem::current_path(ULTRASIM_SOURCE_DIR "/scenarios/library");  // of graph files
  ASSERT_GE(scenarios::library_files().size(), 7U);
  for (const scenarios::EmbeddedFile& file : scenarios::library_files()) {
    SCOPED_TRACE(file.name);
    // Those about models have their own law in tests/scenarios/workload.
    if (file.text.find("\nmodel:") != std::string_view::npos) continue;
    const Scenario scenario = load(std::string(file.text));
    EXPECT_EQ(scenario.name + ".yaml", file.name);
    EXPECT_FALSE(scenario.about.empty());
    expect_echo_law(scenario);
  }
}

TEST(Echo, ShowsEveryKeyWithItsDefault) {
  EXPECT_EQ(load(text_of({})).echo, R"(scenario: test
cluster:
  ultraserver: trn3-gen2
  wiring: full
  ultraservers: 1
  ranks: chips
workload:
  - collective: all_reduce
    group:
      chips: 8
      span: sled_first
      stride: 1
      at_once: 1
    bytes: 1 MiB
    algorithm: ring
    window: 0
    channels: 1
    chunks: 16
    seeds: 1
fidelity: packet
symmetry: auto
seed: 1
limits:
  packet_hops: 100000000000
  simulated_time: 3600 s
  ops: 20000000
)");
}

TEST(Echo, HoldsOverridesHierarchiesAndRanges) {
  const std::string text = text_of(
      {.cluster = "  ultraserver: trn3-gen2\n  ranks: cores\n  logical_cores: 1\n  wiring: doc\n"
                  "  overrides: {sled.bandwidth: 4096 Gb/s, endpoint.copy_rate: unlimited}\n",
       .group = "    group: {chips: [8, all], span: twin_first}\n",
       .rest = "    bytes: {from: 64 KiB, to: 3 MiB, times: 3}\n    algorithm: hierarchical\n"
               "    hierarchy: {inner_ranks: 8, outer_algorithm: direct}\n"});
  const Scenario scenario = load(text + "seed: 0\n", {{"limits.ops", "30000000"}});
  EXPECT_EQ(scenario.cases.size(), 8U);
  expect_echo_law(scenario);
}

// Bits and bytes are distinct, and each is echoed as it was written.
TEST(Echo, KeepsGigabitsAndGigabytesAsWritten) {
  const auto with = [](const char* rate) {
    return load(
        text_of({.cluster = std::string("  topology: star\n  overrides: {link.bandwidth: ") + rate +
                            "}\n"}));
  };
  const Scenario bits = with("400 Gb/s");
  const Scenario bytes = with("400 GB/s");
  EXPECT_EQ(bits.parameters.bandwidth("link.bandwidth").value, 50'000'000'000);
  EXPECT_EQ(bytes.parameters.bandwidth("link.bandwidth").value, 400'000'000'000);
  EXPECT_NE(bits.echo.find("link.bandwidth: 400 Gb/s\n"), std::string::npos);
  EXPECT_NE(bytes.echo.find("link.bandwidth: 400 GB/s\n"), std::string::npos);
}

TEST(Echo, QuotesTextThatYamlWouldReadOtherwise) {
  for (const char* about :
       {"'null'", "'a: b'", "\"tab\\tand \\\"quotes\\\" \\\\\"", "'# no comment'", "'- x'", "'~'",
        "\" spaces \"", "'[a]'", "'*x'", "\"two\\nlines\"", "'\u00fcml\u00e4ut \u2192'", "'-'",
        "'{a}'", "'%x'", "'yes'", "'a #b'", "'---'"}) {
    SCOPED_TRACE(about);
    expect_echo_law(load("about: " + std::string(about) + "\n" + text_of({})));
  }
}

TEST(Echo, HashFollowsTextAndOverrides) {
  const std::string text = text_of({});
  EXPECT_EQ(load(text).input_hash, load(text).input_hash);
  EXPECT_EQ(load(text).input_hash.size(), 16U);
  EXPECT_NE(load(text).input_hash, load(text + "\n").input_hash);
  EXPECT_NE(load(text).input_hash, load(text, {{"seed", "1"}}).input_hash);
  EXPECT_NE(load(text, {{"seed", "2"}}).input_hash, load(text, {{"seed", "1"}}).input_hash);
}

}  // namespace
