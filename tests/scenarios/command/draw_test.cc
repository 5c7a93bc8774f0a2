// SPDX-License-Identifier: GPL-2.0-only
// `ultrasim draw`: all parts are there once, in their boxes, and what is dead shows.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/scenarios/command/binary.h"

namespace cli {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Draw, AnUltraserverHasItsRacksSledsPlanesAndChips) {
  const Finished draw = ultrasim("draw trn3-gen2");
  EXPECT_EQ(draw.exit_code, 0) << draw.err;
  EXPECT_TRUE(draw.out.starts_with("<svg "));
  EXPECT_TRUE(draw.out.ends_with("</svg>\n"));
  EXPECT_EQ(count(draw.out, "<g><title>chip("), 144U);
  EXPECT_EQ(count(draw.out, "<g><title>sled switch("), 36U);
  EXPECT_EQ(count(draw.out, "<g><title>rack switch("), 8U);
  EXPECT_EQ(count(draw.out, ">rack 1<"), 1U);
  EXPECT_EQ(count(draw.out, ">sled 17<"), 4U);  // the row, and its switch
  EXPECT_EQ(count(draw.out, ">plane 3<"), 2U);
  EXPECT_EQ(count(draw.out, "<title>twin link: "), 72U);
}

// No two parts stand in one place.
TEST(Draw, EveryPartHasAPlaceOfItsOwn) {
  for (const char* fabric :
       {"trn3-gen2", "trn3-gen1", "trn2-ultraserver", "p5 --servers 2", "gb200-nvl72", "mi300x",
        "pcie-gen4", "hgx-h100 --servers 4", "star", "trn3-gen2 --ultraservers 2"}) {
    const std::string svg = ultrasim(std::string("draw ") + fabric).out;
    const std::regex place("<rect x=\"([0-9.-]+)\" y=\"([0-9.-]+)\" width=\"[0-9]+\" ");
    std::set<std::string> seen;
    std::size_t parts = 0;
    for (std::sregex_iterator one(svg.begin(), svg.end(), place), end; one != end; ++one) {
      seen.insert((*one)[1].str() + " " + (*one)[2].str());
      ++parts;
    }
    EXPECT_GE(parts, 8U) << fabric;
    EXPECT_EQ(seen.size(), parts) << fabric;
  }
}

TEST(Draw, DeadLinksOfAScenarioAreDashed) {
  const Finished draw = ultrasim("draw " + library("fault-dead-chip"));
  EXPECT_EQ(draw.exit_code, 0) << draw.err;
  EXPECT_EQ(count(draw.out, "stroke-dasharray"), 4U);  // a chip of a torus has four links
}

TEST(Draw, DotNamesEveryLinkOnce) {
  const Finished draw = ultrasim("draw trn2 --format dot");
  EXPECT_EQ(draw.exit_code, 0) << draw.err;
  EXPECT_EQ(count(draw.out, " -- "), 32U);
  EXPECT_NE(draw.out.find("\"chip(x 0, y 0)\" -- \"chip(x 1, y 0)\" [kind=\"x link\", "
                          "bandwidth=\"128 GB/s\", latency=\"10 ns\"]"),
            std::string::npos);
}

TEST(Draw, WhatIsNotThereOrTooLargeIsWrongInput) {
  EXPECT_EQ(ultrasim("draw ring").exit_code, 2);
  EXPECT_EQ(ultrasim("draw none.yaml").exit_code, 2);
  EXPECT_EQ(ultrasim("draw trn3-gen2 --ultraservers 100").exit_code, 2);
  EXPECT_EQ(ultrasim("draw " + library("fabric-pcie") + " --servers 2").exit_code, 2);
}

TEST(DescribeLarge, AnswersByCutsAndSamples) {
  const Finished describe = ultrasim("describe trn3-gen2 --ultraservers 100");
  EXPECT_EQ(describe.exit_code, 0) << describe.err;
  EXPECT_NE(describe.out.find("bisection, one way, at most         144.0 TB/s"), std::string::npos)
      << describe.out.substr(0, 2000);
  EXPECT_NE(describe.out.find("out of each ultraserver (100)"), std::string::npos);
}

}  // namespace
}  // namespace cli
