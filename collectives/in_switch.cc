// SPDX-License-Identifier: GPL-2.0-only
// The switch between the ranks merges what they send (NVLink SHARP, SHARP): every rank sends its
// tensor up once and gets the result once, S bytes each way instead of 2(n-1)/n S; one step.
// Graham et al. 2016, "Scalable Hierarchical Aggregation Protocol (SHArP)".
#include "collectives/whole_group.h"

namespace collectives {
namespace {

std::uint32_t one_part(const Job&) { return 1; }

std::uint32_t plan_in_switch(const Job& job, sim::Planner& planner) {
  planner.reduce_in_switch((planner.rank() + 1) % job.ranks, {0, 1, 1, 1}, 0);
  return 0;
}

}  // namespace

constinit const WholeGroup kInSwitch = {
    .name = "in_switch",
    .summary = "the switch reduces: the tensor up once and down once",
    .serves = [](sim::Collective collective) { return collective == sim::Collective::kAllReduce; },
    .parts = one_part,
    .plan = plan_in_switch,
    .in_network = true};

}  // namespace collectives
