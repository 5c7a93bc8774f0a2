// SPDX-License-Identifier: GPL-2.0-only
// The law of symmetry: one UltraServer played for many gives the picosecond of the run in which
// every chip is drawn and played. And the proof that the test would notice: a picosecond of latency
// or a byte per second of rate more, and it does not.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "collectives/collectives.h"
#include "sim/engine/composed.h"
#include "tests/oracles/play.h"

namespace {

struct Setting {
  int ultraservers = 2;
  std::string shape = "positions: 2, sleds: 2, planes: 2";
  std::string costs = "";
  std::string collective = "all_reduce";
  std::string inner = "direct";
  std::string outer = "ring";
  std::int64_t bytes = 0;
  std::string faults = {};  // items, a line each
};

// Few switches above, so that the drawn network spreads over all of them.
const char* const kNetwork =
    "ethernet.nics_per_tor: 4, ethernet.spines: 2, ethernet.tier2.children: 2, "
    "ethernet.tier3.parents: 2, ethernet.tier3.children: 2, ethernet.tier4.parents: 2";

std::string text_of(const Setting& s) {
  return fmt::format(
      "scenario: law\n"
      "cluster:\n"
      "  ultraserver: trn3-gen2\n"
      "  ultraservers: {}\n"
      "  overrides: {{{}, {}{}}}\n"
      "fidelity: flow\n"
      "{}"
      "workload:\n"
      "  - {{collective: {}, bytes: {} B, algorithm: hierarchical,\n"
      "     hierarchy: {{inner_algorithm: {}, outer_algorithm: {}, slices: 1}}}}\n",
      s.ultraservers, s.shape, kNetwork, s.costs, s.faults.empty() ? "" : "faults:\n" + s.faults,
      s.collective, s.bytes, s.inner, s.outer);
}

scenarios::Scenario load(const Setting& setting, const char* symmetry) {
  return played::load(text_of(setting), {{"symmetry", symmetry}});
}

std::int64_t time_of(const scenarios::Scenario& scenario) {
  const sim::CaseOutcome outcome = played::play(scenario, scenario.cases.at(0));
  EXPECT_EQ(outcome.verdict, sim::Verdict::kDone) << outcome.failure;
  return outcome.time_ps;
}

void expect_law(const Setting& setting) {
  const scenarios::Scenario reduced = load(setting, "always");
  ASSERT_TRUE(reduced.outline);
  ASSERT_EQ(reduced.cases.at(0).domains, static_cast<std::uint32_t>(setting.ultraservers));
  const scenarios::Scenario full = load(setting, "never");
  ASSERT_FALSE(full.outline);
  EXPECT_EQ(time_of(reduced), time_of(full)) << text_of(setting);
}

// Equal parts for every algorithm: a multiple of ranks x the largest power of two.
std::int64_t even(int ultraservers, std::int64_t chips, std::int64_t about) {
  const std::int64_t parts = chips * ultraservers * 8;
  return (about + parts - 1) / parts * parts;
}

TEST(Symmetry, AllReduceHoldsTheLaw) {
  for (const int n : {2, 3, 5, 8}) {
    for (const char* inner : {"direct", "ring", "recursive"}) {
      for (const char* outer : {"ring", "recursive", "direct"}) {
        for (const std::int64_t bytes : {1'000, 3'000'000}) {
          expect_law(
              {.ultraservers = n, .inner = inner, .outer = outer, .bytes = even(n, 8, bytes)});
        }
      }
    }
  }
}

TEST(Symmetry, TheOtherCollectivesHoldIt) {
  for (const char* collective : {"all_gather", "reduce_scatter", "all_to_all"}) {
    for (const int n : {2, 4, 8}) {
      for (const char* outer : {"ring", "recursive", "direct"}) {
        expect_law({.ultraservers = n,
                    .collective = collective,
                    .outer = outer,
                    .bytes = even(n, 8, 1'000'000)});
      }
    }
  }
}

TEST(Symmetry, ShapesAndCostsDoNotMatter) {
  const std::vector<std::string> shapes = {"positions: 2, sleds: 3, planes: 1",
                                           "positions: 4, sleds: 2, planes: 4, relay: split",
                                           "positions: 4, sleds: 1, planes: 2, racks: 1"};
  const std::vector<std::string> costs = {
      ", endpoint.issue_gap: 0 ns, collective.launch: 0 ns",
      ", endpoint.issue_gap: 200 ns, dma.queues: 1",
      ", endpoint.reduce_rate: 10 GB/s, endpoint.copy_rate: 5 GB/s, nic.bus_bandwidth: 40 GB/s"};
  for (const std::string& shape : shapes) {
    for (const std::string& cost : costs) {
      for (const char* outer : {"ring", "recursive"}) {
        expect_law({.ultraservers = 5,
                    .shape = shape,
                    .costs = cost,
                    .outer = outer,
                    .bytes = even(5, 48, 500'000)});
      }
    }
  }
}

// Faults at chosen places; `d` is a domain.
std::string dead_twin(int d, int position = 1) {
  return fmt::format(
      "  - {{kind: dead, part: link, name: 'chip(ultraserver {0}, rack 0, sled 1, position {1})', "
      "to: 'chip(ultraserver {0}, rack 1, sled 1, position {1})'}}\n",
      d, position);
}
std::string slow_chip(int d, const char* share = "50 %") {
  return fmt::format(
      "  - {{kind: slow, part: chip, name: 'chip(ultraserver {}, rack 1, sled 0, position 0)', "
      "share: {}}}\n",
      d, share);
}
std::string slow_nic(int d) {
  return fmt::format(
      "  - {{kind: slow, part: nic, name: 'nic(ultraserver {}, rack 0, sled 0, position 1)', "
      "share: 25 %}}\n",
      d);
}
const char* const kDeadPlane = "  - {kind: dead, part: plane, name: rack 1}\n";

TEST(Symmetry, FaultsHoldTheLaw) {
  const std::vector<std::string> batteries = {
      dead_twin(1),
      slow_chip(2),
      slow_nic(0),
      dead_twin(1) + slow_chip(2),
      dead_twin(0) + slow_chip(0) + slow_nic(3),
      dead_twin(1) + dead_twin(3) + dead_twin(2, 0) + slow_chip(4, "60 %") + slow_nic(4),
      kDeadPlane + slow_chip(1),
  };
  for (const std::string& faults : batteries) {
    for (const char* outer : {"ring", "recursive", "direct"}) {
      for (const char* collective : {"all_reduce", "all_gather", "all_to_all"}) {
        const bool any_number = outer != std::string("recursive");
        if (!any_number && collective != std::string("all_reduce")) continue;
        expect_law({.ultraservers = 5,
                    .collective = collective,
                    .outer = outer,
                    .bytes = even(5, 8, 3'000'000),
                    .faults = faults});
      }
    }
  }
}

TEST(Symmetry, FaultsHoldItWhereWorkAtTheEndsTakesTime) {
  for (const int n : {2, 3, 8, 11}) {
    for (const char* outer : {"ring", "recursive"}) {
      expect_law({.ultraservers = n,
                  .costs = ", endpoint.reduce_rate: 10 GB/s, endpoint.copy_rate: 5 GB/s",
                  .outer = outer,
                  .bytes = even(n, 8, 2'000'000),
                  .faults = dead_twin(n - 1) + slow_chip(0, "95 %") + slow_chip(1, "90 %")});
    }
  }
}

// A chip so slow that its UltraServer still scatters when others there gather already.
TEST(Symmetry, RefusesPhasesThatRunIntoEachOther) {
  const Setting setting{
      .ultraservers = 2, .bytes = even(2, 8, 3'000'000), .faults = slow_chip(0, "2 %")};
  const scenarios::Scenario scenario = load(setting, "always");
  const sim::CaseOutcome outcome = played::play(scenario, scenario.cases.at(0));
  EXPECT_EQ(outcome.verdict, sim::Verdict::kFailed);
  EXPECT_NE(outcome.failure.find("would begin before"), std::string::npos) << outcome.failure;
}

// Damage: what the outline says is a hair off.
TEST(Symmetry, TheLawBites) {
  const Setting setting{.ultraservers = 5, .bytes = even(5, 8, 3'000'000)};
  const std::int64_t exact = time_of(load(setting, "never"));
  scenarios::Scenario late = load(setting, "always");
  for (sim::Crossing& crossing : late.outline->tiers) crossing.latency += sim::Time(1);
  EXPECT_NE(time_of(late), exact);
  scenarios::Scenario fast = load(setting, "always");
  fast.outline->nic.value += fast.outline->nic.value / 100'000;
  EXPECT_NE(time_of(fast), exact);
  scenarios::Scenario near = load(setting, "always");
  near.outline->place = [](std::uint32_t, std::uint32_t, std::uint32_t) { return 0U; };
  EXPECT_NE(time_of(near), exact);
  const Setting faulty{.ultraservers = 5, .bytes = even(5, 8, 3'000'000), .faults = slow_chip(2)};
  EXPECT_NE(time_of(load(faulty, "never")), exact);
  scenarios::Scenario healed = load(faulty, "always");
  healed.outline->slow_ports.clear();
  EXPECT_NE(time_of(healed), time_of(load(faulty, "never")));
}

// A ring in flat arrays is the ring that the engine plays.
TEST(Symmetry, CirculationIsTheRingItself) {
  const scenarios::Scenario scenario = load({.ultraservers = 6, .bytes = 48'000}, "always");
  collectives::Job job;
  job.ranks = 6;
  job.bytes = sim::Bytes(600'000);
  const sim::Result<sim::Schedule> ring = collectives::plan("ring", job);
  ASSERT_TRUE(ring.ok());
  sim::flow::Composed composed;
  composed.outline = &*scenario.outline;
  composed.domains = 6;
  composed.costs = sim::end_costs(scenario.parameters);
  composed.queues = 16;
  composed.paths = 64;
  composed.most_ops = 1'000'000;
  composed.phases = {{.name = "ring", .inside = false, .schedule = &ring.value()}};
  sim::RunControl control;
  const sim::flow::ComposedTimes played = sim::flow::play_composed(composed, control);
  composed.phases[0].schedule = nullptr;
  composed.phases[0].circulation = sim::flow::Circulation{6, 10, 5, sim::Bytes(100'000)};
  const sim::flow::ComposedTimes passed = sim::flow::play_composed(composed, control);
  EXPECT_EQ(played.fault, "");
  EXPECT_EQ(passed.fault, "");
  EXPECT_EQ(played.ready, passed.ready);
  EXPECT_EQ(played.time, passed.time);
}

TEST(Symmetry, SaysWhatStandsForWhat) {
  const scenarios::Scenario scenario = load({.ultraservers = 8, .bytes = 51'200}, "always");
  const sim::CaseOutcome outcome = played::play(scenario, scenario.cases.at(0));
  ASSERT_EQ(outcome.symmetry.size(), 3U);
  EXPECT_EQ(outcome.symmetry[0],
            "reduce_scatter direct inside: 1 of 8 played; that of domain 0 stands for 7 others");
  EXPECT_EQ(outcome.ranks, 64);
  EXPECT_EQ(outcome.breakdown.launch_ps + outcome.breakdown.endpoint_ps +
                outcome.breakdown.latency_ps + outcome.breakdown.transmission_ps +
                outcome.breakdown.queueing_ps + outcome.breakdown.compute_ps,
            outcome.time_ps);
}

TEST(Symmetry, RefusesMoreOpsThanAllowedBeforeItPlays) {
  const scenarios::Scenario scenario = played::load(text_of({.ultraservers = 8, .bytes = 51'200}),
                                                    {{"symmetry", "always"}, {"limits.ops", "20"}});
  const sim::CaseOutcome outcome = played::play(scenario, scenario.cases.at(0));
  EXPECT_EQ(outcome.verdict, sim::Verdict::kFailed);
  EXPECT_NE(outcome.failure.find("limits.ops is 20"), std::string::npos) << outcome.failure;
}

// Memory as the program takes it (scenarios/command/main.cc): not given back page by page.
void allocate_as_the_program_does() {
  constexpr int kHuge = 1 << 30;
  ::mallopt(M_MMAP_THRESHOLD, kHuge);
  ::mallopt(M_TRIM_THRESHOLD, kHuge);
  ::mallopt(M_TOP_PAD, 4 << 20);
}

// The bar for a million chips, loading included: 3 CPU s and 250 MiB.
TEST(Symmetry, AMillionChipsTakeSeconds) {
#ifndef NDEBUG
  GTEST_SKIP() << "a bar for release builds";
#endif
  allocate_as_the_program_does();
  const scenarios::Loaded loaded =
      scenarios::load_file(ULTRASIM_SOURCE_DIR "/scenarios/library/million-chips.yaml", {});
  ASSERT_TRUE(loaded.scenario) << loaded.faults;
  for (const scenarios::CaseSpec& spec : loaded.scenario->cases) {
    EXPECT_EQ(played::play(*loaded.scenario, spec).verdict, sim::Verdict::kDone) << spec.name;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LE(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec, 3);
  EXPECT_LE(usage.ru_maxrss, 250 * 1024);
}

// Three kinds of faults among a million chips: played by themselves, within 5 CPU s.
TEST(Symmetry, FaultsAmongAMillionChipsTakeSeconds) {
#ifndef NDEBUG
  GTEST_SKIP() << "a bar for release builds";
#endif
  allocate_as_the_program_does();
  rusage before = {};
  getrusage(RUSAGE_SELF, &before);
  const scenarios::Loaded loaded =
      scenarios::load_file(ULTRASIM_SOURCE_DIR "/scenarios/library/million-chips-faults.yaml", {});
  ASSERT_TRUE(loaded.scenario) << loaded.faults;
  ASSERT_EQ(loaded.scenario->outline->faulty.size(), 3U);
  const sim::CaseOutcome gather = played::play(*loaded.scenario, loaded.scenario->cases.at(0));
  EXPECT_EQ(gather.verdict, sim::Verdict::kDone) << gather.failure;
  ASSERT_GE(gather.symmetry.size(), 2U);
  EXPECT_EQ(gather.symmetry[1],
            "all_gather direct inside: 4 of 7000 played; that of domain 0 stands for 6996 others");
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LE(usage.ru_utime.tv_sec - before.ru_utime.tv_sec, 5);
}

TEST(Symmetry, SaysWhatItCannotTell) {
  Setting setting{.ultraservers = 2, .bytes = 51'200};
  const auto faults = [](const Setting& s, const char* path, const char* value) {
    return scenarios::load_text(text_of(s), "x.yaml", {{"symmetry", "always"}, {path, value}})
        .faults;
  };
  EXPECT_NE(faults(setting, "workload.0.hierarchy.slices", "2").find("cannot be told by symmetry"),
            std::string::npos);
  EXPECT_NE(faults(setting, "cluster.ranks", "cores").find("ranks: chips"), std::string::npos);
  EXPECT_NE(faults(setting, "workload.0.group.chips", "12").find("a multiple of 8"),
            std::string::npos);
}

}  // namespace
