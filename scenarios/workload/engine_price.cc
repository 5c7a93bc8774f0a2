// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/engine_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/collectives.h"
#include "sim/base/check.h"
#include "sim/engine/engines.h"

namespace workload {
namespace {

constexpr std::int64_t kMostMembers = 512;

sim::Collective collective_of(Move move) {
  switch (move) {
    case Move::kAllReduce:
      return sim::Collective::kAllReduce;
    case Move::kAllGather:
      return sim::Collective::kAllGather;
    case Move::kReduceScatter:
      return sim::Collective::kReduceScatter;
    default:
      return sim::Collective::kAllToAll;
  }
}

}  // namespace

EnginePrice::EnginePrice(std::string engine, const sim::Topology& topology,
                         const sim::Parameters& parameters, std::int64_t ranks)
    : engine_(std::move(engine)),
      topology_(topology),
      parameters_(parameters),
      links_(topology, parameters, ranks) {
  CHECK(sim::engines().find(engine_) != nullptr);
}

std::int64_t EnginePrice::played(Move move, const Group& group, std::int64_t bytes,
                                 std::string_view algorithm) {
  if (move == Move::kShift || group.size() > kMostMembers) return 0;
  const std::optional<sim::Placement> placement = links_.placement_of(group);
  if (!placement) return 0;
  collectives::Job job;
  job.collective = collective_of(move);
  job.ranks = static_cast<sim::Rank>(group.size());
  job.bytes = sim::Bytes(bytes);
  std::string name(algorithm);
  if (algorithm.starts_with("2-level")) {
    name = "hierarchical";
    job.options.inner = static_cast<sim::Rank>(links_.inner_size(group));
    job.options.outer_algorithm = algorithm.ends_with("ring") ? "ring" : "direct";
  }
  const sim::Result<sim::Schedule> schedule = collectives::plan(name, job);
  if (!schedule.ok()) return 0;
  sim::Case one;
  one.topology = &topology_;
  one.schedule = &schedule.value();
  one.placement = &*placement;
  one.bytes = job.bytes;
  one.parameters = &parameters_;
  if (sim::expected_work(engine_, one) > kMostWork) return 0;
  sim::RunControl control;
  const sim::CaseOutcome outcome = sim::engines().find(engine_)->make(one, control);
  return outcome.verdict == sim::Verdict::kDone ? outcome.time_ps : 0;
}

Price EnginePrice::price(Move move, const Group& group, std::int64_t bytes, double stretch) {
  Price price = links_.price(move, group, bytes, stretch);
  if (group.size() <= 1 || bytes <= 0) return price;
  const std::tuple key(move, group, bytes);
  auto found = known_.find(key);
  if (found == known_.end()) {
    found = known_.emplace(key, played(move, group, bytes, price.algorithm)).first;
  }
  price.time = std::max(price.time, sim::Time(found->second));
  return price;
}

std::string EnginePrice::source() const {
  const auto played = std::ranges::count_if(known_, [](const auto& one) { return one.second > 0; });
  return fmt::format(
      "{} of {} distinct collectives are priced by the {} engine, each alone, and never below the "
      "load on links of all groups at once",
      played, known_.size(), engine_);
}

}  // namespace workload
