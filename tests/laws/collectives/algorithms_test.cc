// SPDX-License-Identifier: GPL-2.0-only
// Every algorithm x kind x number of ranks: the symbolic end state, the bytes each rank sends, the
// steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "collectives/flat.h"
#include "sim/schedule/verify.h"
#include "tests/laws/collectives/algorithm_law.h"
#include "tests/laws/collectives/steps.h"

namespace laws {
namespace {

std::vector<std::string> flat_names() {
  std::vector<std::string> names;
  for (const collectives::Flat* flat : collectives::flat_algorithms()) {
    names.emplace_back(flat->name);
  }
  return names;
}

const std::vector<std::string> kFlat = flat_names();

std::vector<Rank> group_sizes() {
  std::vector<Rank> sizes;
  for (Rank n = 2; n <= 17; ++n) sizes.push_back(n);
  for (const Rank n : {24U, 36U, 48U, 64U, 72U, 144U}) sizes.push_back(n);
  return sizes;
}

bool serves(const std::string& algorithm, const Job& job) {
  return !collectives::algorithms().find(algorithm)->make.refusal(job);
}

sim::Schedule planned(const std::string& algorithm, const Job& job) {
  return std::move(collectives::plan(algorithm, job)).value();
}

Job job_of(Collective collective, Rank ranks, std::int64_t bytes) {
  Job job;
  job.collective = collective;
  job.ranks = ranks;
  job.bytes = sim::Bytes(bytes);
  return job;
}

std::string told(const std::string& algorithm, const Job& job) {
  return algorithm + " " + std::string(sim::name_of(job.collective)) + " over " +
         std::to_string(job.ranks) + " ranks of " + std::to_string(job.bytes.value) +
         " bytes, inner " + std::to_string(job.options.inner) + " " + job.options.inner_algorithm +
         ", outer " + job.options.outer_algorithm + ", slices " +
         std::to_string(job.options.slices);
}

// |sent - share of the bytes|, in bytes, rounded up. Each part sent is within a byte of its share.
std::int64_t excess(std::int64_t sent, std::int64_t bytes, Share share) {
  const std::int64_t scaled = std::abs(sent * share.denominator - bytes * share.numerator);
  return (scaled + share.denominator - 1) / share.denominator;
}

std::int64_t parts_sent(const sim::Schedule& schedule, Rank rank) {
  std::int64_t parts = 0;
  for (const sim::Op& op : schedule.program(rank).ops) {
    if (op.transfers()) parts += op.blocks.size();
  }
  return parts;
}

void expect_right(const std::string& algorithm, const Job& job) {
  const sim::Schedule schedule = planned(algorithm, job);
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto fault = sim::verify(schedule, seed);
    ASSERT_FALSE(fault) << told(algorithm, job) << ": " << *fault;
  }
}

TEST(FlatLaws, EveryRankEndsWithExactlyTheWantedData) {
  for (const std::string& algorithm : kFlat) {
    for (const Rank n : group_sizes()) {
      for (const Collective collective : sim::symmetric_collectives()) {
        for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{n} - 1, std::int64_t{n},
                                         std::int64_t{1'000'003}, std::int64_t{1} << 40}) {
          const Job job = job_of(collective, n, bytes);
          if (serves(algorithm, job)) expect_right(algorithm, job);
        }
      }
    }
  }
}

TEST(FlatLaws, EveryRankSendsTheBytesOfTheory) {
  for (const std::string& algorithm : kFlat) {
    for (const Rank n : group_sizes()) {
      for (const Collective collective : sim::symmetric_collectives()) {
        for (const std::int64_t bytes : {1'000'003, 9'172'800}) {
          const Job job = job_of(collective, n, bytes);
          if (!serves(algorithm, job) || algorithm == "double_tree") continue;
          const sim::Schedule schedule = planned(algorithm, job);
          for (Rank r = 0; r < n; ++r) {
            const Share share = flat_share(algorithm, collective, n, r);
            const bool even = bytes % schedule.layout().sizes.parts() == 0;
            ASSERT_LE(excess(schedule.bytes_sent(r).value, bytes, share),
                      even ? 0 : parts_sent(schedule, r))
                << told(algorithm, job) << ", rank " << r;
          }
        }
      }
    }
  }
}

TEST(FlatLaws, TheLongestChainOfSendsIsTheStepsOfTheory) {
  for (const std::string& algorithm : kFlat) {
    for (const Rank n : group_sizes()) {
      for (const Collective collective : sim::symmetric_collectives()) {
        const Job job = job_of(collective, n, 1'000'003);
        if (!serves(algorithm, job)) continue;
        const std::int64_t taken = steps(planned(algorithm, job));
        const std::int64_t theory = flat_steps(algorithm, collective, n);
        if (may_take_fewer_steps(algorithm, n)) {
          EXPECT_LE(taken, theory) << told(algorithm, job);
        } else {
          EXPECT_EQ(taken, theory) << told(algorithm, job);
        }
      }
    }
  }
}

