// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenarios/workload/layer_sizes.h"
#include "sim/base/check.h"

namespace workload {
namespace {

// Bytes that Adam moves for one parameter: reads gradient, master and two moments, writes master,
// moments and the rounded weight.
constexpr std::int64_t kOptimizerBytes = 16 + 14;

double d(std::int64_t value) { return static_cast<double>(value); }

// One direction of one or more layers, or of an end of the model.
struct Cost {
  std::int64_t time = 0;
  std::int64_t compute = 0;
  std::int64_t weights = 0;
  std::int64_t tail = 0;  // collectives still running when compute ends
  ByPurpose exposed{};
  ByPurpose total{};
  std::array<TierBytes, kPurposes> sent{};
  double flops = 0;
  double recomputed = 0;

  void add(const Cost& other, std::int64_t times) {
    time += times * other.time;
    compute += times * other.compute;
    weights += times * other.weights;
    tail = std::max(tail, other.tail);
    flops += d(times) * other.flops;
    recomputed += d(times) * other.recomputed;
    for (std::size_t i = 0; i < kPurposes; ++i) {
      exposed[i] += times * other.exposed[i];
      total[i] += times * other.total[i];
      for (std::size_t t = 0; t < kMostTiers; ++t) sent[i][t] += times * other.sent[i][t];
    }
  }
};

Cost cost_of(const Program& program, const LaneTimes& times) {
  Cost cost;
  cost.time = times.compute_end;
  cost.compute = times.compute;
  cost.weights = program.weight_time;
  cost.tail = times.last_end - times.compute_end;
  cost.exposed = times.exposed;
  cost.total = times.total;
  cost.sent = program.sent;
  cost.flops = program.flops;
  cost.recomputed = program.recomputed;
  return cost;
}

// Works a step out. Lives only during `evaluate`.
class Evaluator {
 public:
  Evaluator(const Model& model, const Layout& layout, const Machine& machine, Depth depth)
      : model_(model),
        layout_(layout),
        machine_(machine),
        depth_(depth),
        roofline_(*machine.chip, machine.ranks_per_chip),
        inputs_{&model, &layout, &roofline_, machine.price},
        groups_(groups_of(layout)) {}

  Step run() {
    cost_chunks();
    pipe();
    if (training()) {
      synchronise();
      optimise();
    }
    finish();
    return std::move(step_);
  }

 private:
  [[nodiscard]] bool training() const { return layout_.phase == Phase::kTraining; }

  Cost play_program(const Program& program, std::int64_t times_in_step) {
    note(program, times_in_step);
    return cost_of(program, play(program.ops, roofline_.beside()));
  }

  // Lines for the table of collectives, equal ones together.
  void note(const Program& program, std::int64_t times_in_step) {
    if (depth_ == Depth::kEstimate || times_in_step == 0) return;
    for (const Collected& one : program.collectives) {
      add_line(one.purpose, one.what, one.move, one.group, one.bytes, times_in_step);
    }
  }

  void add_line(Purpose purpose, std::string_view what, Move move, const Group& group,
                std::int64_t bytes, std::int64_t times) {
    for (CollectiveLine& line : step_.lines) {
      if (line.purpose == purpose && line.what == what && line.move == move &&
          line.bytes == bytes) {
        line.times += times;
        return;
      }
    }
    const Price price = machine_.price->price(move, group, bytes, 1);
    step_.lines.push_back(
        {purpose, what, move, group.size(), bytes, times, price.time.value, price.algorithm});
  }

  // `count` layers: one after another when nothing runs ahead, else from the difference that a
  // third layer makes.
  Cost layers(const LayerClass& kind, std::int64_t count, bool backward) {
    const auto program = [&](std::int64_t repeats) {
      return backward ? backward_layers(inputs_, kind, repeats)
                      : forward_layers(inputs_, kind, repeats);
    };
    const Program one = program(1);
    const std::int64_t noted = count * layout_.micro_batches();
    Cost first = play_program(one, counted_ ? noted : 0);
    if (!runs_ahead(one)) {
      Cost sum;
      sum.add(first, count);
      return sum;
    }
    if (count == 1) return first;
    const Program two = program(2);
    const Cost second = cost_of(two, play(two.ops, roofline_.beside()));
    if (count == 2) return second;
    const Program three = program(3);
    Cost sum = cost_of(three, play(three.ops, roofline_.beside()));
    Cost further = sum;
    further.add(second, -1);
    further.tail = 0;
    sum.add(further, count - 3);
    return sum;
  }

