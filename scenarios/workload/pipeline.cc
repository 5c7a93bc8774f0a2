// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/pipeline.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "sim/base/check.h"

namespace workload {
namespace {

enum class Work : std::uint8_t { kForward, kBackward, kWeights };

struct Task {
  Work work = Work::kForward;
  std::int64_t chunk = 0;
  std::int64_t batch = 0;
};

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Chunks of a stage in model order.
std::vector<std::int64_t> chunks_of(const Layout& layout, std::int64_t stage) {
  std::vector<std::int64_t> list;
  for (std::int64_t c = 0; c < layout.pipeline * layout.virtual_stages; ++c) {
    if (stage_of_chunk(layout, c) == stage) list.push_back(c);
  }
  return list;
}

bool splits_backward(Schedule schedule) {
  return schedule == Schedule::kZb1p || schedule == Schedule::kZbv ||
         schedule == Schedule::kDualPipeV;
}

// Task number k of the forward (or backward) order of an interleaved stage: rounds of p
// micro-batches through each chunk in turn (Megatron's order).
Task interleaved(const Layout& layout, std::int64_t stage, std::int64_t k, Work work) {
  const std::int64_t p = layout.pipeline;
  const std::int64_t v = layout.virtual_stages;
  const std::int64_t round = k / (p * v);
  const std::int64_t local = k % (p * v) / p;
  const std::int64_t turn = work == Work::kForward ? local : v - 1 - local;
  return {work, turn * p + stage, round * p + k % p};
}

std::vector<Task> fixed_order(const Layout& layout, std::int64_t stage) {
  const std::int64_t m = layout.micro_batches();
  const std::int64_t p = layout.pipeline;
  const std::int64_t v = layout.virtual_stages;
  const std::int64_t all = m * v;
  std::int64_t ahead = p - stage - 1;
  if (layout.schedule == Schedule::kInterleaved && v > 1) ahead = 2 * ahead + (v - 1) * p;
  if (layout.schedule == Schedule::kGpipe) ahead = all;
  ahead = std::min(ahead, all);
  std::vector<Task> order;
  for (std::int64_t k = 0; k < ahead; ++k) {
    order.push_back(interleaved(layout, stage, k, Work::kForward));
  }
  for (std::int64_t k = ahead; k < all; ++k) {
    order.push_back(interleaved(layout, stage, k, Work::kForward));
    order.push_back(interleaved(layout, stage, k - ahead, Work::kBackward));
  }
  for (std::int64_t k = all - ahead; k < all; ++k) {
    order.push_back(interleaved(layout, stage, k, Work::kBackward));
  }
  return order;
}

// Plays tasks; knows when each has ended on each chunk. Lives only during one run.
class Player {
 public:
  Player(const Layout& layout, const std::vector<ChunkTimes>& chunks, std::int64_t send,
         bool blocking)
      : layout_(layout),
        chunks_(chunks),
        send_(send),
        blocking_(blocking),
        batches_(layout.micro_batches()),
        free_(static_cast<std::size_t>(layout.pipeline)),
        work_(free_.size()) {
    const auto tasks = chunks.size() * static_cast<std::size_t>(batches_);
    forward_.assign(tasks, kNever);
    backward_.assign(tasks, kNever);
  }

  // When the inputs of a task are there; kNever while what makes them has not run.
  [[nodiscard]] std::int64_t ready(const Task& task) const {
    const std::int64_t last = static_cast<std::int64_t>(chunks_.size()) - 1;
    switch (task.work) {
      case Work::kForward:
        return task.chunk == 0 ? 0 : arrived(forward_, task, task.chunk - 1);
      case Work::kBackward: {
        const std::int64_t own = at(forward_, task.chunk, task.batch);
        if (task.chunk == last || own == kNever) return own;
        return std::max(own, arrived(backward_, task, task.chunk + 1));
      }
      case Work::kWeights:
        return at(backward_, task.chunk, task.batch);
    }
    return kNever;
  }

