// SPDX-License-Identifier: GPL-2.0-only
// The order in which the stages of a pipeline work, and how long it takes. GPipe, 1F1B and
// interleaved 1F1B follow their fixed orders (arXiv 2104.04473); ZB1P, ZBV and DualPipeV split the
// backward pass (2401.10241, 2405.15362) and take what is ready: input gradients first, then
// forward as far as memory allows, weight gradients when nothing else can run. The schedules'
// authors place a few operations better by hand.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/workload/layout.h"

namespace workload {

// Times in ps of one micro-batch on one chunk; `weights`: the part of `backward` for weight
// gradients.
struct ChunkTimes {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  std::int64_t weights = 0;
};

struct PipelineTimes {
  std::int64_t total = 0;
  std::int64_t busiest = 0;  // work of the stage that works longest
};

// `chunks`: by chunk, in model order. `send`: from one stage to the next. `blocking`: a stage does
// nothing else while it sends.
[[nodiscard]] PipelineTimes run_pipeline(const Layout& layout,
                                         const std::vector<ChunkTimes>& chunks, std::int64_t send,
                                         bool blocking);

// Closed forms of the bubble: (p-1)(F+B) for GPipe and 1F1B, that / v when interleaved,
// (p-1)(F+B-2W) for ZB1P, (p-1)(F+B-3W) for the folded schedules, not below 0; with the slowest
// stage's times. For searches, where steps are too many to be played.
[[nodiscard]] PipelineTimes estimate_pipeline(const Layout& layout,
                                              const std::vector<ChunkTimes>& chunks,
                                              std::int64_t send);

}  // namespace workload