  // Dispatch and combine of one micro-batch beside compute of another: one layer forward and one
  // backward on the same lanes.
  void overlap_batches(const LayerClass& kind, Cost& forward, Cost& backward) const {
    const Program one = forward_layers(inputs_, kind, 1);
    const Program other = backward_layers(inputs_, kind, 1);
    const LaneTimes both = play_both(one.ops, other.ops, roofline_.beside());
    const LaneTimes alone = play(one.ops, roofline_.beside());
    const LaneTimes other_alone = play(other.ops, roofline_.beside());
    const std::int64_t apart = alone.compute_end + other_alone.compute_end;
    const double kept = std::min(d(both.compute_end) / d(apart), 1.0);
    const ByPurpose before = [&] {
      ByPurpose sum = alone.exposed;
      for (std::size_t i = 0; i < kPurposes; ++i) sum[i] += other_alone.exposed[i];
      return sum;
    }();
    for (Cost* cost : {&forward, &backward}) {
      cost->time = std::llround(d(cost->time) * kept);
      cost->weights = std::llround(d(cost->weights) * kept);
      for (std::size_t i = 0; i < kPurposes; ++i) {
        const double part = before[i] > 0 ? std::min(d(both.exposed[i]) / d(before[i]), 1.0) : 1;
        cost->exposed[i] = std::llround(d(cost->exposed[i]) * part);
      }
    }
  }

  void cost_chunks() {
    const std::int64_t chunks = layout_.pipeline * layout_.virtual_stages;
    // Chunks with equal layers cost the same: look for one before.
    std::vector<std::vector<LayerClass>> seen;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      const LayerRange range = chunk_layers(model_, layout_, chunk);
      std::vector<LayerClass> classes = layer_classes(model_, range.first, range.last);
      const bool first = chunk == 0;
      const bool last = chunk + 1 == chunks;
      const auto same = std::ranges::find_if(seen, [&](const std::vector<LayerClass>& other) {
        return std::ranges::equal(other, classes, [](const LayerClass& a, const LayerClass& b) {
          return a.moe == b.moe && a.windowed == b.windowed && a.count == b.count;
        });
      });
      const auto before = static_cast<std::size_t>(same - seen.begin());
      const bool known = same != seen.end();
      Cost forward = known ? plain_forward_[before] : direction(classes, false);
      Cost backward = known        ? plain_backward_[before]
                      : training() ? direction(classes, true)
                                   : Cost{};
      if (!known && layout_.overlap_of(Purpose::kExpert) == Overlap::kChunked && training()) {
        for (const LayerClass& one : classes) {
          if (one.moe) overlap_batches(one, forward, backward);
        }
      }
      if (!known) {
        seen.push_back(std::move(classes));
        plain_forward_.push_back(forward);
        plain_backward_.push_back(backward);
      }
      add_ends(first, last, forward, backward);
      forward_.push_back(forward);
      backward_.push_back(backward);
    }
  }

  Cost direction(const std::vector<LayerClass>& classes, bool backward) {
    Cost sum;
    for (const LayerClass& one : classes) sum.add(layers(one, one.count, backward), 1);
    if (backward || !training()) counted_ = false;  // the table shows the first chunk
    return sum;
  }

  void add_ends(bool first, bool last, Cost& forward, Cost& backward) {
    const std::int64_t m = layout_.micro_batches();
    if (first) forward.add(play_program(embedding_forward(inputs_), m), 1);
    if (last) forward.add(play_program(head_forward(inputs_), m), 1);
    if (!training()) return;
    if (last) backward.add(play_program(head_backward(inputs_), m), 1);
    if (first) backward.add(play_program(embedding_backward(inputs_), m), 1);
    if (!last || model_.predicted_layers == 0) return;
    const LayerClass kind{model_.is_moe(), false, 1};
    for (std::int64_t i = 0; i < model_.predicted_layers; ++i) {
      forward.add(cost_of_one(kind, false), 1);
      backward.add(cost_of_one(kind, true), 1);
      forward.add(play_program(head_forward(inputs_), m), 1);
      backward.add(play_program(head_backward(inputs_), m), 1);
    }
  }

