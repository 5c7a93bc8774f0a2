// SPDX-License-Identifier: GPL-2.0-only
// Schedules against the closed forms of their bubbles.
#include "scenarios/workload/pipeline.h"

#include <gtest/gtest.h>

namespace workload {
namespace {

Layout pipeline(Schedule schedule, std::int64_t stages, std::int64_t virtual_stages,
                std::int64_t batches) {
  Layout layout;
  layout.schedule = schedule;
  layout.pipeline = stages;
  layout.virtual_stages = virtual_stages;
  layout.global_batch = batches;
  return layout;
}

std::vector<ChunkTimes> chunks(const Layout& layout, std::int64_t forward, std::int64_t backward,
                               std::int64_t weights) {
  const auto count = static_cast<std::size_t>(layout.pipeline * layout.virtual_stages);
  const std::int64_t v = layout.virtual_stages;
  return std::vector<ChunkTimes>(count, {forward / v, backward / v, weights / v});
}

// Time beyond the work of the busiest stage, F = 120, B = 240, W = 120.
std::int64_t bubble(const Layout& layout) {
  const PipelineTimes times = run_pipeline(layout, chunks(layout, 120, 240, 120), 0, false);
  EXPECT_EQ(times.busiest, layout.micro_batches() * 360);
  return times.total - times.busiest;
}

TEST(Pipeline, Of1F1BAndGPipeHasTheBubbleOfPMinusOne) {
  for (const std::int64_t p : {2, 4, 7}) {
    EXPECT_EQ(bubble(pipeline(Schedule::k1f1b, p, 1, 3 * p)), (p - 1) * 360) << p;
    EXPECT_EQ(bubble(pipeline(Schedule::kGpipe, p, 1, 3 * p)), (p - 1) * 360) << p;
  }
}

TEST(Pipeline, InterleavedHasItDividedByTheChunks) {
  for (const std::int64_t v : {2, 3, 4}) {
    EXPECT_EQ(bubble(pipeline(Schedule::kInterleaved, 4, v, 16)), 3 * 360 / v) << v;
  }
}

TEST(Pipeline, OfOneStageHasNone) { EXPECT_EQ(bubble(pipeline(Schedule::k1f1b, 1, 1, 5)), 0); }

// Zero bubble: (p-1)(F+B-2W) for ZB1P; folded schedules do as well or better.
TEST(Pipeline, SplitBackwardLeavesLessThan1F1B) {
  const std::int64_t plain = bubble(pipeline(Schedule::k1f1b, 4, 1, 16));
  const std::int64_t split = bubble(pipeline(Schedule::kZb1p, 4, 1, 16));
  const std::int64_t folded = bubble(pipeline(Schedule::kZbv, 4, 2, 16));
  const std::int64_t dual = bubble(pipeline(Schedule::kDualPipeV, 4, 2, 16));
  EXPECT_EQ(plain, 3 * 360);
  EXPECT_GE(split, 3 * 120);
  EXPECT_LE(split, plain * 2 / 3);
  EXPECT_LE(folded, split);
  EXPECT_LE(dual, split);
}

TEST(Pipeline, WaitsForSends) {
  const Layout layout = pipeline(Schedule::k1f1b, 4, 1, 16);
  const std::vector<ChunkTimes> times = chunks(layout, 120, 240, 120);
  const PipelineTimes none = run_pipeline(layout, times, 0, false);
  const PipelineTimes some = run_pipeline(layout, times, 10, false);
  const PipelineTimes blocking = run_pipeline(layout, times, 10, true);
  EXPECT_EQ(none.total, 16 * 360 + 3 * 360);
  EXPECT_GE(some.total, none.total + 2 * 3 * 10);
  EXPECT_GE(blocking.total, some.total);
}

TEST(Pipeline, IsSetByItsSlowestStage) {
  const Layout layout = pipeline(Schedule::k1f1b, 3, 1, 30);
  std::vector<ChunkTimes> times = chunks(layout, 100, 200, 100);
  times[1] = {200, 400, 200};
  const PipelineTimes played = run_pipeline(layout, times, 0, false);
  EXPECT_EQ(played.busiest, 30 * 600);
  EXPECT_GE(played.total, 30 * 600 + 300);
  EXPECT_LE(played.total, 30 * 600 + 2 * 300);
}

TEST(Pipeline, EstimateMeetsThePlayedTimeWhereStagesAreEqual) {
  for (const Layout& layout :
       {pipeline(Schedule::k1f1b, 4, 1, 16), pipeline(Schedule::kInterleaved, 4, 2, 16)}) {
    const std::vector<ChunkTimes> times = chunks(layout, 120, 240, 120);
    EXPECT_EQ(estimate_pipeline(layout, times, 0).total,
              run_pipeline(layout, times, 0, false).total);
  }
}

}  // namespace
}  // namespace workload
