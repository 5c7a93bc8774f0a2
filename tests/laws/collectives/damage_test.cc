// SPDX-License-Identifier: GPL-2.0-only
// Verify is worth what it finds: each schedule is damaged in every place, one at a time, and each
// damage must be found. A missing wait shows only in some orders, so it gets several seeds.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "collectives/collectives.h"
#include "sim/schedule/planner.h"
#include "sim/schedule/verify.h"

namespace laws {
namespace {

using sim::Collective;
using sim::Op;
using sim::OpKind;
using sim::Rank;
using sim::RankProgram;

using Programs = std::vector<RankProgram>;

struct Healthy {
  std::string name;
  bool paced = false;  // some waits only keep sends apart, or follow from other waits
  sim::Layout layout;
  Programs programs;
};

std::vector<Healthy> healthy_schedules() {
  std::vector<Healthy> all;
  for (const auto& entry : collectives::algorithms().entries()) {
    for (const Collective collective : sim::all_collectives()) {
      for (const Rank ranks : {4U, 6U, 8U}) {
        collectives::Job job{collective, ranks, sim::Bytes(1'000), {}};
        job.options.inner = 2;
        job.options.slices = 2;
        if (entry.make.refusal(job)) continue;
        const sim::Schedule schedule = std::move(collectives::plan(entry.name, job)).value();
        Programs programs;
        for (Rank r = 0; r < ranks; ++r) programs.push_back(schedule.program(r));
        const bool paced =
            entry.name == "pairwise" || (!sim::is_flat_kind(collective) && entry.name != "direct");
        all.push_back({entry.name + " " + std::string(sim::name_of(collective)) + " over " +
                           std::to_string(ranks),
                       paced, schedule.layout(), std::move(programs)});
      }
    }
  }
  return all;
}

bool found(const Healthy& healthy, const Programs& programs, std::uint64_t seeds = 1) {
  const sim::Schedule schedule(healthy.layout, "damaged", programs);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    if (sim::verify(schedule, seed)) return true;
  }
  return false;
}

// Calls damage(programs, rank, op index) on a fresh copy for every op it accepts; each must be
// found.
void expect_all_found(const std::function<bool(Programs&, Rank, std::size_t)>& damage) {
  std::size_t damaged = 0;
  for (const Healthy& healthy : healthy_schedules()) {
    for (Rank r = 0; r < healthy.programs.size(); ++r) {
      for (std::size_t i = 0; i < healthy.programs[r].ops.size(); ++i) {
        Programs programs = healthy.programs;
        if (!damage(programs, r, i)) continue;
        ++damaged;
        EXPECT_TRUE(found(healthy, programs)) << healthy.name << ", rank " << r << " op " << i;
      }
    }
  }
  EXPECT_GT(damaged, 100U);
}

// Takes an op out; later ops no longer wait for it.
void drop(RankProgram& program, std::size_t dropped) {
  RankProgram kept;
  kept.slots = program.slots;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    if (i == dropped) continue;
    Op op = program.ops[i];
    op.first_wait = static_cast<std::uint32_t>(kept.waits.size());
    op.wait_count = 0;
    for (sim::Wait wait : program.waits_of(program.ops[i])) {
      if (!wait.is_arrival() && wait.index() == dropped) continue;
      if (!wait.is_arrival() && wait.index() > dropped) --wait.what;
      kept.waits.push_back(wait);
      ++op.wait_count;
    }
    kept.ops.push_back(op);
  }
  program = std::move(kept);
}

TEST(Damage, EveryDroppedSendReduceOrCopyIsFound) {
  expect_all_found([](Programs& programs, Rank rank, std::size_t i) {
    drop(programs[rank], i);
    return true;
  });
}

TEST(Damage, EveryPairOfSwappedSlotsIsFound) {
  expect_all_found([](Programs& programs, Rank rank, std::size_t i) {
    Op& op = programs[rank].ops[i];
    if (op.kind != OpKind::kSend) return false;
    for (Rank other = 0; other < programs.size(); ++other) {
      for (Op& swapped : programs[other].ops) {
        const bool like = swapped.kind == OpKind::kSend && swapped.peer == op.peer;
        if (!like || swapped.slot == op.slot || swapped.land != op.land) continue;
        if (!op.land) std::swap(op.target, swapped.target);
        if (op.land) std::swap(op.blocks, swapped.blocks);
        return op.land ? op.blocks.first != swapped.blocks.first : op.target != swapped.target;
      }
    }
    return false;
  });
}

TEST(Damage, EveryWrongBlockIsFound) {
  expect_all_found([](Programs& programs, Rank rank, std::size_t i) {
    Op& op = programs[rank].ops[i];
    op.blocks.first += op.blocks.first == 0 ? 1 : static_cast<std::uint32_t>(-1);
    return true;
  });
}

TEST(Damage, EveryWrongTargetIsFound) {
  expect_all_found([](Programs& programs, Rank rank, std::size_t i) {
    Op& op = programs[rank].ops[i];
    if (op.land || op.kind == OpKind::kReduce) return false;
    op.target += op.target == 0 ? 1 : static_cast<std::uint32_t>(-1);
    return true;
  });
}

TEST(Damage, EveryReduceDoneTwiceIsFound) {
  expect_all_found([](Programs& programs, Rank rank, std::size_t i) {
    RankProgram& program = programs[rank];
    if (program.ops[i].kind != OpKind::kReduce) return false;
    program.ops.push_back(program.ops[i]);
    return true;
  });
}

// Another of the op's waits is for an op that itself waits for the same: without it nothing
// changes.
bool follows_from_others(const RankProgram& program, const Op& op, std::uint16_t w) {
  const sim::Wait wait = program.waits_of(op)[w];
  for (const sim::Wait other : program.waits_of(op)) {
    if (other.is_arrival()) continue;
    for (const sim::Wait before : program.waits_of(program.ops[other.index()])) {
      if (before.what == wait.what) return true;
    }
  }
  return false;
}

TEST(Damage, EveryMissingWaitIsFoundInOneOfManyOrders) {
  std::size_t damaged = 0;
  for (const Healthy& healthy : healthy_schedules()) {
    if (healthy.paced) continue;
    for (Rank r = 0; r < healthy.programs.size(); ++r) {
      for (std::size_t i = 0; i < healthy.programs[r].ops.size(); ++i) {
        for (std::uint16_t w = 0; w < healthy.programs[r].ops[i].wait_count; ++w) {
          Programs programs = healthy.programs;
          Op& op = programs[r].ops[i];
          if (follows_from_others(programs[r], op, w)) continue;
          std::swap(programs[r].waits[op.first_wait + w], programs[r].waits[op.first_wait]);
          ++op.first_wait;
          --op.wait_count;
          ++damaged;
          EXPECT_TRUE(found(healthy, programs, 200))
              << healthy.name << ", rank " << r << " op " << i << " wait " << w;
        }
      }
    }
  }
  EXPECT_GT(damaged, 1'000U);
}

TEST(Damage, RanksThatWaitForEachOtherAreFoundAndNamed) {
  const sim::BlockSizes sizes(sim::Bytes(8), 2, 1);
  const sim::Layout layout{Collective::kAllGather, 2, sizes};
  Programs programs;
  for (Rank r = 0; r < 2; ++r) {
    sim::Planner planner(r, sizes);
    planner.receive({r, 1, 1, 1}, 0);  // overwrites its own part first: so the send waits for it
    planner.send(1 - r, {r, 1, 1, 1}, r, 0);
    programs.push_back(std::move(planner).take(1));
  }
  const auto fault = sim::verify(sim::Schedule(layout, "cyclic", programs));
  ASSERT_TRUE(fault);
  EXPECT_EQ(
      *fault,
      "2 ops wait for each other: rank 0 op 0 (send to rank 1) waits for rank 1 op 0 (send to "
      "rank 0), which never begins");
}

}  // namespace
}  // namespace laws
