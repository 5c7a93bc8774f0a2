// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include "sim/fabric/inspect.h"
#include "tests/topologies/hand_parameters.h"

namespace {

using topologies_test::all_ends;
using topologies_test::make;

TEST(Star, HasOneSwitchAndALinkEachWayPerEnd) {
  const sim::Topology star = make("star", {{"ends", "100000"}});
  EXPECT_EQ(star.fabric->endpoints(), 100'000U);
  EXPECT_EQ(star.fabric->nodes().size(), 100'001U);
  EXPECT_EQ(star.fabric->links().size(), 200'000U);
  EXPECT_EQ(star.fabric->node(star.fabric->node_of(sim::EndpointId{17})).name, "end 17");
  EXPECT_EQ(star.fabric->level("chip")->groups, 100'000U);
}

TEST(Star, IsNonBlocking) {
  const sim::Topology star = make("star", {{"ends", "9"}});
  EXPECT_EQ(diameter(*star.fabric), 2U);
  EXPECT_EQ(hop_histogram(star), (std::vector<std::uint64_t>{0, 0, 72}));
  EXPECT_EQ(bisection(*star.fabric), sim::gigabytes_per_second(4 * 50));
  EXPECT_EQ(uniform_all_to_all(star, all_ends(*star.fabric)).injection,
            sim::gigabytes_per_second(50));
}

TEST(Star, TakesFlowForwardingAndPacketFromItsParameters) {
  const sim::Topology star = make("star", {{"link.flow", "drop"},
                                           {"link.buffer", "64 KiB"},
                                           {"link.header", "32 B"},
                                           {"switch.forwarding", "cut_through"},
                                           {"switch.latency", "7 ns"}});
  const sim::LinkClass& kind = star.fabric->classes().front();
  EXPECT_EQ(kind.flow, sim::FlowControl::kDrop);
  EXPECT_EQ(kind.buffer, sim::kibibytes(64));
  EXPECT_EQ(kind.header, sim::Bytes(32));
  EXPECT_EQ(kind.payload, sim::kibibytes(4));
  const sim::Node& hub = star.fabric->node(star.fabric->links()[0].to);
  EXPECT_EQ(hub.forwarding, sim::Forwarding::kCutThrough);
  EXPECT_EQ(hub.latency, sim::nanoseconds(7));
  EXPECT_EQ(make("star", {{"link.flow", "credits"}}).fabric->classes().front().flow,
            sim::FlowControl::kCredits);
}

}  // namespace
