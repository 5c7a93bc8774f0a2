// SPDX-License-Identifier: GPL-2.0-only
// Uneven traffic on a star, where nothing but the ports of the ranks can be full: closed forms of
// every fidelity, and how far apart the fidelities may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/agreement/preset.h"
#include "tests/oracles/star.h"

namespace {

using oracle::Star;

const std::vector<std::string> kFidelities = {"packet", "flow", "analytic"};

// One queue of a port would hold its transfers up behind one to a busy receiver: fluid has no
// buffers where they could wait, the star's switch has endless ones. The few messages of a step of
// bruck leave one after another, as in packets.
played::Overrides at(const std::string& fidelity, const std::string& algorithm = "direct") {
  played::Overrides overrides = {{"fidelity", fidelity}};
  if (fidelity == "flow" && algorithm != "bruck")
    overrides.push_back({"cluster.overrides.dma.queues", "8"});
  return overrides;
}

std::string star_text(const Star& star, const std::string& routing, const std::string& algorithm) {
  std::string text = "scenario: star\ncluster:\n  topology: star\n  overrides:\n";
  text += star.overrides(8) + "workload:\n  - collective: all_to_all_v\n    group: {chips: 8}\n";
  return text + "    algorithm: " + algorithm + "\n    routing: {" + routing + "}\n";
}

// Rank 0 owes rank 5 a MiB, and nobody anything else: one message, whoever moves it straight.
TEST(RoutingAgreement, OnePairTakesTheTimeOfOneMessage) {
  std::vector<std::string> cells(64, "0 B");
  cells[5] = "960000 B";
  std::string matrix = "model: matrix, matrix: [";
  for (const std::string& cell : cells) matrix += cell + ", ";
  matrix += "]";
  Star star;
  for (const char* algorithm : {"direct", "pairwise"}) {
    const std::string text = star_text(star, matrix, algorithm);
    const auto scenario = played::load(text);
    const auto one = played::play_writes(scenario, {sim::EndpointId{0}, sim::EndpointId{5}},
                                         sim::Bytes(960'000));
    const sim::CaseOutcome packet = played::play_one(text, at("packet"));
    EXPECT_EQ(packet.time_ps, one.time_ps);
    EXPECT_EQ(packet.transfers, 1);
    for (const char* fidelity : {"flow", "analytic"}) {
      const auto other = played::play_one(text, at(fidelity));
      EXPECT_NEAR(static_cast<double>(other.time_ps), static_cast<double>(one.time_ps),
                  static_cast<double>(one.time_ps) / 100)
          << fidelity;
    }
  }
}

std::int64_t busiest_port(const sim::Traffic& traffic) {
  std::int64_t most = 0;
  for (sim::Rank r = 0; r < traffic.ranks; ++r) {
    std::int64_t in = 0;
    for (sim::Rank from = 0; from < traffic.ranks; ++from)
      in += from == r ? 0 : traffic.of(from, r);
    most = std::max({most, in, traffic.sent_by(r).value});
  }
  return most;
}

// On a star an exchange cannot end before its busiest port is through, and `direct` ends little
// later: within 15 % for traffic this large, at every fidelity.
TEST(RoutingAgreement, DirectOnAStarEndsWithItsBusiestPort) {
  Star star;
  star.header = 0;
  for (const std::string& model :
       {std::string("balanced"), std::string("uniform"), std::string("power_law, exponent: 1.2"),
        std::string("hot_expert, hot_factor: 4")}) {
    const std::string text = star_text(
        star, "model: " + model + ", experts: 64, top_k: 8, tokens: 256, token_bytes: 8000 B",
        "direct");
    const sim::Traffic traffic = *played::load(text).cases.at(0).job.traffic;
    const auto least = static_cast<double>(
        sim::transfer_time(sim::Bytes(busiest_port(traffic)), sim::Bandwidth(star.bandwidth))
            .value);
    for (const std::string& fidelity : kFidelities) {
      const auto outcome = played::play_one(text, at(fidelity));
      EXPECT_NEAR(static_cast<double>(outcome.bound_ps), least, 2) << model;
      EXPECT_GE(static_cast<double>(outcome.time_ps), least) << model << " " << fidelity;
      EXPECT_LE(static_cast<double>(outcome.time_ps), 1.15 * least) << model << " " << fidelity;
    }
  }
}

// Windows, relays and shared rows: no fidelity beats the bound (checked while it runs), and fluid
// and analytic stay within a quarter of packets.
TEST(RoutingAgreement, EveryAlgorithmAtEveryFidelity) {
  Star star;
  star.header = 0;
  const std::string numbers = ", experts: 64, top_k: 8, tokens: 64, token_bytes: 8000 B";
  for (const std::string& algorithm :
       {std::string("direct\n    window: 2"), std::string("pairwise"), std::string("bruck"),
        std::string("hierarchical\n    hierarchy: {inner_ranks: 4}")}) {
    for (const std::string& model :
         {std::string("uniform"), std::string("power_law, exponent: 1.2")}) {
      const std::string text = star_text(star, "model: " + model + numbers, algorithm);
      const auto packet = static_cast<double>(played::play_one(text, at("packet")).time_ps);
      for (const char* fidelity : {"flow", "analytic"}) {
        const auto other =
            static_cast<double>(played::play_one(text, at(fidelity, algorithm)).time_ps);
        EXPECT_NEAR(other, packet, 0.25 * packet) << algorithm << " " << model << " " << fidelity;
      }
    }
  }
}

// A token goes to 5.3 of 8 ranks instead of to 8 experts, and to 2 servers at most.
TEST(RoutingAgreement, SharedRowsSaveWhatTheClosedFormSays) {
  Star star;
  const std::string numbers =
      "model: uniform, experts: 256, top_k: 8, tokens: 256, token_bytes: 8000 B";
  const auto sent = [&](const std::string& dedup, const std::string& algorithm) {
    const auto scenario = played::load(star_text(star, numbers + ", dedup: " + dedup, algorithm));
    return static_cast<double>(scenario.cases.at(0).job.bytes.value) / (256 * 8000.0);
  };
  EXPECT_NEAR(sent("none", "direct"), 8, 1e-9);
  EXPECT_NEAR(sent("rank", "direct"), 5.295, 0.05);
  EXPECT_NEAR(sent("server", "hierarchical\n    hierarchy: {inner_ranks: 4}"), 5.295, 0.05);
}

}  // namespace
