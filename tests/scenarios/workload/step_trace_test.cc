// SPDX-License-Identifier: GPL-2.0-only
// The timeline tells the same as the step: exposed time is the union of the moments in which a
// collective runs and compute stands still.
#include "scenarios/workload/step_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "scenarios/workload/step.h"

namespace workload {
namespace {

ModelScenario scenario_of(const std::string& phase, const std::string& layout) {
  const LoadedModel loaded = load_model_text(
      "scenario: traced\n"
      "cluster: {ultraserver: trn3-gen2}\n"
      "model: {preset: gpt-oss-120b}\n"
      "phase: " +
          phase + "\nlayout: {" + layout + "}\n",
      "traced", "", {});
  EXPECT_TRUE(loaded.scenario.has_value()) << loaded.faults;
  return *loaded.scenario;
}

using Spans = std::vector<std::pair<double, double>>;  // us

// By thread of the process whose name holds `process`.
std::map<std::string, Spans> threads_of(const std::string& text, const std::string& process) {
  const nlohmann::json trace = nlohmann::json::parse(text);
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> names;
  std::map<std::string, Spans> threads;
  for (const auto& event : trace.at("traceEvents")) {
    const int pid = event.at("pid");
    if (event.at("name") == "process_name") processes[pid] = event.at("args").at("name");
    if (event.at("name") == "thread_name") {
      names[{pid, event.at("tid").get<int>()}] = event.at("args").at("name");
    }
    if (event.at("ph") != "X" || processes[pid].find(process) == std::string::npos) continue;
    const double begin = event.at("ts");
    threads[names[{pid, event.at("tid").get<int>()}]].push_back(
        {begin, begin + event.at("dur").get<double>()});
  }
  for (auto& [name, spans] : threads) std::ranges::sort(spans);
  return threads;
}

double sum_of(const Spans& spans) {
  double sum = 0;
  for (const auto& [begin, end] : spans) sum += end - begin;
  return sum;
}

// The union of `spans` outside all of `busy`; both sorted.
double outside(const Spans& spans, const Spans& busy) {
  double sum = 0;
  double told = 0;
  for (const auto& [begin, end] : spans) {
    double at = std::max(begin, told);
    for (const auto& [from, to] : busy) {
      if (to <= at || from >= end) continue;
      sum += std::max(from - at, 0.0);
      at = std::max(at, to);
    }
    sum += std::max(end - at, 0.0);
    told = std::max(told, end);
  }
  return sum;
}

Step step_of(const ModelScenario& scenario) {
  const auto price = scenario.chosen_price();
  return evaluate(scenario.model, *scenario.points[0].layout, scenario.machine(*price),
                  Depth::kExact);
}

TEST(StepTrace, ExposedTimeIsTheUnionOfItsMoments) {
  const ModelScenario scenario = scenario_of(
      "prefill", "tensor_parallel_degree: 4, expert_parallel_degree: 16, seq_len: 4096");
  const Step step = step_of(scenario);
  auto threads = threads_of(step_trace(scenario), "micro-batches");
  for (const Purpose purpose : {Purpose::kTensor, Purpose::kExpert}) {
    const std::string name(name_of(purpose));
    const double exposed = static_cast<double>(step.exposed[static_cast<std::size_t>(purpose)]);
    ASSERT_GT(exposed, 0) << name;
    EXPECT_NEAR(sum_of(threads[name + " exposed"]) * 1e6, exposed, 1e-6 * exposed) << name;
    EXPECT_NEAR(outside(threads[name], threads["compute"]) * 1e6, exposed, 1e-6 * exposed) << name;
  }
}

TEST(StepTrace, PartsFillTheStep) {
  const ModelScenario scenario = scenario_of(
      "training",
      "tensor_parallel_degree: 4, pipeline_parallel_degree: 2, expert_parallel_degree: 2, "
      "global_batch_size: 288, seq_len: 4096");
  const Step step = step_of(scenario);
  const auto threads = threads_of(step_trace(scenario), "end to end");
  ASSERT_EQ(threads.size(), 1U);
  const double total = static_cast<double>(step.total);
  EXPECT_NEAR(sum_of(threads.begin()->second) * 1e6, total, 1e-6 * total);
  const auto batch = threads_of(step_trace(scenario), "micro-batches");
  EXPECT_LT(sum_of(batch.at("layers")) * 1e6, total);
}

}  // namespace
}  // namespace workload
