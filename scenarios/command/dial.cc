// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/dial.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <set>
#include <utility>

#include "collectives/collectives.h"
#include "scenarios/command/cases.h"
#include "sim/engine/engines.h"
#include "sim/engine/run_control.h"

namespace scenarios {
namespace {

constexpr double kLeastMeasured = 0.01;  // CPU s of one small case; it is repeated until then
constexpr int kMostRepeats = 200;
constexpr std::size_t kMostMeasured = 8;  // small cases
constexpr double kBaseBytes = 20e6;       // of the program with a fabric
// Measured on all-to-alls and rings of 144 ends: what a transfer keeps while a case is played.
constexpr double kBytesPerTransfer = 400;

double cpu_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct SmallCase {
  CaseSpec spec;
  std::size_t of = 0;  // number of the case
};

// Different algorithms first: equal ones at other sizes cost alike.
std::vector<SmallCase> small_cases(const Scenario& scenario) {
  std::vector<SmallCase> small;
  std::set<std::pair<std::string, std::string>> seen;
  for (const bool fresh : {true, false}) {
    for (std::size_t i = 0; i < scenario.cases.size() && small.size() < kMostMeasured; ++i) {
      const CaseSpec& spec = scenario.cases[i];
      const std::string kind(sim::name_of(spec.job.collective));
      if (seen.emplace(kind, spec.algorithm).second != fresh) continue;
      if (std::ranges::any_of(small, [i](const SmallCase& one) { return one.of == i; })) continue;
      if (auto one = smaller(spec, kSmallRanks)) small.push_back({std::move(*one), i});
    }
  }
  return small;
}

struct Measured {
  double seconds_per_work = 0;
  std::vector<std::int64_t> time_ps;  // by small case; -1: failed
};

// What small cases cost per packet-hop or transfer, planning and proof included.
Measured measure(const Scenario& level, const std::vector<SmallCase>& small) {
  Measured measured;
  double seconds = 0;
  double work = 0;
  for (const SmallCase& one : small) {
    sim::RunControl control;
    std::atomic<std::uint64_t> expected{0};
    const double start = cpu_now();
    sim::CaseOutcome outcome;
    int repeats = 0;
    do {
      outcome = play_case(level, one.spec, control, expected);
      ++repeats;
    } while (cpu_now() - start < kLeastMeasured && repeats < kMostRepeats);
    const bool done = outcome.verdict == sim::Verdict::kDone;
    measured.time_ps.push_back(done ? outcome.time_ps : -1);
    seconds += (cpu_now() - start) / repeats;
    work += static_cast<double>(std::max<std::uint64_t>(expected, 1));
  }
  measured.seconds_per_work = work > 0 ? seconds / work : 0;
  return measured;
}

// Of all cases, from the work that they take at this level.
LevelCost cost_of(const Scenario& level, double seconds_per_work) {
  LevelCost cost{level.fidelity, 0, kBaseBytes, ""};
  for (const CaseSpec& spec : level.cases) {
    const sim::Result<std::uint64_t> work = hops_of(level, spec);
    if (!work.ok()) {
      cost.impossible = work.failure().what;
      return cost;
    }
    cost.seconds += static_cast<double>(work.value()) * seconds_per_work;
    const double transfers = static_cast<double>(spec.job.ranks) * spec.job.ranks * spec.groups;
    cost.bytes = std::max(cost.bytes, kBaseBytes + kBytesPerTransfer * transfers);
  }
  return cost;
}

std::string cost_text(const LevelCost& cost) {
  if (!cost.impossible.empty()) return fmt::format("{} cannot: {}", cost.level, cost.impossible);
  return fmt::format("{} about {:.2g} CPU s and {:.0f} MiB", cost.level, cost.seconds,
                     cost.bytes / 1'048'576);
}

bool fits(const LevelCost& cost, const Budget& budget) {
  return cost.impossible.empty() && cost.seconds <= sim::seconds(budget.time) &&
         cost.bytes <= static_cast<double>(budget.memory.value);
}

// "+1.8 % against packet at 16 ranks: all_reduce ring".
void add_differences(const std::vector<SmallCase>& small, const Measured& chosen,
                     const Measured& finer, const std::string& level, const std::string& above,
                     std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (chosen.time_ps[i] <= 0 || finer.time_ps[i] <= 0) continue;
    const double off = static_cast<double>(chosen.time_ps[i] - finer.time_ps[i]) /
                       static_cast<double>(finer.time_ps[i]);
    lines.push_back(fmt::format("{:+.1f} % of {} against {} at {} ranks: {} {}, {} B", 100 * off,
                                level, above, small[i].spec.job.ranks,
                                sim::name_of(small[i].spec.job.collective), small[i].spec.algorithm,
                                small[i].spec.job.bytes.value));
  }
  if (lines.size() == 1) {
    lines.emplace_back("no case has an instance of 16 ranks to compare levels by");
  }
}

}  // namespace

