// SPDX-License-Identifier: GPL-2.0-only
// Laws of any step, over models, layouts and fabrics.
#include <gtest/gtest.h>

#include <numeric>

#include "scenarios/workload/architecture.h"
#include "scenarios/workload/scenario.h"

namespace workload {
namespace {

ModelScenario load(const std::string& model, const std::string& layout,
                   const std::string& cluster = "ultraserver: trn3-gen2") {
  LoadedModel loaded =
      load_model_text("scenario: test\ncluster: {" + cluster + "}\nmodel: {preset: " + model +
                          "}\nlayout: {seq_len: 4096" + layout + "}\n",
                      "t.yaml", "", {});
  EXPECT_TRUE(loaded.scenario) << loaded.faults;
  return loaded.scenario ? std::move(*loaded.scenario) : ModelScenario{};
}

Step step_of(const ModelScenario& scenario, Depth depth = Depth::kExact) {
  const std::unique_ptr<CollectivePrice> price = scenario.link_price();
  return evaluate(scenario.model, scenario.layout, scenario.machine(*price), depth);
}

std::int64_t sent_by(const Step& step, Purpose purpose) {
  const TierBytes& sent = step.sent[static_cast<std::size_t>(purpose)];
  return std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
}

const char* const kLayouts[] = {
    "",
    ", tensor_parallel_degree: 8",
    ", tensor_parallel_degree: 4, expert_parallel_degree: 8, global_batch_size: 72",
    ", expert_parallel_degree: 16, moe_dispatcher: allgather",
    ", pipeline_parallel_degree: 4, global_batch_size: 288, data_parallel_sharding: optim",
    ", context_parallel_degree: 4, context_parallel_method: ulysses",
    ", pipeline_parallel_degree: 2, pipeline_parallel_schedule: DualPipeV, virtual_stages: 2, "
    "global_batch_size: 576, expert_parallel_degree: 8, overlap: {expert: chunked}"};

TEST(Steps, ExposeAtMostWhatTheyCommunicateAndAddUp) {
  for (const char* layout : kLayouts) {
    SCOPED_TRACE(layout);
    const Step step = step_of(load("gpt-oss-20b", layout));
    ASSERT_GT(step.total, 0);
    for (std::size_t i = 0; i < kPurposes; ++i) {
      EXPECT_LE(step.exposed[i], step.collectives[i]) << i;
      EXPECT_GE(step.exposed[i], 0) << i;
    }
    EXPECT_LE(step.exposed_sum() + step.bubble, step.total);
    EXPECT_GE(step.bubble, 0);
  }
}

TEST(Steps, SendNothingForWhatTheyDoNotDo) {
  const Step alone = step_of(load("gpt-oss-20b", ""));
  EXPECT_EQ(sent_by(alone, Purpose::kTensor), 0);
  EXPECT_EQ(sent_by(alone, Purpose::kExpert), 0);
  EXPECT_EQ(sent_by(alone, Purpose::kPipeline), 0);
  EXPECT_EQ(sent_by(alone, Purpose::kContext), 0);
  EXPECT_GT(sent_by(alone, Purpose::kData), 0);
}

// Bytes over all places are the bytes that the collectives send.
TEST(Steps, SendInAllPlacesTogetherWhatTheirCollectivesSend) {
  const ModelScenario scenario = load("gpt-oss-20b",
                                      ", tensor_parallel_degree: 4, global_batch_size: 36, "
                                      "data_parallel_sharding: optim");
  const Step step = step_of(scenario);
  std::int64_t listed = 0;
  for (const CollectiveLine& line : step.lines) {
    if (line.purpose == Purpose::kData) {
      listed += line.times * bytes_sent(line.move, line.ranks, line.bytes);
    }
  }
  EXPECT_EQ(sent_by(step, Purpose::kData), listed);
}

TEST(Steps, AreNeverSlowedByMoreNetwork) {
  const std::string layout =
      ", tensor_parallel_degree: 4, expert_parallel_degree: 32, global_batch_size: 72";
  std::int64_t before = 0;
  for (const char* nic : {"800 Gb/s", "400 Gb/s", "200 Gb/s", "100 Gb/s"}) {
    const Step step =
        step_of(load("gpt-oss-20b", layout,
                     std::string("ultraserver: trn3-gen2, ultraservers: 2, overrides: "
                                 "{nic.bandwidth: ") +
                         nic + ", nic.bus_bandwidth: 100 GB/s}"));
    EXPECT_GE(step.total, before) << nic;
    before = step.total;
  }
}

TEST(Steps, AreSlowedBySkew) {
  const std::string base = ", expert_parallel_degree: 16";
  const Step even = step_of(load("gpt-oss-20b", base));
  const Step hot = step_of(load("gpt-oss-20b", base + ", routing: {model: hot, skew: 3}"));
  const Step random = step_of(load("gpt-oss-20b", base + ", routing: {model: uniform}"));
  EXPECT_GT(hot.total, random.total);
  EXPECT_GT(random.total, even.total);
  EXPECT_GT(hot.memory.sum, even.memory.sum);
}

TEST(Steps, DoNotDependOnWhatWasPricedBefore) {
  const ModelScenario scenario = load("gpt-oss-20b", ", tensor_parallel_degree: 4");
  const std::unique_ptr<CollectivePrice> price = scenario.link_price();
  const Machine machine = scenario.machine(*price);
  const Step first = evaluate(scenario.model, scenario.layout, machine, Depth::kExact);
  const Step again = evaluate(scenario.model, scenario.layout, machine, Depth::kExact);
  EXPECT_EQ(first.total, again.total);
  EXPECT_EQ(first.sent, again.sent);
}

TEST(Steps, AreEstimatedNearTheirPlayedTime) {
  for (const char* layout :
       {"",
        ", pipeline_parallel_degree: 4, global_batch_size: 576, data_parallel_sharding: optim"}) {
    const ModelScenario scenario = load("gpt-oss-20b", layout);
    const double played = static_cast<double>(step_of(scenario).total);
    EXPECT_NEAR(static_cast<double>(step_of(scenario, Depth::kEstimate).total) / played, 1, 0.1);
  }
}

TEST(Decode, TakesLongerWithMoreInTheCache) {
  std::int64_t before = 0;
  for (const char* tokens : {"1024", "8192", "65536"}) {
    LoadedModel loaded = load_model_text(
        std::string("scenario: test\nphase: decode\ncluster: {ultraserver: trn3-gen2}\n"
                    "model: {preset: llama-3.1-70b}\n"
                    "layout: {tensor_parallel_degree: 8, micro_batch_size: 16, seq_len: ") +
            tokens + "}\n",
        "t.yaml", "", {});
    ASSERT_TRUE(loaded.scenario) << loaded.faults;
    const Step step = step_of(*loaded.scenario);
    EXPECT_GT(step.total, before);
    before = step.total;
  }
}

}  // namespace
}  // namespace workload
