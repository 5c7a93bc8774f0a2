// SPDX-License-Identifier: GPL-2.0-only
// Plays scenario texts in this process, as the command does in its workers: load, plan, prove,
// play. Also plays schedules made by hand from single writes, for which no collective stands.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/command/cases.h"
#include "scenarios/loader/scenario.h"
#include "sim/engine/engines.h"
#include "sim/results/outcome.h"
#include "sim/schedule/planner.h"

namespace played {

using Overrides = std::vector<scenarios::Override>;

// Loads a text that must load.
inline scenarios::Scenario load(const std::string& text, const Overrides& overrides = {}) {
  scenarios::Loaded loaded = scenarios::load_text(text, "test.yaml", overrides);
  EXPECT_EQ(loaded.faults, "");
  if (!loaded.scenario) return {};
  return std::move(*loaded.scenario);
}

inline sim::CaseOutcome play(const scenarios::Scenario& scenario, const scenarios::CaseSpec& spec) {
  sim::RunControl control;
  std::atomic<std::uint64_t> expected = 0;
  return scenarios::play_case(scenario, spec, control, expected);
}

inline std::vector<sim::CaseOutcome> play_all(const std::string& text,
                                              const Overrides& overrides = {}) {
  const scenarios::Scenario scenario = load(text, overrides);
  std::vector<sim::CaseOutcome> outcomes;
  for (const scenarios::CaseSpec& spec : scenario.cases) {
    outcomes.push_back(play(scenario, spec));
    EXPECT_EQ(outcomes.back().verdict, sim::Verdict::kDone)
        << spec.name << ": " << outcomes.back().failure;
  }
  return outcomes;
}

// The only case of a text.
inline sim::CaseOutcome play_one(const std::string& text, const Overrides& overrides = {}) {
  std::vector<sim::CaseOutcome> outcomes = play_all(text, overrides);
  EXPECT_EQ(outcomes.size(), 1U);
  return outcomes.empty() ? sim::CaseOutcome{} : std::move(outcomes.front());
}

// All but the last of the endpoints each write `bytes` to the last one, all at once.
inline sim::CaseOutcome play_writes(const scenarios::Scenario& scenario,
                                    std::vector<sim::EndpointId> endpoints, sim::Bytes bytes) {
  const auto ranks = static_cast<sim::Rank>(endpoints.size());
  const sim::Layout layout{sim::Collective::kAllGather, ranks,
                           sim::BlockSizes(bytes * ranks, ranks, 1)};
  std::vector<sim::RankProgram> programs;
  for (sim::Rank rank = 0; rank < ranks; ++rank) {
    sim::Planner planner(rank, layout.sizes);
    if (rank + 1 < ranks) planner.send(ranks - 1, {.first = rank}, rank, rank);
    programs.push_back(std::move(planner).take(ranks));
  }
  const sim::Schedule schedule(layout, "writes", std::move(programs));
  const sim::Placement placement{std::move(endpoints)};
  sim::Case one;
  one.topology = &scenario.topology;
  one.schedule = &schedule;
  one.placement = &placement;
  one.bytes = bytes;
  one.parameters = &scenario.parameters;
  one.seed = scenario.seed;
  one.limits = scenario.limits;
  one.conditions = &scenario.conditions;
  sim::RunControl control;
  return sim::engines().find(scenario.fidelity)->make(one, control);
}

}  // namespace played
