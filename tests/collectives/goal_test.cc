// SPDX-License-Identifier: GPL-2.0-only
// GOAL: what is read, what is matched, and what a fault says.
#include <gtest/gtest.h>

#include <string>

#include "collectives/goal.h"
#include "sim/schedule/schedule.h"

namespace collectives {
namespace {

std::shared_ptr<const Given> read(const std::string& text, std::string* faults = nullptr) {
  sim::Diagnostics diagnostics("t.goal", text);
  std::shared_ptr<const Given> given = goal::read("t.goal", text, diagnostics);
  EXPECT_EQ(given == nullptr, !diagnostics.empty());
  if (faults != nullptr) *faults = diagnostics.render();
  if (faults == nullptr && given == nullptr) ADD_FAILURE() << diagnostics.render();
  return given;
}

std::string fault_of(const std::string& text) {
  std::string faults;
  EXPECT_EQ(read(text, &faults), nullptr);
  return faults.substr(0, faults.find('\n'));
}

Job job_of(sim::Rank ranks) {
  Job job;
  job.collective = sim::Collective::kProgram;
  job.ranks = ranks;
  return job;
}

constexpr const char* kPing =
    "num_ranks 2\n"
    "rank 0 {\n"
    "  a: calc 100 cpu 1   # nanoseconds\n"
    "  b: send 4096b to 1 tag 7 cpu 0 nic 0\n"
    "  b requires a\n"
    "  c: recv 8b from 1\n"
    "}\n"
    "rank 1 { /* answers\n at once */\n"
    "  a: recv 4096b from 0 tag 7\n"
    "  b: send 8b to 0 // tag 0\n"
    "  b requires a\n"
    "}\n";

TEST(Goal, ReadsComputesSendsAndReceives) {
  const auto given = read(kPing);
  ASSERT_NE(given, nullptr);
  EXPECT_EQ(given->ops(), 5);
  EXPECT_EQ(given->bytes()->value, 4'104);
  const sim::Schedule schedule = given->plan(job_of(2));
  EXPECT_EQ(schedule.sends(), 2U);
  EXPECT_EQ(schedule.bytes_sent(0).value, 4'096);
  EXPECT_EQ(schedule.bytes_sent(1).value, 8);
  const sim::Op& first = schedule.program(0).ops.front();
  EXPECT_EQ(first.kind, sim::OpKind::kCompute);
  EXPECT_EQ(first.duration().value, 100'000);
  EXPECT_EQ(first.stream(), 1U);
}

TEST(Goal, IsForItsRanksAndForPrograms) {
  const auto given = read(kPing);
  ASSERT_NE(given, nullptr);
  EXPECT_EQ(given->obstacle(job_of(2)), std::nullopt);
  EXPECT_EQ(given->obstacle(job_of(3)), "it is for 2 ranks (t.goal:1:11)");
  Job ring = job_of(2);
  ring.collective = sim::Collective::kAllReduce;
  EXPECT_EQ(given->obstacle(ring), "it is a program (GOAL)");
}

// c may begin when b does: it needs what b needs, not b.
TEST(Goal, IrequiresWaitsForTheBeginningOnly) {
  const auto given = read(
      "num_ranks 2\nrank 0 {\n a: calc 5\n b: calc 7\n c: calc 9\n b requires a\n"
      " c irequires b\n}\nrank 1 { }\n");
  ASSERT_NE(given, nullptr);
  const sim::Schedule schedule = given->plan(job_of(2));
  const sim::RankProgram& program = schedule.program(0);
  ASSERT_EQ(program.ops.size(), 3U);
  for (std::size_t i : {1U, 2U}) {
    ASSERT_EQ(program.ops[i].wait_count, 1U);
    EXPECT_EQ(program.waits_of(program.ops[i])[0].what, sim::Wait::op(0).what);
  }
}

// A receive that has been posted is no message that has come: both ranks send before they hear.
TEST(Goal, ASendMayGoOnceAReceiveIsPosted) {
  const std::string each = " r: recv 8b from {}\n s: send 8b to {}\n s irequires r\n}\n";
  const auto rank = [&](const std::string& peer) {
    std::string text = each;
    while (text.find("{}") != std::string::npos) text.replace(text.find("{}"), 2, peer);
    return text;
  };
  EXPECT_NE(read("num_ranks 2\nrank 0 {\n" + rank("1") + "rank 1 {\n" + rank("0")), nullptr);
}

TEST(Goal, ALosslessDeadlockIsFoundBeforeTheRun) {
  EXPECT_EQ(fault_of("num_ranks 2\n"
                     "rank 0 {\n r: recv 8b from 1\n s: send 8b to 1\n s requires r\n}\n"
                     "rank 1 {\n r: recv 8b from 0\n s: send 8b to 0\n s requires r\n}\n"),
            "t.goal:3:5: error: deadlock: 4 ops never begin; this one of rank 0 waits for line 9 "
            "of rank 1, which waits for line 8 of rank 1, which waits for line 4 of rank 0, which "
            "waits for line 3 of rank 0");
}

TEST(Goal, MessagesWithoutTheirOtherEndAreFound) {
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { s: send 8b to 1 tag 3 }\nrank 1 { recv 8b from 0 }\n"),
            "t.goal:2:13: error: rank 1 never receives this message of tag 3");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { }\nrank 1 { recv 8b from 0 }\n"),
            "t.goal:3:10: error: rank 0 never sends this message of tag 0");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 9b from 0 }\n"),
            "t.goal:3:10: error: it takes 9 of a message of 8 bytes from line 2");
}

TEST(Goal, FaultsOfTheTextHaveTheirPlace) {
  EXPECT_EQ(fault_of(""), "t.goal:1:1: error: the end of the file");
  EXPECT_EQ(fault_of("num_ranks two\n"), "t.goal:1:11: error: 'two' as the number of ranks");
  EXPECT_EQ(fault_of("num_ranks 1\n"), "t.goal:1:11: error: fewer than 2 ranks");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { }\n"), "t.goal:1:11: error: rank 1 is not there");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { }\nrank 1 { }\n"),
            "t.goal:1:11: error: no rank does anything");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 2 { }\n"), "t.goal:2:6: error: there is no rank 2");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { }\nrank 0 { }\n"),
            "t.goal:3:6: error: rank 0 is there twice");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { a: calk 5 }\n"), "t.goal:2:13: error: 'calk'");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { a: send 5 to 1 }\n"),
            "t.goal:2:18: error: '5' as a size");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { send 5b from 1 }\n"), "t.goal:2:18: error: 'from'");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { send 5b to 0 }\nrank 1 { }\n"),
            "t.goal:2:21: error: rank 0 and itself");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 {\n a: calc 1\n b requires a\n}\nrank 1 { }\n"),
            "t.goal:4:2: error: no op of this rank is called 'b'");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { a: calc 1\n a: calc 1 }\nrank 1 { }\n"),
            "t.goal:3:5: error: the label 'a' is there twice");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { a: calc 1 a irequires a }\nrank 1 { }\n"),
            "t.goal:2:13: error: deadlock: it would have to begin before itself");
  EXPECT_EQ(fault_of("num_ranks 2\nrank 0 { a needs b }\n"), "t.goal:2:12: error: 'needs'");
}

}  // namespace
}  // namespace collectives
