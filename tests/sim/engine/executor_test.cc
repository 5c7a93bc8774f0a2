// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/executor.h"

#include <gtest/gtest.h>

#include <queue>

namespace sim {
namespace {

// Delivers every transfer after a fixed time plus a picosecond per byte; can lose one.
class FixedNetwork final : public Network {
 public:
  Time now() const override { return Time(now_); }
  void start(const Transfer& transfer) override {
    ++started_;
    if (transfer.id == lost_) return;
    push(now_ + 1'000 + transfer.bytes.value, transfer.id, true);
  }
  void wake_at(Time time, std::uint32_t id) override { push(time.value, id, false); }
  void run(Sink& sink) override {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      event.delivery ? sink.delivered(event.id) : sink.woken(event.id);
    }
  }

  std::uint32_t lost_ = 0xffff'fff0U;
  int started_ = 0;

 private:
  struct Event {
    std::int64_t time;
    std::uint64_t order;
    std::uint32_t id;
    bool delivery;
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  void push(std::int64_t time, std::uint32_t id, bool delivery) {
    events_.push({time, order_++, id, delivery});
  }

  std::priority_queue<Event> events_;
  std::int64_t now_ = 0;
  std::uint64_t order_ = 0;
};

// Two ranks exchange halves of 200 B, reduce, and send the result back: a two-step all-reduce.
Schedule exchange() {
  std::vector<RankProgram> programs(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    const Rank peer = 1 - rank;
    RankProgram& p = programs[rank];
    p.slots = 2;
    p.waits = {Wait::arrival(0), Wait::op(1)};
    p.ops.resize(3);
    p.ops[0] = {.blocks = {peer}, .peer = peer, .slot = 0, .land = true};
    p.ops[1] = {.blocks = {rank}, .slot = 0, .wait_count = 1, .kind = OpKind::kReduce};
    p.ops[2] = {.blocks = {rank},
                .target = rank,
                .peer = peer,
                .slot = 1,
                .first_wait = 1,
                .wait_count = 1};
  }
  return Schedule({Collective::kAllReduce, 2, BlockSizes(Bytes(200), 2, 1)}, "hand", programs);
}

const Placement kTwo{{EndpointId(0), EndpointId(1)}};

TEST(Executor, PlaysOpsInDependencyOrderAndNotesTheirTimes) {
  const Schedule schedule = exchange();
  EndCosts costs;
  costs.launch = Time(500);
  costs.reduce = Bandwidth(kPicosecondsPerSecond / 10);  // 10 ps a byte
  FixedNetwork network;
  Executor executor(schedule, kTwo, costs, network);
  executor.run();
  ASSERT_TRUE(executor.finished());
  EXPECT_EQ(executor.times().begin[0].value, 500);
  EXPECT_EQ(executor.times().end[0].value, 500 + 1'000 + 100);
  EXPECT_EQ(executor.times().end[1].value, 1'600 + 1'000);
  EXPECT_EQ(executor.time().value, 2'600 + 1'100);
  EXPECT_EQ(executor.times().released_by[2], 1U);
  EXPECT_EQ(executor.times().released_by[1], 3U);  // the send of rank 1
  EXPECT_EQ(network.started_, 4);
  EXPECT_TRUE(executor.waiting(10).empty());
}

TEST(Executor, FreeReductionsTakeNoTime) {
  const Schedule schedule = exchange();
  const EndCosts costs;
  FixedNetwork network;
  Executor executor(schedule, kTwo, costs, network);
  executor.run();
  EXPECT_EQ(executor.time().value, 2'200);
}

TEST(Executor, OneRankStartsItsTransfersAnIssueGapApart) {
  std::vector<RankProgram> programs(3);
  programs[0].ops = {Op{.blocks = {0}, .target = 0, .peer = 1, .slot = 0},
                     Op{.blocks = {0}, .target = 0, .peer = 2, .slot = 0}};
  programs[1].slots = programs[2].slots = 1;
  const Schedule schedule({Collective::kAllGather, 3, BlockSizes(Bytes(300), 3, 1)}, "hand",
                          programs);
  EndCosts costs;
  costs.issue_gap = Time(70);
  FixedNetwork network;
  const Placement three{{EndpointId(0), EndpointId(1), EndpointId(2)}};
  Executor executor(schedule, three, costs, network);
  executor.run();
  EXPECT_EQ(executor.times().end[0].value, 1'100);
  EXPECT_EQ(executor.times().begin[1].value, 0);
  EXPECT_EQ(executor.times().issue[1].value, 70);
  EXPECT_EQ(executor.times().end[1].value, 1'170);
}

TEST(Executor, ALostTransferIsNamedWithItsRanksAndBytes) {
  const Schedule schedule = exchange();
  const EndCosts costs;
  FixedNetwork network;
  network.lost_ = 3;  // rank 1's first send
  Executor executor(schedule, kTwo, costs, network);
  executor.run();
  EXPECT_FALSE(executor.finished());
  const std::vector<std::string> lines = executor.waiting(10);
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines[0].find("rank 1: op 0 (all_reduce of 100 B to rank 0)"), std::string::npos)
      << lines[0];
}

TEST(ExecutorDeathTest, ADeliveryThatComesTwiceIsCaught) {
  const Schedule schedule = exchange();
  const EndCosts costs;
  FixedNetwork network;
  Executor executor(schedule, kTwo, costs, network);
  executor.run();
  EXPECT_DEATH(executor.delivered(0), "CHECK");
}

}  // namespace
}  // namespace sim
