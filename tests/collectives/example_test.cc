// SPDX-License-Identifier: GPL-2.0-only
// The worked example of collectives/README.md, which must stay the same text, is a right algorithm.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "collectives/flat.h"
#include "sim/schedule/verify.h"

namespace collectives {
namespace {

// [example]
std::uint32_t star_all_reduce(const Phase& phase) {
  const Group& group = phase.group;
  const sim::Blocks all = phase.parts.part(0);
  if (group.me != 0) {
    phase.planner.send_to_reduce(group.rank(0), all, phase.slot + group.me);
    phase.planner.receive(all, phase.slot);
    return phase.slot + group.size;
  }
  for (sim::Rank m = 1; m < group.size; ++m) phase.planner.receive_and_reduce(all, phase.slot + m);
  for (sim::Rank m = 1; m < group.size; ++m) {
    phase.planner.send(group.rank(m), all, all.first, phase.slot);
  }
  return phase.slot + group.size;
}
// [example]

TEST(Example, IsARightAllReduce) {
  const sim::BlockSizes sizes(sim::Bytes(1'000), 1, 1);
  for (const sim::Rank ranks : {2U, 3U, 7U, 16U}) {
    std::vector<sim::RankProgram> programs;
    for (sim::Rank rank = 0; rank < ranks; ++rank) {
      sim::Planner planner(rank, sizes);
      const std::uint32_t slots = star_all_reduce({planner, {ranks, rank, 0, 1}, Parts{}, 0});
      programs.push_back(std::move(planner).take(slots));
    }
    const sim::Layout layout{sim::Collective::kAllReduce, ranks, sizes};
    const auto fault = sim::verify(sim::Schedule(layout, "star", std::move(programs)));
    EXPECT_FALSE(fault) << *fault;
  }
}

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(ULTRASIM_SOURCE_DIR) + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Example, IsTheTextOfTheReadme) {
  const std::string mark = "// [example]\n";
  const std::string source = text_of("/tests/collectives/example_test.cc");
  const std::size_t start = source.find(mark) + mark.size();
  const std::string example = source.substr(start, source.find(mark, start) - start);
  EXPECT_GT(example.size(), 300U);
  EXPECT_NE(text_of("/collectives/README.md").find(example), std::string::npos);
}

}  // namespace
}  // namespace collectives
