// SPDX-License-Identifier: GPL-2.0-only
// MSCCL XML: each step type in a program small enough to read, the round trip of every algorithm
// that MSCCL can tell, and what a fault says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "collectives/msccl.h"
#include "sim/schedule/verify.h"

namespace collectives {
namespace {

using sim::Collective;

std::shared_ptr<const Given> read(const std::string& text, std::string* faults = nullptr) {
  sim::Diagnostics diagnostics("test.xml", text);
  std::shared_ptr<const Given> given = msccl::read("test.xml", text, diagnostics);
  EXPECT_EQ(given == nullptr, !diagnostics.empty());
  if (faults != nullptr) *faults = diagnostics.render();
  if (faults == nullptr && given == nullptr) ADD_FAILURE() << diagnostics.render();
  return given;
}

Job job_of(Collective collective, sim::Rank ranks, std::int64_t bytes) {
  Job job;
  job.collective = collective;
  job.ranks = ranks;
  job.bytes = sim::Bytes(bytes);
  return job;
}

std::size_t count_of(const sim::Schedule& schedule, sim::OpKind kind) {
  std::size_t count = 0;
  for (sim::Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (const sim::Op& op : schedule.program(rank).ops) count += op.kind == kind ? 1 : 0;
  }
  return count;
}

// One step with the usual attributes.
std::string step(int s, const char* type, const char* from, const char* to, int count,
                 const char* rest) {
  return fmt::format(
      "<step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
      "cnt=\"{}\" {}/>\n",
      s, type, from[0], from + 1, to[0], to + 1, count, rest);
}

constexpr const char* kFree = "depid=\"-1\" deps=\"-1\" hasdep=\"0\"";
constexpr const char* kSignal = "depid=\"-1\" deps=\"-1\" hasdep=\"1\"";

std::string algo(int ranks, int chunks, const char* coll, const std::string& more,
                 const std::string& gpus) {
  return fmt::format(
      "<algo name=\"t\" proto=\"LL\" nchannels=\"2\" nchunksperloop=\"{}\" ngpus=\"{}\" "
      "coll=\"{}\" {}>\n<!-- a comment -->\n{}</algo>\n",
      chunks, ranks, coll, more, gpus);
}

// Two ranks send each other their tensor into scratch; then each merges, on two channels.
std::string exchange_and_merge() {
  std::string gpus;
  for (int rank = 0; rank < 2; ++rank) {
    gpus += fmt::format("<gpu id=\"{}\" i_chunks=\"2\" o_chunks=\"0\" s_chunks=\"2\">\n", rank);
    for (int c = 0; c < 2; ++c) {
      const std::string i = fmt::format("i{}", c);
      const std::string s = fmt::format("s{}", c);
      gpus += fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", c, 1 - rank,
                          1 - rank, c) +
              step(0, "s", i.c_str(), s.c_str(), 1, kFree) +
              step(1, "r", i.c_str(), s.c_str(), 1, kSignal) + "</tb>\n";
    }
    gpus +=
        "<tb id=\"2\" send=\"-1\" recv=\"-1\" chan=\"0\">\n"
        "<step s=\"0\" type=\"nop\" depid=\"0\" deps=\"1\" hasdep=\"0\"/>\n" +
        step(1, "re", "s0", "i0", 2, "depid=\"1\" deps=\"1\" hasdep=\"0\"") + "</tb>\n</gpu>\n";
  }
  return algo(2, 2, "allreduce", "inplace=\"1\"", gpus);
}

TEST(Msccl, MergesFromScratchAfterTwoChannels) {
  const auto given = read(exchange_and_merge());
  ASSERT_NE(given, nullptr);
  const sim::Schedule schedule = given->plan(job_of(Collective::kAllReduce, 2, 1'001));
  EXPECT_EQ(sim::verify(schedule), std::nullopt);
  EXPECT_EQ(schedule.sends(), 4U);
  EXPECT_EQ(count_of(schedule, sim::OpKind::kReduceOwn), 2U);
  EXPECT_EQ(count_of(schedule, sim::OpKind::kTake), 0U);  // into scratch that nobody used before
  EXPECT_EQ(schedule.bytes_sent(0).value, 1'002);         // two chunks of 501
}

TEST(Msccl, AMissingDependencyIsFound) {
  std::string text = exchange_and_merge();
  const std::string wait = "depid=\"1\" deps=\"1\"";
  while (text.find(wait) != std::string::npos) {
    text.replace(text.find(wait), wait.size(), "depid=\"-1\" deps=\"-1\"");
  }
  std::string faults;
  EXPECT_EQ(read(text, &faults), nullptr);
  EXPECT_NE(faults.find("test.xml:14:2: error: it does not compute what it says: rank "),
            std::string::npos)
      << faults;
}

// A chain of three: rank 0 sends to 1, which merges and passes on (rrs), rank 2 merges, keeps and
// sends back (rrcs), rank 1 keeps and passes on (rcs), rank 0 keeps.
std::string chain(const char* middle) {
  const auto gpu = [](int rank, const std::string& steps) {
    return fmt::format("<gpu id=\"{}\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n{}</gpu>\n",
                       rank, steps);
  };
  const auto block = [](int id, int send, int receive, const std::string& steps) {
    return fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n{}</tb>\n", id, send,
                       receive, steps);
  };
  return algo(
      3, 1, "allreduce", "inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"4096\"",
      gpu(0,
          block(0, 1, -1, step(0, "s", "i0", "i0", 1, kSignal)) +
              block(1, -1, 1, step(0, "r", "i0", "i0", 1, "depid=\"0\" deps=\"0\" hasdep=\"0\""))) +
          gpu(1, block(0, 2, 0, step(0, middle, "i0", "i0", 1, kSignal)) +
                     block(1, 0, 2,
                           step(0, "rcs", "i0", "i0", 1, "depid=\"0\" deps=\"0\" hasdep=\"0\""))) +
          gpu(2, block(0, 1, 1, step(0, "rrcs", "i0", "i0", 1, kFree))));
}

TEST(Msccl, KnowsTheStepsThatReceiveAndSend) {
  for (const char* middle : {"rrs", "rrcs"}) {
    const auto given = read(chain(middle));
    ASSERT_NE(given, nullptr) << middle;
    const sim::Schedule schedule = given->plan(job_of(Collective::kAllReduce, 3, 300));
    EXPECT_EQ(schedule.sends(), 4U);
    EXPECT_EQ(count_of(schedule, sim::OpKind::kReduceInto), middle == std::string("rrs") ? 1U : 0U);
    EXPECT_EQ(count_of(schedule, sim::OpKind::kReduce), middle == std::string("rrs") ? 1U : 2U);
    EXPECT_EQ(sim::verify(schedule, 7), std::nullopt);
  }
}

TEST(Msccl, SaysWhatItIsFor) {
  const auto given = read(chain("rrs"));
  ASSERT_NE(given, nullptr);
  const auto why = [&](Collective collective, sim::Rank ranks, std::int64_t bytes) {
    return given->obstacle(job_of(collective, ranks, bytes)).value_or("");
  };
  EXPECT_EQ(why(Collective::kAllReduce, 3, 4'096), "");
  EXPECT_EQ(why(Collective::kAllReduce, 3, 4'097), "it is for 0 to 4096 bytes (test.xml:1:114)");
  EXPECT_EQ(why(Collective::kAllReduce, 4, 8), "it is for 3 ranks (test.xml:1:60)");
  EXPECT_EQ(why(Collective::kAllGather, 3, 8), "it is an all_reduce (test.xml:1:70)");
}

TEST(Msccl, CopiesOutOfPlace) {
  std::string gpus;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string own = fmt::format("o{}", rank);
    const std::string other = fmt::format("o{}", 1 - rank);
    gpus += fmt::format(
        "<gpu id=\"{}\" i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\">\n"
        "<tb id=\"0\" send=\"{}\" recv=\"{}\" chan=\"0\">\n{}{}</tb>\n"
        "<tb id=\"1\" send=\"-1\" recv=\"-1\" chan=\"0\">\n{}</tb>\n</gpu>\n",
        rank, 1 - rank, 1 - rank, step(0, "s", "i0", own.c_str(), 1, kFree),
        step(1, "r", "i0", other.c_str(), 1, kFree), step(0, "cpy", "i0", own.c_str(), 1, kFree));
  }
  const auto apart = read(algo(2, 2, "allgather", "inplace=\"0\" outofplace=\"1\"", gpus));
  ASSERT_NE(apart, nullptr);
  const Job job = job_of(Collective::kAllGather, 2, 64);
  EXPECT_EQ(count_of(apart->plan(job), sim::OpKind::kCopy), 2U);
  const auto in_place = read(algo(2, 2, "allgather", "inplace=\"1\" outofplace=\"1\"", gpus));
  ASSERT_NE(in_place, nullptr);  // there input and output share memory: nothing is to be copied
  EXPECT_EQ(count_of(in_place->plan(job), sim::OpKind::kCopy), 0U);
}

// An arrival that may come while its place is still read is kept aside until its step.
TEST(Msccl, KeepsAsideWhatComesTooEarly) {
  std::string gpus;
  for (int rank = 0; rank < 2; ++rank) {
    const int peer = 1 - rank;
    const std::string mine = fmt::format("i{}", peer);
    gpus += fmt::format(
        "<gpu id=\"{}\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"1\">\n"
        "<tb id=\"0\" send=\"{}\" recv=\"{}\" chan=\"0\">\n{}{}{}</tb>\n</gpu>\n",
        rank, peer, peer, step(0, "cpy", mine.c_str(), "s0", 1, kFree),
        step(1, "s", "s0", mine.c_str(), 1, kFree),
        step(2, "r", "s0", fmt::format("o{}", peer).c_str(), 1, kFree));
  }
  const auto given = read(algo(2, 2, "alltoall", "inplace=\"1\" outofplace=\"0\"", gpus));
  ASSERT_NE(given, nullptr);
  const sim::Schedule schedule = given->plan(job_of(Collective::kAllToAll, 2, 64));
  EXPECT_EQ(count_of(schedule, sim::OpKind::kTake), 2U);
}

class RoundTrip : public testing::TestWithParam<std::string> {};

// Every schedule of the catalog over 8 and 5 ranks, written and read again, moves the same bytes
// and proves right.
TEST_P(RoundTrip, MovesTheSameBytes) {
  int told = 0;
  for (const Collective collective : sim::all_collectives()) {
    for (const sim::Rank ranks : {5U, 8U}) {
      Job job = job_of(collective, ranks, std::int64_t{ranks} * 6'720);
      job.options.inner = 4;
      job.options.dimensions = {4, 2};
      if (algorithms().find(GetParam())->make.obstacle(job)) continue;
      const sim::Schedule schedule = std::move(plan(GetParam(), job)).value();
      const sim::Result<std::string> text = msccl::write(schedule);
      if (msccl::coll_of(collective).empty() || schedule.layout().merged_in_network) {
        EXPECT_FALSE(text.ok());
        continue;
      }
      ASSERT_TRUE(text.ok()) << sim::name_of(collective) << ranks << text.failure().what;
      const auto given = read(text.value());
      ASSERT_NE(given, nullptr);
      const sim::Schedule again = given->plan(job);
      EXPECT_EQ(sim::verify(again, 11), std::nullopt);
      for (sim::Rank rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(again.bytes_sent(rank), schedule.bytes_sent(rank)) << sim::name_of(collective);
      }
      EXPECT_EQ(count_of(again, sim::OpKind::kTake), 0U) << sim::name_of(collective) << ranks;
      ++told;
    }
  }
  EXPECT_TRUE(told > 0 || GetParam() == "dissemination" || GetParam() == "in_switch");
}

INSTANTIATE_TEST_SUITE_P(Msccl, RoundTrip, testing::ValuesIn(algorithms().names()),
                         [](const auto& test) { return test.param; });

// Each fault: what is replaced in a good file, by what, and what is said.
struct Damage {
  const char* from;
  const char* to;
  const char* said;
};

class Faults : public testing::TestWithParam<Damage> {};

TEST_P(Faults, NameTheirPlace) {
  std::string text = chain("rrs");
  const std::size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(GetParam().from).size(), GetParam().to);
  std::string faults;
  EXPECT_EQ(read(text, &faults), nullptr);
  EXPECT_NE(faults.find(GetParam().said), std::string::npos) << faults;
}

INSTANTIATE_TEST_SUITE_P(
    Msccl, Faults,
    testing::Values(
        Damage{"</algo>", "", "error: this is not well-formed XML"},
        Damage{"<algo ", "<algorithm ", "error: this is not well-formed XML"},
        Damage{"coll=\"allreduce\"", "coll=\"custom\"", "test.xml:1:70: error: coll is 'custom'"},
        Damage{"coll=\"allreduce\"", "coll=\"allgather\" redoop=\"x\"",
               "error: algo has no attribute 'redoop'"},
        Damage{"ngpus=\"3\"", "ngpus=\"4\"", "error: ngpus is 4, and there are 3 gpu elements"},
        Damage{"ngpus=\"3\"", "ngpus=\"x\"", "error: ngpus is 'x'"},
        Damage{"type=\"rrs\"", "type=\"rsr\"", "test.xml:13:13: error: type is 'rsr'"},
        Damage{"type=\"rrs\"", "type=\"r\"", "takes 1"},
        Damage{"srcoff=\"0\"", "srcoff=\"1\"", "test.xml:5:2: error: chunks 1 to 1 of buffer i"},
        Damage{"srcbuf=\"i\"", "srcbuf=\"x\"", "test.xml:5:22: error: srcbuf is 'x'"},
        Damage{"cnt=\"1\"", "cnt=\"2\"", "error: chunks 0 to 1 of buffer i"},
        Damage{"depid=\"0\"", "depid=\"7\"",
               "error: it waits for step 0 of threadblock 7, which is not there"},
        Damage{"hasdep=\"1\"", "hasdep=\"0\"",
               "error: it waits for step 0 of threadblock 0, which never signals"},
        Damage{"<tb id=\"1\"", "<tb id=\"2\"", "test.xml:7:5: error: threadblock 2"},
        Damage{"send=\"1\" recv=\"-1\"", "send=\"-1\" recv=\"-1\"",
               "error: a step that sends, in a threadblock that sends to nobody"},
        Damage{"send=\"1\" recv=\"-1\"", "send=\"0\" recv=\"-1\"",
               "error: it sends to its own rank"},
        Damage{"depid=\"-1\" deps=\"-1\" hasdep=\"1\"", "depid=\"1\" deps=\"0\" hasdep=\"1\"",
               "which never signals"}));

TEST(Msccl, ACircleOfWaitsIsNamed) {
  std::string text = chain("rrs");
  const std::string first = "depid=\"-1\" deps=\"-1\" hasdep=\"1\"";
  text.replace(text.find(first), first.size(), "depid=\"1\" deps=\"0\" hasdep=\"1\"");
  const std::string second = "depid=\"0\" deps=\"0\" hasdep=\"0\"";
  text.replace(text.find(second), second.size(), "depid=\"0\" deps=\"0\" hasdep=\"1\"");
  std::string faults;
  EXPECT_EQ(read(text, &faults), nullptr);
  EXPECT_NE(faults.find("steps wait for each other: this one of rank"), std::string::npos)
      << faults;
}

}  // namespace
}  // namespace collectives
