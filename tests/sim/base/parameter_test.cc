// SPDX-License-Identifier: GPL-2.0-only
#include "sim/base/parameter.h"

#include <gtest/gtest.h>

namespace sim {
namespace {

Parameter parameter(const std::string& name, const std::string& text, Dimension dimension) {
  Parameter result;
  result.name = name;
  result.value = parse_quantity(text, dimension).value();
  return result;
}

Parameters one_of_each() {
  Parameters parameters;
  parameters.set(parameter("size", "4 KiB", Dimension::kBytes));
  parameters.set(parameter("rate", "200 Gb/s", Dimension::kBandwidth));
  parameters.set(parameter("delay", "0.5 us", Dimension::kTime));
  parameters.set(parameter("ends", "144", Dimension::kCount));
  parameters.set(parameter("share", "90 %", Dimension::kRatio));
  parameters.set(parameter("flow", "credits", Dimension::kText));
  return parameters;
}

TEST(Parameters, GiveEachDimensionInItsOwnType) {
  const Parameters parameters = one_of_each();
  EXPECT_EQ(parameters.bytes("size"), Bytes(4096));
  EXPECT_EQ(parameters.bandwidth("rate"), gigabytes_per_second(25));
  EXPECT_EQ(parameters.time("delay"), nanoseconds(500));
  EXPECT_EQ(parameters.count("ends"), 144);
  EXPECT_EQ(parameters.ratio("share"), 900'000'000);
  EXPECT_EQ(parameters.text("flow"), "credits");
}

TEST(Parameters, SettingAgainReplacesInPlace) {
  Parameters parameters = one_of_each();
  parameters.set(parameter("rate", "1 GB/s", Dimension::kBandwidth));
  ASSERT_EQ(parameters.list().size(), 6U);
  EXPECT_EQ(parameters.list()[1].name, "rate");
  EXPECT_EQ(parameters.bandwidth("rate"), gigabytes_per_second(1));
}

TEST(Parameters, FindGivesNullForWhatIsNotThere) {
  EXPECT_EQ(one_of_each().find("siz"), nullptr);
  EXPECT_NE(one_of_each().find("size"), nullptr);
}

TEST(ParametersDeathTest, ReadingAnUndeclaredNameOrAWrongDimensionNamesIt) {
  const Parameters parameters = one_of_each();
  EXPECT_DEATH(static_cast<void>(parameters.bytes("missing")), "parameter missing is a size");
  EXPECT_DEATH(static_cast<void>(parameters.bytes("rate")), "parameter rate is a size");
}

TEST(Grade, HasTheNamesThatResultsCarry) {
  EXPECT_EQ(name_of(Grade::kPublished), "published");
  EXPECT_EQ(name_of(Grade::kAnalyst), "analyst");
  EXPECT_EQ(name_of(Grade::kJudged), "judged");
  EXPECT_EQ(name_of(Grade::kChosen), "chosen");
  EXPECT_EQ(name_of(Grade::kScenario), "scenario");
}

}  // namespace
}  // namespace sim