// Every edge of both trees carries half of the bytes each way; who is inside one tree is a leaf of
// the other.
TEST(FlatLaws, DoubleTreeSendsTheLeastInAllAndNobodyMoreThanTwice) {
  for (const Rank n : group_sizes()) {
    const std::int64_t bytes = 32 * 1'000;
    const sim::Schedule schedule = planned("double_tree", job_of(Collective::kAllReduce, n, bytes));
    std::int64_t all = 0;
    for (Rank r = 0; r < n; ++r) {
      EXPECT_LE(schedule.bytes_sent(r).value, 2 * bytes) << "rank " << r << " of " << n;
      all += schedule.bytes_sent(r).value;
    }
    EXPECT_EQ(all, 2 * (std::int64_t{n} - 1) * bytes) << n << " ranks";
  }
}

TEST(FlatLaws, AWindowBoundsTheSendsUnderWayAndChangesNothingElse) {
  for (const std::string algorithm : {"direct", "pairwise"}) {
    for (const Rank n : {2U, 5U, 8U, 17U}) {
      for (const std::uint32_t window : {1U, 3U, 16U}) {
        Job job = job_of(Collective::kAllToAll, n, 1'000'003);
        job.options.window = window;
        expect_right(algorithm, job);
        EXPECT_EQ(steps(planned(algorithm, job)), (n - 1 + window - 1) / window);
      }
    }
  }
}

TEST(FlatLaws, ZeroByteTensorsNeedNoOps) {
  for (const std::string& algorithm : kFlat) {
    for (const Collective collective : sim::symmetric_collectives()) {
      if (!serves(algorithm, job_of(collective, 8, 0))) continue;
      const sim::Schedule schedule = planned(algorithm, job_of(collective, 8, 0));
      EXPECT_EQ(schedule.ops(), 0U);
      EXPECT_FALSE(sim::verify(schedule));
    }
  }
}