  [[nodiscard]] Cost cost_of_one(const LayerClass& kind, bool backward) const {
    const Program program =
        backward ? backward_layers(inputs_, kind, 1) : forward_layers(inputs_, kind, 1);
    return cost_of(program, play(program.ops, roofline_.beside()));
  }

  [[nodiscard]] std::int64_t boundary_bytes() const {
    const std::int64_t divided = layout_.sequence_parallel ? layout_.tensor : 1;
    return bytes_of(layout_.dtype.activations, layout_.tokens() * model_.hidden / divided);
  }

  void pipe() {
    std::vector<ChunkTimes> times;
    for (std::size_t i = 0; i < forward_.size(); ++i) {
      times.push_back({forward_[i].time, backward_[i].time, backward_[i].weights});
    }
    const bool alone = layout_.pipeline == 1;
    const Price send = machine_.price->price(Move::kShift, groups_.stages, boundary_bytes(), 1);
    const std::int64_t hop = alone ? 0 : send.time.value;
    find_busiest();
    const std::int64_t m = layout_.micro_batches();
    if (!training()) {
      // The batch passes the stages one after another.
      std::int64_t sum = hop * (layout_.pipeline * layout_.virtual_stages - 1);
      for (const Cost& one : forward_) sum += one.time;
      step_.total = sum;
      step_.exposed[index(Purpose::kPipeline)] =
          hop * (layout_.pipeline * layout_.virtual_stages - 1);
      stage_.add({}, 0);
    } else {
      pipe_training(times, hop);
    }
    const std::int64_t sends = alone ? 0 : layout_.virtual_stages * m * (training() ? 2 : 1);
    step_.collectives[index(Purpose::kPipeline)] += sends * hop;
    for (std::size_t t = 0; t < kMostTiers; ++t) {
      step_.sent[index(Purpose::kPipeline)][t] += sends * send.sent[t];
    }
    if (sends > 0 && depth_ == Depth::kExact) {
      add_line(Purpose::kPipeline, "to the next stage", Move::kShift, groups_.stages,
               boundary_bytes(), sends);
    }
    add_stage(m);
  }

  void pipe_training(const std::vector<ChunkTimes>& times, std::int64_t hop) {
    const bool blocking = layout_.overlap_of(Purpose::kPipeline) == Overlap::kBlocking;
    PipelineTimes with;
    PipelineTimes without;
    if (depth_ == Depth::kExact) {
      with = run_pipeline(layout_, times, hop, blocking);
      without = run_pipeline(layout_, times, 0, false);
    } else {
      with = estimate_pipeline(layout_, times, hop);
      without = estimate_pipeline(layout_, times, 0);
    }
    step_.total = with.total;
    const std::int64_t sends = std::max<std::int64_t>(with.total - without.total, 0);
    step_.exposed[index(Purpose::kPipeline)] += sends;
    step_.bubble = with.total - sends - with.busiest;
  }

  static std::size_t index(Purpose purpose) { return static_cast<std::size_t>(purpose); }

  void find_busiest() {
    std::int64_t most = -1;
    for (std::int64_t stage = 0; stage < layout_.pipeline; ++stage) {
      Cost sum;
      for (std::size_t c = 0; c < forward_.size(); ++c) {
        if (stage_of_chunk(layout_, static_cast<std::int64_t>(c)) != stage) continue;
        sum.add(forward_[c], 1);
        sum.add(backward_[c], 1);
      }
      if (sum.time <= most) continue;
      most = sum.time;
      stage_ = sum;
      step_.busiest_stage = stage;
    }
    if (training()) return;
    stage_ = {};  // serving: what one batch meets on its way through all stages
    for (const Cost& one : forward_) stage_.add(one, 1);
  }

  void add_stage(std::int64_t m) {
    step_.compute += stage_.compute * m;
    for (std::size_t i = 0; i < kPurposes; ++i) {
      step_.exposed[i] += stage_.exposed[i] * m;
      step_.collectives[i] += stage_.total[i] * m;
      for (std::size_t t = 0; t < kMostTiers; ++t) step_.sent[i][t] += stage_.sent[i][t] * m;
    }
    step_.recomputed_share = stage_.flops > 0 ? stage_.recomputed / stage_.flops : 0;
  }