  void place(std::int64_t stage, const Task& task, bool split) {
    const auto s = static_cast<std::size_t>(stage);
    const ChunkTimes& times = chunks_[static_cast<std::size_t>(task.chunk)];
    std::int64_t time = times.forward;
    if (task.work == Work::kBackward) time = times.backward - (split ? times.weights : 0);
    if (task.work == Work::kWeights) time = times.weights;
    const std::int64_t end = std::max(free_[s], ready(task)) + time;
    const bool sends = task.work != Work::kWeights && layout_.pipeline > 1;
    free_[s] = end + (blocking_ && sends ? send_ : 0);
    work_[s] += time;
    if (task.work == Work::kForward) slot(forward_, task) = end;
    if (task.work == Work::kBackward) slot(backward_, task) = end;
  }

  [[nodiscard]] std::int64_t free_at(std::int64_t stage) const {
    return free_[static_cast<std::size_t>(stage)];
  }

  [[nodiscard]] PipelineTimes finish() const {
    return {*std::ranges::max_element(free_), *std::ranges::max_element(work_)};
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t chunk, std::int64_t batch) const {
    return static_cast<std::size_t>(chunk * batches_ + batch);
  }
  [[nodiscard]] std::int64_t at(const std::vector<std::int64_t>& ends, std::int64_t chunk,
                                std::int64_t batch) const {
    return ends[index(chunk, batch)];
  }
  std::int64_t& slot(std::vector<std::int64_t>& ends, const Task& task) {
    return ends[index(task.chunk, task.batch)];
  }
  [[nodiscard]] std::int64_t arrived(const std::vector<std::int64_t>& ends, const Task& task,
                                     std::int64_t from) const {
    const std::int64_t end = at(ends, from, task.batch);
    const bool here = stage_of_chunk(layout_, from) == stage_of_chunk(layout_, task.chunk);
    return end == kNever || here ? end : end + send_;
  }

  const Layout& layout_;
  const std::vector<ChunkTimes>& chunks_;
  std::int64_t send_;
  bool blocking_;
  std::int64_t batches_;
  std::vector<std::int64_t> free_;
  std::vector<std::int64_t> work_;
  std::vector<std::int64_t> forward_;  // ends
  std::vector<std::int64_t> backward_;
};

PipelineTimes play_fixed(const Layout& layout, Player& player) {
  std::vector<std::vector<Task>> orders;
  for (std::int64_t s = 0; s < layout.pipeline; ++s) orders.push_back(fixed_order(layout, s));
  std::vector<std::size_t> next(orders.size());
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t s = 0; s < orders.size(); ++s) {
      while (next[s] < orders[s].size() && player.ready(orders[s][next[s]]) != kNever) {
        player.place(static_cast<std::int64_t>(s), orders[s][next[s]], false);
        ++next[s];
        moved = true;
      }
    }
  }
  for (std::size_t s = 0; s < orders.size(); ++s) CHECK(next[s] == orders[s].size());
  return player.finish();
}

// What one stage of a greedy schedule may do next.
class Greedy {
 public:
  Greedy(const Layout& layout, std::int64_t stage)
      : batches_(layout.micro_batches()), chunks_(chunks_of(layout, stage)) {
    const std::int64_t extra = layout.schedule == Schedule::kDualPipeV ? 1 : 0;
    most_ = (layout.pipeline + extra) * static_cast<std::int64_t>(chunks_.size());
    forward_.resize(chunks_.size());
    backward_.resize(chunks_.size());
    weights_.resize(chunks_.size());
  }

  // The task to start at or after `free`, and when; empty when nothing can be said yet.
  struct Choice {
    Task task;
    std::int64_t at = kNever;
    std::size_t chunk = 0;
  };
  [[nodiscard]] Choice choose(const Player& player, std::int64_t free) const {
    Choice best;
    for (const Work work : {Work::kBackward, Work::kForward, Work::kWeights}) {
      for (std::size_t i = chunks_.size(); i-- > 0;) {
        const std::optional<Task> task = next(work, i);
        if (!task) continue;
        const std::int64_t ready = player.ready(*task);
        if (ready == kNever) continue;
        const std::int64_t at = std::max(ready, free);
        if (at < best.at) best = {*task, at, i};
      }
    }
    return best;
  }