TEST(FlatLaws, DirectAndRingServeAllAndRecursiveAPowerOfTwo) {
  for (const Rank n : group_sizes()) {
    for (const Collective collective : sim::symmetric_collectives()) {
      const Job job = job_of(collective, n, 1'000);
      EXPECT_TRUE(serves("direct", job));
      EXPECT_TRUE(serves("ring", job));
      EXPECT_EQ(serves("recursive", job),
                collective == Collective::kAllReduce || std::has_single_bit(n));
    }
  }
}

struct Shape {
  Rank inner;
  Rank outer;
};

// One of each pair is direct, ring or recursive: all pairs would be ten times as many.
bool is_old(const std::string& algorithm) {
  return algorithm == "direct" || algorithm == "ring" || algorithm == "recursive";
}

std::vector<Job> hierarchical_jobs(Shape shape, std::int64_t bytes,
                                   const std::vector<std::uint32_t>& slices) {
  std::vector<Job> jobs;
  for (const Collective collective : sim::symmetric_collectives()) {
    for (const std::string& inner : kFlat) {
      for (const std::string& outer : kFlat) {
        if (!is_old(inner) && !is_old(outer)) continue;
        for (const std::uint32_t count : slices) {
          Job job = job_of(collective, shape.inner * shape.outer, bytes);
          job.options = {shape.inner, inner, outer, count};
          if (serves("hierarchical", job)) jobs.push_back(job);
        }
      }
    }
  }
  return jobs;
}

const std::vector<Shape> kShapes = {{2, 2}, {2, 3}, {3, 2}, {4, 4}, {4, 6},
                                    {5, 3}, {8, 2}, {2, 8}, {6, 6}, {4, 16}};

TEST(HierarchicalLaws, EveryRankEndsWithExactlyTheWantedData) {
  std::size_t checked = 0;
  for (const Shape shape : kShapes) {
    for (const std::int64_t bytes : {1, 17, 1'000'003}) {
      for (const Job& job : hierarchical_jobs(shape, bytes, {1, 3, 4})) {
        expect_right("hierarchical", job);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 1'500U);
}

TEST(HierarchicalLaws, TwoUltraServersEndWithExactlyTheWantedData) {
  for (const Collective collective : sim::symmetric_collectives()) {
    Job job = job_of(collective, 288, 1'000'003);
    job.options = {144, "direct", "ring", 3};
    expect_right("hierarchical", job);
    job.options = {4, "recursive", "direct", 2};
    expect_right("hierarchical", job);
  }
}

std::int64_t hierarchical_steps(const Job& job) {
  const Rank inner = job.options.inner;
  const bool reduces = job.collective == Collective::kAllReduce;
  const std::string& inside = job.options.inner_algorithm;
  return flat_steps(inside, reduces ? Collective::kReduceScatter : job.collective, inner) +
         (reduces ? flat_steps(inside, Collective::kAllGather, inner) : 0) +
         flat_steps(job.options.outer_algorithm, job.collective, job.ranks / inner);
}

// Inside all bytes, across 1/inner of them (all-gather: across 1/inner of the gathered output); an
// all-to-all moves all bytes at each level.
double hierarchical_bytes(const Job& job, Rank rank) {
  const Rank inner = job.options.inner;
  const Rank outer = job.ranks / inner;
  const bool reduces = job.collective == Collective::kAllReduce;
  const Collective inside = reduces ? Collective::kReduceScatter : job.collective;
  const Share in = flat_share(job.options.inner_algorithm, inside, inner, rank % inner);
  const Share out = flat_share(job.options.outer_algorithm, job.collective, outer, rank / inner);
  const auto ratio = [](Share share) {
    return static_cast<double>(share.numerator) / static_cast<double>(share.denominator);
  };
  const double scale = job.collective == Collective::kAllToAll ? 1.0 : 1.0 / inner;
  const auto bytes = static_cast<double>(job.bytes.value);
  return bytes * ((reduces ? 2 : 1) * ratio(in) + scale * ratio(out));
}

// A level whose steps are an upper limit only, or whose ranks send unequal shares.
bool is_uneven(const Job& job) {
  const auto uneven = [](const std::string& algorithm, Rank n) {
    return algorithm == "double_tree" || may_take_fewer_steps(algorithm, n);
  };
  return uneven(job.options.inner_algorithm, job.options.inner) ||
         uneven(job.options.outer_algorithm, job.ranks / job.options.inner);
}

TEST(HierarchicalLaws, BytesAndStepsAreTheSumOfTheLevels) {
  for (const Shape shape : kShapes) {
    for (const Job& job : hierarchical_jobs(shape, 10'000'019, {1, 3})) {
      const sim::Schedule schedule = planned("hierarchical", job);
      if (is_uneven(job)) continue;
      EXPECT_EQ(steps(schedule), hierarchical_steps(job)) << told("hierarchical", job);
      for (Rank r = 0; r < job.ranks; ++r) {
        EXPECT_NEAR(static_cast<double>(schedule.bytes_sent(r).value), hierarchical_bytes(job, r),
                    static_cast<double>(parts_sent(schedule, r)) + 1e-3)
            << told("hierarchical", job) << ", rank " << r;
      }
    }
  }
}

std::vector<Job> torus_jobs(std::int64_t bytes) {
  std::vector<Job> jobs;
  for (const std::vector<Rank>& dimensions : std::vector<std::vector<Rank>>{
           {5}, {2, 3}, {4, 4}, {8, 2}, {2, 2, 2}, {3, 4, 2}, {4, 4, 4}, {16, 9}}) {
    for (const std::string& algorithm : kFlat) {
      for (const Collective collective : sim::symmetric_collectives()) {
        Rank ranks = 1;
        for (const Rank size : dimensions) ranks *= size;
        Job job = job_of(collective, ranks, bytes);
        job.options.dimensions = dimensions;
        job.options.dimension_algorithm = algorithm;
        if (serves("torus", job)) jobs.push_back(job);
      }
    }
  }
  return jobs;
}

TEST(TorusLaws, EveryRankEndsWithExactlyTheWantedData) {
  std::size_t checked = 0;
  for (const std::int64_t bytes : {17, 1'000'003}) {
    for (const Job& job : torus_jobs(bytes)) {
      expect_right("torus", job);
      ++checked;
    }
  }
  EXPECT_GT(checked, 200U);
}

std::int64_t torus_steps(const Job& job) {
  const std::string& along = job.options.dimension_algorithm;
  std::int64_t sum = 0;
  for (const Rank size : job.options.dimensions) {
    if (job.collective != Collective::kAllReduce) {
      sum += flat_steps(along, job.collective, size);
      continue;
    }
    sum += flat_steps(along, Collective::kReduceScatter, size) +
           flat_steps(along, Collective::kAllGather, size);
  }
  return sum;
}

// Scattering by dimensions sends as much as in one piece; an all-to-all moves all once each.
double torus_share(const Job& job) {
  const double n = job.ranks;
  if (job.collective == Collective::kAllReduce) return 2 * (n - 1) / n;
  if (job.collective != Collective::kAllToAll) return (n - 1) / n;
  double sum = 0;
  for (const Rank size : job.options.dimensions) {
    const Share share = flat_share(job.options.dimension_algorithm, job.collective, size, 0);
    sum += static_cast<double>(share.numerator) / static_cast<double>(share.denominator);
  }
  return sum;
}

TEST(TorusLaws, BytesAndStepsAreTheSumOfTheDimensions) {
  for (const Job& job : torus_jobs(10'000'019)) {
    const sim::Schedule schedule = planned("torus", job);
    const auto fewer = [&](Rank size) {
      return may_take_fewer_steps(job.options.dimension_algorithm, size);
    };
    if (std::ranges::none_of(job.options.dimensions, fewer)) {
      EXPECT_EQ(steps(schedule), torus_steps(job)) << told("torus", job);
    }
    for (Rank r = 0; r < job.ranks; ++r) {
      EXPECT_NEAR(static_cast<double>(schedule.bytes_sent(r).value),
                  torus_share(job) * static_cast<double>(job.bytes.value),
                  static_cast<double>(parts_sent(schedule, r)) + 1e-3)
          << told("torus", job) << ", rank " << r;
    }
  }
}

}  // namespace
}  // namespace laws