  // Parameters that a rank of the busiest stage holds before data sharding.
  void count_parameters() {
    const std::int64_t chunks = layout_.pipeline * layout_.virtual_stages;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
      if (stage_of_chunk(layout_, chunk) != step_.busiest_stage) continue;
      const LayerRange range = chunk_layers(model_, layout_, chunk);
      layers_ += range.last - range.first;
      for (const LayerClass& one : layer_classes(model_, range.first, range.last)) {
        dense_ += one.count * dense_on_rank(model_, layout_, one.moe);
        if (one.moe) experts_ += one.count * experts_on_rank(model_, layout_);
      }
      if (chunk == 0) ends_ += embedding_parameters(model_) / layout_.tensor;
      if (chunk + 1 == chunks) ends_ += head_parameters(model_) / layout_.tensor;
    }
  }

  // One collective of data parallelism outside the layers; its time.
  std::int64_t of_step(Move move, const Group& group, std::int64_t bytes, const char* what) {
    if (group.size() <= 1 || bytes <= 0) return 0;
    const Price price = machine_.price->price(move, group, bytes, 1);
    const std::size_t data = index(Purpose::kData);
    step_.collectives[data] += price.time.value;
    for (std::size_t t = 0; t < kMostTiers; ++t) step_.sent[data][t] += price.sent[t];
    if (depth_ == Depth::kExact) add_line(Purpose::kData, what, move, group, bytes, 1);
    return price.time.value;
  }

  // What is left of `time` after hiding behind the layers of one pass, bucket by bucket.
  [[nodiscard]] std::int64_t left_of(std::int64_t time, std::int64_t pass) const {
    if (layout_.overlap_of(Purpose::kData) == Overlap::kBlocking) return time;
    const std::int64_t buckets = std::max<std::int64_t>(layers_, 1);
    return std::max(time / buckets, time - pass * (buckets - 1) / buckets);
  }

  void synchronise() {
    count_parameters();
    const bool whole = layout_.sharding == Sharding::kNone;
    const bool sharded = layout_.sharding == Sharding::kParameters;
    const bool in_layers = sharded || layout_.sharding == Sharding::kGradients;
    const std::int64_t dense = in_layers ? ends_ : dense_ + ends_;
    const std::int64_t experts = in_layers ? 0 : experts_;
    const Move reduce = whole ? Move::kAllReduce : Move::kReduceScatter;
    const auto grads = [&](std::int64_t n) { return bytes_of(layout_.dtype.gradients, n); };
    const auto weights = [&](std::int64_t n) { return bytes_of(layout_.dtype.weights, n); };
    std::int64_t out = of_step(reduce, groups_.shard, grads(dense), "gradients");
    out += of_step(reduce, groups_.expert_shard, grads(experts), "gradients of experts");
    const std::int64_t over = whole ? 1 : groups_.shard.size();
    const std::int64_t experts_over = whole ? 1 : groups_.expert_shard.size();
    out += of_step(Move::kAllReduce, groups_.replicate, grads((dense_ + ends_) / over),
                   "gradients over replicas");
    out += of_step(Move::kAllReduce, groups_.expert_replicate, grads(experts_ / experts_over),
                   "gradients of experts over replicas");
    std::int64_t in = 0;
    if (!whole) {
      in += of_step(Move::kAllGather, groups_.shard, weights(sharded ? ends_ : dense_ + ends_),
                    "parameters");
      in += of_step(Move::kAllGather, groups_.expert_shard, weights(sharded ? 0 : experts_),
                    "parameters of experts");
    }
    std::int64_t exposed = left_of(out, pass(backward_)) + left_of(in, pass(forward_));
    exposed += of_step(Move::kAllReduce, groups_.shard, 16, "norm of gradients, loss");
    exposed += stage_.tail;
    step_.exposed[index(Purpose::kData)] += exposed;
    step_.total += exposed;
    replicated_gradients();
  }

