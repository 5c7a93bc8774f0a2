// SPDX-License-Identifier: GPL-2.0-only
// All-to-all-v: every algorithm x ranks x traffic (even, random with zeros, one pair only, nothing
// at all, shared rows): the symbolic end state, the bytes each rank sends, the steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "collectives/collectives.h"
#include "sim/base/random.h"
#include "sim/schedule/verify.h"
#include "tests/laws/collectives/steps.h"

namespace laws {
namespace {

using collectives::Job;
using sim::Rank;
using sim::Traffic;

std::vector<Rank> group_sizes() {
  std::vector<Rank> sizes;
  for (Rank n = 2; n <= 17; ++n) sizes.push_back(n);
  for (const Rank n : {24U, 36U, 48U}) sizes.push_back(n);
  return sizes;
}

// Every other pair owes nothing; the others any size up to 1 MiB.
Traffic random_traffic(Rank n, std::uint64_t seed) {
  sim::Random random(seed, "traffic");
  Traffic traffic{n, {}};
  for (Rank i = 0; i < n * n; ++i) {
    const bool owes = random.below(2) == 0;
    traffic.pairs.push_back(owes ? static_cast<std::int64_t>(random.below(1 << 20)) : 0);
  }
  return traffic;
}

Traffic one_pair(Rank n) {
  Traffic traffic{n, std::vector<std::int64_t>(std::size_t{n} * n, 0)};
  traffic.pairs[n - 1] = 12'345;  // rank 0 to the last
  return traffic;
}

// Bundles anywhere between the largest of their pairs and the sum.
Traffic shared_traffic(Rank n, Rank server, std::uint64_t seed) {
  Traffic traffic = random_traffic(n, seed);
  sim::Random random(seed, "bundles");
  traffic.server = server;
  for (Rank from = 0; from < n; ++from) {
    for (Rank s = 0; s < n / server; ++s) {
      std::int64_t largest = 0;
      std::int64_t sum = 0;
      for (Rank i = 0; i < server; ++i) {
        largest = std::max(largest, traffic.of(from, s * server + i));
        sum += traffic.of(from, s * server + i);
      }
      const auto room = static_cast<std::uint64_t>(sum - largest + 1);
      traffic.bundles.push_back(largest + static_cast<std::int64_t>(random.below(room)));
    }
  }
  return traffic;
}

Job job_of(const Traffic& traffic) {
  Job job;
  job.collective = sim::Collective::kAllToAllV;
  job.ranks = traffic.ranks;
  job.bytes = traffic.mean_buffer();
  job.traffic = std::make_shared<const Traffic>(traffic);
  job.options.outer_algorithm = "direct";
  return job;
}

std::vector<Traffic> traffics(Rank n) {
  return {sim::even_traffic(n, sim::Bytes(1'000'003)), random_traffic(n, 1), random_traffic(n, 2),
          one_pair(n), Traffic{n, std::vector<std::int64_t>(std::size_t{n} * n, 0)}};
}

std::string told(const std::string& algorithm, const Job& job) {
  return algorithm + " over " + std::to_string(job.ranks) + " ranks, inner " +
         std::to_string(job.options.inner) + ", middle " + std::to_string(job.options.middle);
}

void expect_right(const std::string& algorithm, const Job& job) {
  auto planned = collectives::plan(algorithm, job);
  ASSERT_TRUE(planned.ok()) << told(algorithm, job) << ": " << planned.failure().what;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto fault = sim::verify(planned.value(), seed);
    ASSERT_FALSE(fault) << told(algorithm, job) << ": " << *fault;
  }
  for (sim::OpId id = 0; id < planned.value().ops(); ++id) {
    const sim::Op& op = planned.value().op(id);
    ASSERT_GT(planned.value().bytes(op).value, 0) << "zero-byte parts are no ops";
  }
}

// The two and three levels that n ranks can be cut into.
std::vector<Job> level_jobs(const Traffic& traffic) {
  std::vector<Job> jobs;
  const Rank n = traffic.ranks;
  for (Rank inner = 2; inner < n; ++inner) {
    if (n % inner != 0) continue;
    Job job = job_of(traffic);
    job.options.inner = inner;
    jobs.push_back(job);
    for (Rank middle = 2 * inner; middle < n; middle += inner) {
      if (n % middle != 0) continue;
      job.options.middle = middle;
      jobs.push_back(job);
    }
  }
  return jobs;
}

TEST(AllToAllVLaws, EveryRankEndsWithExactlyWhatItIsOwed) {
  for (const Rank n : group_sizes()) {
    for (const Traffic& traffic : traffics(n)) {
      for (const char* algorithm : {"direct", "pairwise", "bruck"}) {
        expect_right(algorithm, job_of(traffic));
      }
      for (const Job& job : level_jobs(traffic)) expect_right("hierarchical", job);
    }
  }
}

TEST(AllToAllVLaws, SharedRowsReachEveryRankThatWantsThem) {
  std::size_t checked = 0;
  for (const Rank n : group_sizes()) {
    for (Rank server = 2; server < n; ++server) {
      if (n % server != 0) continue;
      for (const std::uint64_t seed : {1U, 2U}) {
        Job job = job_of(shared_traffic(n, server, seed));
        job.options.inner = server;
        expect_right("hierarchical", job);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 50U);
}

// What goes straight is sent once.
TEST(AllToAllVLaws, DirectSendsEachPairOnce) {
  for (const Rank n : group_sizes()) {
    const Traffic traffic = random_traffic(n, 7);
    for (const char* algorithm : {"direct", "pairwise"}) {
      const auto schedule = std::move(collectives::plan(algorithm, job_of(traffic))).value();
      for (Rank r = 0; r < n; ++r) EXPECT_EQ(schedule.bytes_sent(r), traffic.sent_by(r));
    }
  }
}

std::int64_t sent(const sim::Schedule& schedule) {
  std::int64_t sum = 0;
  for (Rank r = 0; r < schedule.ranks(); ++r) sum += schedule.bytes_sent(r).value;
  return sum;
}

// Over all ranks: a pair moves once for each one in the binary number of its distance.
TEST(AllToAllVLaws, BruckMovesAPairOncePerOneInItsDistance) {
  for (const Rank n : group_sizes()) {
    const Traffic traffic = random_traffic(n, 8);
    const auto schedule = std::move(collectives::plan("bruck", job_of(traffic))).value();
    std::int64_t owed = 0;
    for (Rank from = 0; from < n; ++from) {
      for (Rank to = 0; to < n; ++to) {
        owed += traffic.of(from, to) * std::popcount((to + n - from) % n);
      }
    }
    EXPECT_EQ(sent(schedule), owed) << n << " ranks";
    EXPECT_LE(steps(schedule), std::bit_width(n - 1)) << n << " ranks";
  }
}

// A pair moves once for each level in which its ends differ; one message per peer and level.
TEST(AllToAllVLaws, LevelsMoveAPairOncePerLevelItCrosses) {
  for (const Rank n : {8U, 12U, 16U, 24U, 36U, 48U}) {
    const Traffic traffic = random_traffic(n, 9);
    for (const Job& job : level_jobs(traffic)) {
      const auto schedule = std::move(collectives::plan("hierarchical", job)).value();
      const Rank inner = job.options.inner;
      const Rank middle = job.options.middle == 0 ? n : job.options.middle;
      std::int64_t owed = 0;
      for (Rank from = 0; from < n; ++from) {
        for (Rank to = 0; to < n; ++to) {
          const int moves = (from % inner != to % inner ? 1 : 0) +
                            (from % middle / inner != to % middle / inner ? 1 : 0) +
                            (from / middle != to / middle ? 1 : 0);
          owed += traffic.of(from, to) * moves;
        }
      }
      EXPECT_EQ(sent(schedule), owed) << told("hierarchical", job);
      const Rank peers = inner - 1 + middle / inner - 1 + n / middle - 1;
      EXPECT_LE(schedule.sends(), std::uint64_t{n} * peers);
      EXPECT_LE(steps(schedule), job.options.middle == 0 ? 2 : 3);
    }
  }
}

// One copy of a row into each other server, then one to each rank there but the one it came by.
TEST(AllToAllVLaws, SharedRowsCrossOnce) {
  const Rank n = 24;
  const Rank server = 6;
  Job job = job_of(shared_traffic(n, server, 5));
  const Traffic& traffic = *job.traffic;
  job.options.inner = server;
  const auto schedule = std::move(collectives::plan("hierarchical", job)).value();
  std::int64_t across = 0;
  std::int64_t crossed = 0;
  std::int64_t inside = 0;
  std::int64_t passed_on = 0;
  for (Rank from = 0; from < n; ++from) {
    for (Rank s = 0; s < n / server; ++s)
      across += s == from / server ? 0 : traffic.bundle(from, s);
    for (Rank to = 0; to < n; ++to)
      inside += to % server == from % server ? 0 : traffic.of(from, to);
  }
  for (sim::OpId id = 0; id < schedule.ops(); ++id) {
    const sim::Op& op = schedule.op(id);
    if (op.kind != sim::OpKind::kSend) continue;
    const bool crosses = schedule.rank_of(id) / server != op.peer / server;
    (crosses ? crossed : passed_on) += schedule.bytes(op).value;
  }
  EXPECT_EQ(crossed, across);
  EXPECT_EQ(passed_on, inside);
  EXPECT_EQ(steps(schedule), 2);
}

TEST(AllToAllVLaws, AWindowBoundsTheSendsUnderWay) {
  Job job = job_of(sim::even_traffic(12, sim::Bytes(1 << 20)));
  job.options.window = 3;
  EXPECT_EQ(steps(std::move(collectives::plan("direct", job)).value()), 4);  // 11 sends by threes
  EXPECT_EQ(steps(std::move(collectives::plan("pairwise", job)).value()), 4);
  job.options.window = 0;
  EXPECT_EQ(steps(std::move(collectives::plan("direct", job)).value()), 1);
  EXPECT_EQ(steps(std::move(collectives::plan("pairwise", job)).value()), 11);
}

// A schedule of other traffic, or that leaves out a pair, is found wrong.
TEST(AllToAllVLaws, AMissingPairIsFound) {
  const Traffic traffic = random_traffic(6, 3);
  const auto right = std::move(collectives::plan("direct", job_of(traffic))).value();
  for (Rank r = 0; r < 6; ++r) {
    for (std::size_t i = 0; i < right.program(r).ops.size(); ++i) {
      std::vector<sim::RankProgram> programs;
      for (Rank p = 0; p < 6; ++p) programs.push_back(right.program(p));
      programs[r].ops.erase(programs[r].ops.begin() + static_cast<std::ptrdiff_t>(i));
      const sim::Schedule damaged(right.layout(), "damaged", programs);
      EXPECT_TRUE(sim::verify(damaged)) << "rank " << r << " op " << i;
    }
  }
}

TEST(AllToAllVLaws, WhoCannotServeSaysWhy) {
  const auto why = [](const std::string& algorithm, const Job& job) {
    return collectives::algorithms().find(algorithm)->make.obstacle(job).value_or("it can");
  };
  Job job = job_of(shared_traffic(12, 4, 1));
  EXPECT_EQ(why("direct", job), "rows go to each server once, and it sends to each rank by itself");
  EXPECT_EQ(why("ring", job), "it has no all_to_all_v");
  job.options.inner = 6;
  EXPECT_EQ(why("hierarchical", job), "rows go once to 4 ranks, and its inner groups have 6");
  job.options.inner = 4;
  EXPECT_EQ(why("hierarchical", job), "it can");
  job.options.outer_algorithm = "ring";
  EXPECT_EQ(why("hierarchical", job),
            "its outer_algorithm ring cannot serve a level of all_to_all_v; direct can");
  Job three = job_of(random_traffic(12, 1));
  three.options.inner = 2;
  three.options.middle = 5;
  EXPECT_EQ(why("hierarchical", three),
            "middle_ranks is 5, and must be a multiple of 2 that divides 12");
  three.ranks = 8;
  EXPECT_EQ(why("direct", three), "its traffic is not that of 8 ranks");
}

}  // namespace
}  // namespace laws
