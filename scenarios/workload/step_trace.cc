// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/workload/step_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <ranges>
#include <vector>

#include "analysis/trace.h"
#include "scenarios/workload/layer_program.h"
#include "scenarios/workload/step.h"

namespace workload {
namespace {

using analysis::TraceArgument;
using analysis::TraceWriter;

// One process of the trace: a micro-batch, program after program.
class MicroBatch {
 public:
  MicroBatch(TraceWriter& trace, const StepInputs& inputs, std::string_view name)
      : trace_(trace),
        inputs_(inputs),
        process_(trace.process(name)),
        layers_(trace.thread(process_, "layers")),
        compute_(trace.thread(process_, "compute")) {}

  void add(const Program& program, std::string_view what) {
    std::vector<Exposed> exposed;
    const LaneTimes times = play(program.ops, inputs_.roofline->beside(), &exposed);
    trace_.span(process_, layers_, what, "layer", now_, now_ + times.compute_end, {});
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
      if (times.end[i] == times.begin[i]) continue;
      add_op(program, program.ops[i], now_ + times.begin[i], now_ + times.end[i]);
    }
    for (const Exposed& one : exposed) {
      trace_.span(process_, stream(one.purpose, true), "compute waits", "exposed", now_ + one.begin,
                  now_ + one.end, {});
    }
    now_ += times.compute_end;
  }

 private:
  void add_op(const Program& program, const LaneOp& op, std::int64_t begin, std::int64_t end) {
    if (op.lane == 0) return trace_.span(process_, compute_, "compute", "compute", begin, end, {});
    const Collected& one = program.collectives[static_cast<std::size_t>(op.collective)];
    const std::vector<TraceArgument> arguments{{"collective", std::string(name_of(one.move))},
                                               {"ranks", fmt::format("{}", one.group.size())},
                                               {"bytes", fmt::format("{}", one.bytes)}};
    const auto purpose = static_cast<Purpose>(op.lane - 1);
    trace_.span(process_, stream(purpose, false), one.what, name_of(purpose), begin, end,
                arguments);
  }

  // A purpose has threads once something runs for it.
  int stream(Purpose purpose, bool exposed) {
    std::optional<int>& thread = (exposed ? exposed_ : streams_)[static_cast<std::size_t>(purpose)];
    if (!thread) {
      thread =
          trace_.thread(process_, fmt::format("{}{}", name_of(purpose), exposed ? " exposed" : ""));
    }
    return *thread;
  }

  TraceWriter& trace_;
  const StepInputs& inputs_;
  int process_;
  int layers_;
  int compute_;
  std::array<std::optional<int>, kPurposes> streams_;
  std::array<std::optional<int>, kPurposes> exposed_;
  std::int64_t now_ = 0;
};

std::string name_of_layers(const LayerClass& kind, bool backward, std::int64_t count) {
  return fmt::format("{} {}{}{}", backward ? "backward" : "forward",
                     kind.moe ? "MoE layer" : "dense layer", kind.windowed ? ", windowed" : "",
                     count > 1 ? fmt::format(" x {}", count) : "");
}

// Layers one by one, or all of a class at once where their collectives run ahead into the next.
void add_layers(MicroBatch& batch, const StepInputs& inputs, const LayerClass& kind,
                bool backward) {
  const auto program = [&](std::int64_t repeats) {
    return backward ? backward_layers(inputs, kind, repeats)
                    : forward_layers(inputs, kind, repeats);
  };
  const Program one = program(1);
  if (runs_ahead(one) && kind.count > 1) {
    return batch.add(program(kind.count), name_of_layers(kind, backward, kind.count));
  }
  for (std::int64_t i = 0; i < kind.count; ++i) batch.add(one, name_of_layers(kind, backward, 1));
}

struct Chunk {
  std::vector<LayerClass> classes;
  bool first = false;
  bool last = false;
};

std::vector<Chunk> chunks_of(const Model& model, const Layout& layout, std::int64_t stage) {
  std::vector<Chunk> chunks;
  const std::int64_t count = layout.pipeline * layout.virtual_stages;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool training = layout.phase == Phase::kTraining;
    if (training && stage_of_chunk(layout, i) != stage) continue;
    const LayerRange range = chunk_layers(model, layout, i);
    chunks.push_back({layer_classes(model, range.first, range.last), i == 0, i + 1 == count});
    if (chunks.back().last && model.predicted_layers > 0 && training) {
      chunks.back().classes.push_back({model.is_moe(), false, model.predicted_layers});
    }
  }
  return chunks;
}

void add_micro_batch(MicroBatch& batch, const StepInputs& inputs, const Chunk& chunk) {
  if (chunk.first) batch.add(embedding_forward(inputs), "embedding");
  for (const LayerClass& kind : chunk.classes) add_layers(batch, inputs, kind, false);
  if (chunk.last) batch.add(head_forward(inputs), "head");
  if (inputs.layout->phase != Phase::kTraining) return;
  if (chunk.last) batch.add(head_backward(inputs), "head, backward");
  for (const LayerClass& kind : std::views::reverse(chunk.classes)) {
    add_layers(batch, inputs, kind, true);
  }
  if (chunk.first) batch.add(embedding_backward(inputs), "embedding, backward");
}

// Where the whole step goes, end to end: not in the order in which it happens.
void add_parts(TraceWriter& trace, const Step& step, const std::string& name) {
  const int process = trace.process(name + "the whole step, its parts end to end");
  const int thread = trace.thread(process, "parts");
  std::int64_t at = 0;
  const auto part = [&](std::string_view what, std::int64_t time) {
    if (time <= 0) return;
    trace.span(process, thread, what, "part", at, at + time, {});
    at += time;
  };
  part("compute", step.compute - step.optimizer);
  for (std::size_t i = 0; i < kPurposes; ++i) {
    part(fmt::format("{} exposed", name_of(static_cast<Purpose>(i))), step.exposed[i]);
  }
  part("pipeline bubble", step.bubble);
  part("optimiser", step.optimizer);
}

void trace_point(TraceWriter& trace, const ModelScenario& scenario, const Point& point,
                 const Machine& machine) {
  const Layout& layout = *point.layout;
  const Step step = evaluate(scenario.model, layout, machine, Depth::kExact);
  const Roofline roofline(*machine.chip, machine.ranks_per_chip);
  const StepInputs inputs{&scenario.model, &layout, &roofline, machine.price};
  const std::string name = point.name.empty() ? "" : point.name + ": ";
  add_parts(trace, step, name);
  const bool overlapped = layout.overlap_of(Purpose::kExpert) == Overlap::kChunked;
  MicroBatch batch(trace, inputs,
                   fmt::format("{}one of {} micro-batches{}", name, layout.micro_batches(),
                               overlapped ? ", alone (in the step they overlap each other)" : ""));
  for (const Chunk& chunk : chunks_of(scenario.model, layout, step.busiest_stage)) {
    add_micro_batch(batch, inputs, chunk);
  }
}

}  // namespace

std::string step_trace(const ModelScenario& scenario) {
  const std::unique_ptr<CollectivePrice> price = scenario.chosen_price();
  const Machine machine = scenario.machine(*price);
  TraceWriter trace;
  bool any = false;
  for (const Point& point : scenario.points) {
    if (!point.layout) continue;
    any = true;
    trace_point(trace, scenario, point, machine);
  }
  return any ? std::move(trace).finish() : std::string();
}

}  // namespace workload