  void take(const Choice& choice) {
    auto& counters = choice.task.work == Work::kForward    ? forward_
                     : choice.task.work == Work::kBackward ? backward_
                                                           : weights_;
    ++counters[choice.chunk];
    if (choice.task.work == Work::kForward) ++held_;
    if (choice.task.work == Work::kWeights) --held_;
  }

  [[nodiscard]] bool done() const {
    return std::ranges::all_of(weights_, [&](std::int64_t n) { return n == batches_; });
  }

 private:
  [[nodiscard]] std::optional<Task> next(Work work, std::size_t i) const {
    if (work == Work::kForward) {
      // A slot stays free for the chunks further on, so that what has begun can end.
      const auto later = static_cast<std::int64_t>(chunks_.size() - 1 - i);
      if (forward_[i] == batches_ || held_ + later >= most_) return std::nullopt;
      return Task{work, chunks_[i], forward_[i]};
    }
    if (work == Work::kBackward) {
      if (backward_[i] == forward_[i]) return std::nullopt;
      return Task{work, chunks_[i], backward_[i]};
    }
    if (weights_[i] == backward_[i]) return std::nullopt;
    return Task{work, chunks_[i], weights_[i]};
  }

  std::int64_t batches_;
  std::vector<std::int64_t> chunks_;
  std::int64_t most_ = 0;
  std::int64_t held_ = 0;
  std::vector<std::int64_t> forward_;
  std::vector<std::int64_t> backward_;
  std::vector<std::int64_t> weights_;
};

PipelineTimes play_greedy(const Layout& layout, Player& player) {
  std::vector<Greedy> stages;
  for (std::int64_t s = 0; s < layout.pipeline; ++s) stages.emplace_back(layout, s);
  while (true) {
    Greedy::Choice best;
    std::int64_t stage = -1;
    for (std::int64_t s = 0; s < layout.pipeline; ++s) {
      const Greedy::Choice one =
          stages[static_cast<std::size_t>(s)].choose(player, player.free_at(s));
      if (one.at < best.at) best = one, stage = s;
    }
    if (stage < 0) break;
    player.place(stage, best.task, true);
    stages[static_cast<std::size_t>(stage)].take(best);
  }
  for (const Greedy& one : stages) CHECK(one.done());
  return player.finish();
}

}  // namespace

PipelineTimes run_pipeline(const Layout& layout, const std::vector<ChunkTimes>& chunks,
                           std::int64_t send, bool blocking) {
  CHECK(static_cast<std::int64_t>(chunks.size()) == layout.pipeline * layout.virtual_stages);
  Player player(layout, chunks, send, blocking);
  return splits_backward(layout.schedule) ? play_greedy(layout, player)
                                          : play_fixed(layout, player);
}

PipelineTimes estimate_pipeline(const Layout& layout, const std::vector<ChunkTimes>& chunks,
                                std::int64_t send) {
  std::int64_t slowest = 0;
  ChunkTimes worst;
  for (std::int64_t stage = 0; stage < layout.pipeline; ++stage) {
    ChunkTimes sum;
    for (const std::int64_t chunk : chunks_of(layout, stage)) {
      const ChunkTimes& one = chunks[static_cast<std::size_t>(chunk)];
      sum.forward += one.forward;
      sum.backward += one.backward;
      sum.weights += one.weights;
    }
    if (sum.forward + sum.backward <= slowest) continue;
    slowest = sum.forward + sum.backward;
    worst = sum;
  }
  const std::int64_t busiest = slowest * layout.micro_batches();
  std::int64_t each = slowest / layout.virtual_stages;
  if (layout.schedule == Schedule::kZb1p) each = slowest - 2 * worst.weights;
  if (layout.schedule == Schedule::kZbv || layout.schedule == Schedule::kDualPipeV) {
    each = (slowest - 3 * worst.weights) / 2;
  }
  const std::int64_t hops = (layout.pipeline - 1) * (std::max<std::int64_t>(each, 0) + 2 * send);
  return {busiest + hops, busiest};
}

}  // namespace workload