  // One micro-batch on the busiest stage.
  [[nodiscard]] std::int64_t pass(const std::vector<Cost>& costs) const {
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < costs.size(); ++c) {
      const auto chunk = static_cast<std::int64_t>(c);
      if (stage_of_chunk(layout_, chunk) == step_.busiest_stage) sum += costs[c].time;
    }
    return sum;
  }

  // Norms and routers are whole on every tensor rank; with sequence parallelism their gradients are
  // parts. A tied table is summed over the ends of the pipeline.
  void replicated_gradients() {
    std::int64_t time = 0;
    const auto sum_over = [&](const Group& group, std::int64_t elements, const char* what) {
      if (group.size() <= 1 || elements == 0) return;
      const std::int64_t bytes = bytes_of(layout_.dtype.gradients, elements);
      const Price price = machine_.price->price(Move::kAllReduce, group, bytes, 1);
      time += price.time.value;
      for (std::size_t t = 0; t < kMostTiers; ++t) {
        step_.sent[index(Purpose::kTensor)][t] += price.sent[t];
      }
      step_.collectives[index(Purpose::kTensor)] += price.time.value;
      if (depth_ == Depth::kExact) {
        add_line(Purpose::kTensor, what, Move::kAllReduce, group, bytes, 1);
      }
    };
    if (layout_.sequence_parallel) {
      sum_over(groups_.tensor, layers_ * layer_parameters(model_, model_.is_moe()).replicated,
               "gradients of norms and routers");
    }
    step_.exposed[index(Purpose::kTensor)] += time;
    step_.total += time;
  }

  void optimise() {
    const bool sharded = layout_.sharding != Sharding::kNone;
    const std::int64_t over = sharded ? groups_.shard.size() : 1;
    const std::int64_t experts_over = sharded ? groups_.expert_shard.size() : 1;
    const double own = d(dense_ + ends_) / d(over) + d(experts_) / d(experts_over);
    step_.optimizer = roofline_.stream(own * d(kOptimizerBytes));
    step_.compute += step_.optimizer;
    step_.total += step_.optimizer;
  }

  void finish() {
    const double batch =
        training() ? d(layout_.global_batch) : d(layout_.micro_batch * layout_.data());
    const double each =
        layout_.phase == Phase::kDecode ? d(layout_.speculative) : d(layout_.sequence);
    step_.tokens = batch * each;
    if (training()) {
      step_.model_flops = step_.tokens * megatron_flops(model_, layout_.sequence);
      step_.all_flops = step_.tokens * torchtitan_flops(model_, layout_.sequence);
    } else {
      const bool decode = layout_.phase == Phase::kDecode;
      step_.model_flops = step_.tokens * token_flops(model_, layout_.sequence, !decode).sum();
      step_.all_flops = step_.tokens * token_flops(model_, layout_.sequence, false).sum();
    }
    step_.memory = memory_of(model_, layout_, machine_.chip->memory / machine_.ranks_per_chip,
                             machine_.margin);
  }

  const Model& model_;
  const Layout& layout_;
  const Machine& machine_;
  Depth depth_;
  Roofline roofline_;
  StepInputs inputs_;
  Groups groups_;
  bool counted_ = true;
  std::vector<Cost> plain_forward_;  // of each kind of chunk, without the ends
  std::vector<Cost> plain_backward_;
  std::vector<Cost> forward_;  // by chunk
  std::vector<Cost> backward_;
  Cost stage_;  // one micro-batch on the busiest stage
  std::int64_t layers_ = 0;
  std::int64_t dense_ = 0;
  std::int64_t experts_ = 0;
  std::int64_t ends_ = 0;
  Step step_;
};

}  // namespace

std::int64_t Step::exposed_sum() const {
  return std::accumulate(exposed.begin(), exposed.end(), std::int64_t{0});
}

std::int64_t Step::collectives_sum() const {
  return std::accumulate(collectives.begin(), collectives.end(), std::int64_t{0});
}

double Step::tokens_per_second(std::int64_t chips) const {
  return total == 0 ? 0 : tokens / d(total) * 1e12 / d(chips);
}

double Step::flops_per_second(std::int64_t chips) const {
  return total == 0 ? 0 : model_flops / d(total) * 1e12 / d(chips);
}

Step evaluate(const Model& model, const Layout& layout, const Machine& machine, Depth depth) {
  CHECK(machine.chip != nullptr && machine.price != nullptr);
  return Evaluator(model, layout, machine, depth).run();
}

}  // namespace workload
