// SPDX-License-Identifier: GPL-2.0-only
// Scenarios about models: faults with their place, idle ranks, the echo law, sweeps.
#include "scenarios/workload/scenario.h"

#include <gtest/gtest.h>

#include "scenarios/workload/step_page.h"

namespace workload {
namespace {

std::string text_of(const std::string& layout, const std::string& rest = "",
                    const std::string& model = "preset: gpt-oss-20b") {
  return "scenario: test\ncluster: {ultraserver: trn3-gen2}\nmodel: {" + model +
         "}\nlayout: {seq_len: 4096" + layout + "}\n" + rest;
}

std::string faults_of(const std::string& text) {
  const LoadedModel loaded = load_model_text(text, "t.yaml", "", {});
  EXPECT_FALSE(loaded.scenario);
  return loaded.faults;
}

void expect_fault(const std::string& text, const std::string& part) {
  const std::string faults = faults_of(text);
  EXPECT_NE(faults.find(part), std::string::npos) << faults;
}

TEST(ModelScenario, IsOneByItsModel) {
  EXPECT_TRUE(is_model_scenario(text_of("")));
  EXPECT_FALSE(is_model_scenario("scenario: x\nworkload: []\n"));
  EXPECT_FALSE(is_model_scenario("["));
}

TEST(ModelScenario, TakesTheRestForDataParallelismAndReportsIdleRanks) {
  const LoadedModel loaded =
      load_model_text(text_of(", tensor_parallel_degree: 8, pipeline_parallel_degree: 4, "
                              "global_batch_size: 32"),
                      "t.yaml", "", {});
  ASSERT_TRUE(loaded.scenario) << loaded.faults;
  EXPECT_EQ(loaded.scenario->layout.shard, 4);
  EXPECT_EQ(loaded.scenario->ranks - loaded.scenario->layout.ranks(), 16);
}

TEST(ModelScenario, RefusesWithPlaceReasonAndWhatWouldWork) {
  expect_fault(text_of(", tensor_parallel_degree: 5"),
               "t.yaml:4:49: error: layout.tensor_parallel_degree: 5 does not divide the 64");
  expect_fault(text_of(", tensor_parallel_degree: 5"), "hint: layouts that would work: tp ");
  expect_fault(text_of(", data_parallel_shard_degree: 100"), "= 100 ranks; 144 take part");
  expect_fault(text_of(", expert_parallel_degree: 24"), "does not divide the 32 experts");
  expect_fault(text_of(", tensor_paralel_degree: 4"), "did you mean 'tensor_parallel_degree'?");
  expect_fault(text_of(", dtype: {compute: mxfp6}"), "unknown value 'mxfp6'");
}

TEST(ModelScenario, RefusesUnknownModels) {
  expect_fault(text_of("", "", "preset: gpt-oss-12b"), "unknown model 'gpt-oss-12b'");
  expect_fault(text_of("", "", ""), "model names no architecture");
  expect_fault(text_of("", "", "hf_config: nowhere.json"), "nowhere.json");
}

TEST(ModelScenario, RefusesLayoutsThatDoNotFitAndNamesTheTerm) {
  expect_fault(
      "scenario: test\ncluster: {ultraserver: trn3-gen2}\nmodel: {preset: deepseek-v3}\n"
      "layout: {seq_len: 4096, data_parallel_sharding: no_shard}\n",
      "the largest term is optimizer");
}

TEST(ModelScenario, EchoLoadsToTheSame) {
  const LoadedModel once = load_model_text(
      text_of(", tensor_parallel_degree: 4", "sweep:\n  - {key: routing.skew, values: [1, 2]}\n"),
      "t.yaml", "", {});
  ASSERT_TRUE(once.scenario) << once.faults;
  const LoadedModel again = load_model_text(once.scenario->echo, "t.yaml", "", {});
  ASSERT_TRUE(again.scenario) << again.faults;
  EXPECT_EQ(again.scenario->echo, once.scenario->echo);
  EXPECT_EQ(step_json(answer_of(*again.scenario)), step_json(answer_of(*once.scenario)));
}

TEST(ModelScenario, SweepsEveryCombinationAndSaysWhatCannotBe) {
  const LoadedModel loaded =
      load_model_text(text_of("",
                              "sweep:\n  - {key: tensor_parallel_degree, values: [4, 5]}\n"
                              "  - {key: expert_parallel_degree, values: [1, 8]}\n"),
                      "t.yaml", "", {});
  ASSERT_TRUE(loaded.scenario) << loaded.faults;
  ASSERT_EQ(loaded.scenario->points.size(), 4U);
  EXPECT_TRUE(loaded.scenario->points[1].layout);
  EXPECT_FALSE(loaded.scenario->points[2].layout);
  EXPECT_NE(loaded.scenario->points[2].refused.find("does not divide"), std::string::npos);
}

TEST(ModelScenario, PricesManyUnitsOnTwo) {
  const LoadedModel loaded = load_model_text(
      "scenario: test\ncluster: {ultraserver: trn3-gen2, ultraservers: 700}\n"
      "model: {preset: gpt-oss-20b}\nlayout: {seq_len: 4096}\n",
      "t.yaml", "", {});
  ASSERT_TRUE(loaded.scenario) << loaded.faults;
  EXPECT_EQ(loaded.scenario->ranks, 100'800);
  EXPECT_NE(loaded.scenario->fabric.find("700 x "), std::string::npos) << loaded.scenario->fabric;
  EXPECT_NE(loaded.scenario->fabric.find("100800 chips"), std::string::npos);
}

}  // namespace
}  // namespace workload
