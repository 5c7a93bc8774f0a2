// SPDX-License-Identifier: GPL-2.0-only
#include "scenarios/command/arguments.h"

#include <gtest/gtest.h>

namespace scenarios {
namespace {

Arguments parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "ultrasim");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

Message fault(const std::vector<const char*>& words) {
  const Arguments arguments = parsed(words);
  const Message* message = std::get_if<Message>(&arguments);
  return message != nullptr ? *message : Message{"no fault", 0};
}

TEST(Arguments, RunTakesItsOptions) {
  const Arguments arguments = parsed({"run", "--set", "a.b=c=d", "x.yaml", "--set", "e=", "--out",
                                      "o", "--format", "csv", "--quiet", "--jobs", "3"});
  const auto* run = std::get_if<RunArguments>(&arguments);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->file, "x.yaml");
  ASSERT_EQ(run->overrides.size(), 2U);
  EXPECT_EQ(run->overrides[0].path, "a.b");
  EXPECT_EQ(run->overrides[0].value, "c=d");
  EXPECT_EQ(run->overrides[1].value, "");
  EXPECT_EQ(run->out, "o");
  EXPECT_EQ(run->format, Format::kCsv);
  EXPECT_TRUE(run->quiet);
  EXPECT_EQ(run->jobs, 3);
}

TEST(Arguments, AgreeTakesAFileAndOverrides) {
  const Arguments arguments = parsed({"agree", "x.yaml", "--set", "a=b", "--quiet"});
  const auto* agree = std::get_if<AgreeArguments>(&arguments);
  ASSERT_NE(agree, nullptr);
  EXPECT_EQ(agree->file, "x.yaml");
  ASSERT_EQ(agree->overrides.size(), 1U);
  EXPECT_TRUE(agree->quiet);
}

TEST(Arguments, TuneTakesAFileAndOverrides) {
  const Arguments arguments = parsed({"tune", "x.yaml", "--set", "a=b"});
  const auto* tune = std::get_if<TuneArguments>(&arguments);
  ASSERT_NE(tune, nullptr);
  EXPECT_EQ(tune->file, "x.yaml");
  ASSERT_EQ(tune->overrides.size(), 1U);
}

TEST(Arguments, RunHasDefaults) {
  const Arguments arguments = parsed({"run", "x.yaml"});
  const auto* run = std::get_if<RunArguments>(&arguments);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->out, "");
  EXPECT_EQ(run->format, Format::kTable);
  EXPECT_FALSE(run->quiet);
  EXPECT_EQ(run->jobs, 0);
}

TEST(Arguments, AnUnknownCommandGetsAHint) {
  EXPECT_EQ(fault({"rnu"}).text,
            "ultrasim: error: unknown command 'rnu'\n  hint: did you mean 'run'?\n");
  EXPECT_EQ(fault({"rnu"}).exit_code, 2);
}

TEST(Arguments, EachFaultExitsWithTwo) {
  for (const std::vector<const char*>& words : {std::vector<const char*>{},
                                                {"run"},
                                                {"run", "a", "b"},
                                                {"run", "a", "--set", "novalue"},
                                                {"run", "a", "--set", "=x"},
                                                {"run", "a", "--set"},
                                                {"run", "a", "--format", "xml"},
                                                {"run", "a", "--jobs", "0"},
                                                {"run", "a", "--jobs", "many"},
                                                {"run", "a", "--nonsense"},
                                                {"validate"},
                                                {"describe"},
                                                {"describe", "a", "--ultraservers", "0"},
                                                {"list", "extra"},
                                                {"--nonsense"}}) {
    EXPECT_EQ(fault(words).exit_code, 2);
    EXPECT_TRUE(fault(words).text.starts_with("ultrasim: error: ")) << fault(words).text;
  }
}

TEST(Arguments, HelpOfEachCommandHasTwoExamples) {
  for (const char* command : {"run", "validate", "list", "describe", "schema"}) {
    const Message help = fault({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    std::size_t examples = 0;
    for (std::size_t at = help.text.find("\n  ultrasim "); at != std::string::npos;
         at = help.text.find("\n  ultrasim ", at + 1)) {
      ++examples;
    }
    EXPECT_EQ(examples, 2U) << help.text;
  }
}

}  // namespace
}  // namespace scenarios
