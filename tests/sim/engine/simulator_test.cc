// SPDX-License-Identifier: GPL-2.0-only
#include "sim/engine/packet/simulator.h"

#include <gtest/gtest.h>
#include <ns3/simulator.h>

#include <string>

namespace sim::packet {
namespace {

class WheelSimulatorTest : public ::testing::Test {
 protected:
  void SetUp() override { simulator_ = WheelSimulator::install(); }
  void TearDown() override {
    simulator_ = nullptr;
    ns3::Simulator::Destroy();
  }
  static ns3::Time ps(int n) { return ns3::PicoSeconds(static_cast<std::uint64_t>(n)); }

  ns3::Ptr<WheelSimulator> simulator_;
};

TEST_F(WheelSimulatorTest, RunsOrdinaryNs3EventsInOrderOfTimeThenInsertion) {
  std::string seen;
  ns3::Simulator::Schedule(ps(20), [&] { seen += 'c'; });
  ns3::Simulator::Schedule(ps(10), [&] { seen += 'a'; });
  ns3::Simulator::Schedule(ps(10), [&] { seen += 'b'; });
  ns3::Simulator::Run();
  EXPECT_EQ(seen, "abc");
  EXPECT_EQ(ns3::Simulator::Now().GetPicoSeconds(), 20);
}

TEST_F(WheelSimulatorTest, EventsScheduledByEventsRunAtTheirTime) {
  std::int64_t inner = 0;
  ns3::Simulator::Schedule(ps(5), [&] {
    ns3::Simulator::Schedule(ps(7), [&] { inner = ns3::Simulator::Now().GetPicoSeconds(); });
  });
  ns3::Simulator::Run();
  EXPECT_EQ(inner, 12);
}

TEST_F(WheelSimulatorTest, CancelledAndRemovedEventsDoNotRun) {
  int runs = 0;
  const ns3::EventId a = ns3::Simulator::Schedule(ps(5), [&] { ++runs; });
  const ns3::EventId b = ns3::Simulator::Schedule(ps(6), [&] { ++runs; });
  ns3::Simulator::Schedule(ps(7), [&] { ++runs; });
  ns3::Simulator::Cancel(a);
  ns3::Simulator::Remove(b);
  EXPECT_TRUE(ns3::Simulator::IsExpired(a));
  ns3::Simulator::Run();
  EXPECT_EQ(runs, 1);
}

TEST_F(WheelSimulatorTest, KnowsWhenAnEventIsExpiredAndHowLongItStillTakes) {
  const ns3::EventId late = ns3::Simulator::Schedule(ps(50), [] {});
  ns3::EventId early;
  early = ns3::Simulator::Schedule(ps(10), [&] {
    EXPECT_FALSE(ns3::Simulator::IsExpired(late));
    EXPECT_EQ(ns3::Simulator::GetDelayLeft(late).GetPicoSeconds(), 40);
  });
  ns3::Simulator::Run();
  EXPECT_TRUE(ns3::Simulator::IsExpired(early));
  EXPECT_TRUE(ns3::Simulator::IsExpired(late));
}

TEST_F(WheelSimulatorTest, StopEndsTheRunAndKeepsTheRest) {
  int runs = 0;
  ns3::Simulator::Schedule(ps(5), [&] { ++runs; });
  ns3::Simulator::Schedule(ps(15), [&] { ++runs; });
  ns3::Simulator::Stop(ps(10));
  ns3::Simulator::Run();
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(ns3::Simulator::IsFinished());
  ns3::Simulator::Run();
  EXPECT_EQ(runs, 2);
}

TEST_F(WheelSimulatorTest, EventsKeepTheirContext) {
  std::uint32_t context = 0;
  ns3::Simulator::ScheduleWithContext(42, ps(5), [&] { context = ns3::Simulator::GetContext(); });
  ns3::Simulator::Run();
  EXPECT_EQ(context, 42U);
}

TEST(WheelSimulator, RunsDestroyEventsOnce) {
  auto simulator = WheelSimulator::install();
  int runs = 0;
  ns3::Simulator::ScheduleDestroy([&] { ++runs; });
  ns3::Simulator::Run();
  EXPECT_EQ(runs, 0);
  simulator = nullptr;
  ns3::Simulator::Destroy();
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace sim::packet