std::optional<CaseSpec> smaller(const CaseSpec& spec, sim::Rank ranks) {
  if (spec.domains > 0) return std::nullopt;
  CaseSpec small = spec;
  if (spec.job.ranks <= ranks) return small;
  if (!spec.job.targets.empty() || spec.job.root >= ranks) return std::nullopt;
  small.job.ranks = ranks;
  small.groups = 1;
  if (small.arrival) return std::nullopt;  // which names ranks that are not there
  small.placement.endpoint_of.resize(ranks);
  if (!small.placement.pace.empty()) small.placement.pace.resize(ranks);
  const auto* algorithm = collectives::algorithms().find(spec.algorithm);
  if (algorithm == nullptr || algorithm->make.obstacle(small.job)) return std::nullopt;
  return small;
}

Dialled dial(const std::string& file, const std::vector<Override>& overrides,
             const Scenario& scenario) {
  Dialled dialled;
  const std::vector<SmallCase> small = small_cases(scenario);
  std::vector<Scenario> levels;
  std::vector<Measured> measured;
  for (const std::string& name : sim::engines().names()) {  // finest first
    if (scenario.outline && name != "flow") {
      dialled.costs.push_back({name, 0, 0, "the cluster is too large to be drawn"});
      levels.emplace_back();
      measured.emplace_back();
      continue;
    }
    std::vector<Override> with = overrides;
    with.push_back({"fidelity", name});
    Loaded loaded = load_file(file, with);
    if (!loaded.scenario) {
      dialled.faults = loaded.faults;
      return dialled;
    }
    levels.push_back(std::move(*loaded.scenario));
    measured.push_back(measure(levels.back(), small));
    dialled.costs.push_back(cost_of(levels.back(), measured.back().seconds_per_work));
  }
  std::string line = "fidelity auto:";
  for (const LevelCost& cost : dialled.costs) line += " " + cost_text(cost) + ";";
  const Budget& budget = scenario.budget;
  const auto found = std::ranges::find_if(
      dialled.costs, [&](const LevelCost& cost) { return fits(cost, budget); });
  line += fmt::format(" budget {} and {}", sim::to_text(budget.time.value, sim::Dimension::kTime),
                      sim::to_text(budget.memory.value, sim::Dimension::kBytes));
  if (found == dialled.costs.end()) {
    dialled.failure = line + ": none fits";
    return dialled;
  }
  const auto chosen = static_cast<std::size_t>(found - dialled.costs.begin());
  dialled.lines.push_back(line + ": " + found->level);
  if (chosen > 0 && measured[chosen - 1].time_ps.size() == small.size()) {
    add_differences(small, measured[chosen], measured[chosen - 1], levels[chosen].fidelity,
                    levels[chosen - 1].fidelity, dialled.lines);
  }
  dialled.scenario = std::move(levels[chosen]);
  return dialled;
}

}  // namespace scenarios
