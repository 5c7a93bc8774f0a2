// SPDX-License-Identifier: GPL-2.0-only
// Collectives on a star against closed forms, to the picosecond, over 2 to 16 ranks.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/oracles/alpha_beta.h"
#include "tests/oracles/play.h"
#include "tests/oracles/star.h"

namespace {

using oracle::Star;
using oracle::Work;

constexpr std::int64_t kEnds = 16;

using Form = std::int64_t (*)(const Star&, std::int64_t ranks, std::int64_t bytes);

// Plays `work` on every star and compares each case to its closed form.
void expect_exact(const std::vector<Work>& work, Form form, const std::string& more = "") {
  for (const auto& [name, star] : oracle::stars()) {
    for (const auto& one : played::play_all(oracle::text_of(star, kEnds, work, more))) {
      EXPECT_EQ(one.time_ps, form(star, one.ranks, one.bytes)) << one.name << " on " << name;
    }
  }
}

// Sizes that every rank count has to cut unevenly, down to one byte for some and none for others.
std::vector<Work> any_ranks(const std::string& collective, const std::string& algorithm) {
  std::vector<Work> work;
  for (std::int64_t n = 2; n <= kEnds; ++n) {
    work.push_back({collective, algorithm, n, {7, 4'097, 65'537, 1'000'003}});
  }
  return work;
}

std::vector<Work> powers_of_two(const std::string& collective) {
  std::vector<Work> work;
  for (std::int64_t n = 2; n <= kEnds; n *= 2) {
    work.push_back({collective, "recursive", n, {17, 4'097, 65'537, 1'000'003}});
  }
  return work;
}

// Every part of the same size, whole packets or not.
std::vector<Work> even_parts(const std::string& collective) {
  std::vector<Work> work;
  for (std::int64_t n = 2; n <= kEnds; ++n) {
    work.push_back({collective, "direct", n, {n, n * 999, n * 4'096, n * 8'195, n * 65'536}});
  }
  return work;
}

TEST(StarOracle, RingIsStepsTimesAlphaPlusBetaOfTheSlowestPart) {
  expect_exact(any_ranks("all_reduce", "ring"), oracle::ring_all_reduce);
  expect_exact(any_ranks("all_gather", "ring"), oracle::ring_all_gather);
  expect_exact(any_ranks("reduce_scatter", "ring"), oracle::ring_reduce_scatter);
}

TEST(StarOracle, RecursiveHalvesAndDoublesWithoutMeeting) {
  expect_exact(powers_of_two("all_reduce"), oracle::recursive_all_reduce);
  expect_exact(powers_of_two("all_gather"), oracle::recursive_all_gather);
  expect_exact(powers_of_two("reduce_scatter"), oracle::recursive_reduce_scatter);
}

TEST(StarOracle, DirectInRotatedOrderKeepsEveryPortToOneSender) {
  expect_exact(even_parts("all_to_all"), oracle::direct_all_to_all);
  expect_exact(even_parts("all_gather"), oracle::direct_all_gather);
  expect_exact(even_parts("reduce_scatter"), oracle::direct_reduce_scatter);
  expect_exact(even_parts("all_reduce"), oracle::direct_all_reduce);
}

TEST(StarOracle, OneShotIsARotationOfWholeTensorsAndAMergeOfEach) {
  std::vector<Work> work;
  for (std::int64_t n = 2; n <= kEnds; ++n) {
    work.push_back({"all_reduce", "one_shot", n, {1, 4'096, 10'007}});
  }
  expect_exact(work, oracle::one_shot_all_reduce);
}

TEST(StarOracle, PairwiseIsOneTransferAfterAnother) {
  std::vector<Work> work = even_parts("all_to_all");
  for (Work& one : work) one.algorithm = "pairwise";
  expect_exact(work, oracle::pairwise_all_to_all);
}

TEST(StarOracle, RecursiveDoublingMovesAllBytesInEachOfLog2Steps) {
  std::vector<Work> work = powers_of_two("all_reduce");
  for (Work& one : work) one.algorithm = "recursive_doubling";
  expect_exact(work, oracle::recursive_doubling);
}

TEST(StarOracle, AmpleCreditsChangeNothing) {
  const std::string credits = "    link.flow: credits\n    link.buffer: 256 KiB\n";
  expect_exact(even_parts("all_to_all"), oracle::direct_all_to_all, credits);
  expect_exact(any_ranks("all_reduce", "ring"), oracle::ring_all_reduce, credits);
}

// Sizes that every number of ranks up to 16 and 4 chunks divide.
std::vector<Work> with_root(const std::string& collective, const std::string& algorithm,
                            bool powers = false) {
  std::vector<Work> work;
  for (std::int64_t n = 2; n <= kEnds; n = powers ? 2 * n : n + 1) {
    work.push_back({collective, algorithm, n, {4 * n, 4 * n * 999, 4 * n * 4'096}, ""});
    if (algorithm == "chain") work.back().more = "    root: 1\n";
    if (algorithm == "chain" && (collective == "broadcast" || collective == "reduce")) {
      work.back().more += "    chunks: 4\n";
    }
  }
  return work;
}

TEST(StarOracle, BinomialTreesTakeARoundPerDoubling) {
  expect_exact(with_root("broadcast", "binomial"), oracle::binomial_broadcast);
  expect_exact(with_root("reduce", "binomial", true), oracle::binomial_reduce);
  expect_exact(with_root("scatter", "binomial", true), oracle::binomial_scatter);
  expect_exact(with_root("gather", "binomial", true), oracle::binomial_scatter);
}

TEST(StarOracle, ChainsFillAndThenDeliverAChunkAStep) {
  expect_exact(with_root("broadcast", "chain"), oracle::chain_broadcast);
  expect_exact(with_root("reduce", "chain"), oracle::chain_reduce);
  expect_exact(with_root("gather", "chain"), oracle::chain_gather);
  expect_exact(with_root("scatter", "chain"), oracle::chain_gather);
}

TEST(StarOracle, DirectRootsSendOrHearAllAtOnce) {
  expect_exact(with_root("broadcast", "direct"), oracle::direct_broadcast);
  expect_exact(with_root("scatter", "direct"), oracle::direct_scatter);
  expect_exact(with_root("gather", "direct"), oracle::direct_gather);
}

TEST(StarOracle, PairsThatDoNotMeetTakeOneTransfer) {
  expect_exact(with_root("send_recv", "direct"), oracle::send_recv);
  std::vector<Work> shifts = with_root("permute", "direct");
  for (Work& work : shifts) work.more = "    shift: 1\n";
  expect_exact(shifts, oracle::send_recv);
}

TEST(StarOracle, BarriersBySteppingAwayTakeASignalPerDoubling) {
  std::vector<Work> work;
  for (std::int64_t n = 2; n <= kEnds; ++n) work.push_back({"barrier", "dissemination", n, {}, ""});
  expect_exact(work, oracle::dissemination_barrier);
}

// Without end costs the rotation itself is a line of arithmetic.
TEST(StarOracle, RotationTakesTheBytesTwoWiresAndOnePacketMore) {
  for (const std::int64_t n : {2, 7, 64}) {
    for (const std::int64_t bytes : {1, 4'096, 5'000, 65'536}) {
      const std::int64_t packet = bytes < 4'096 ? bytes : 4'096;
      EXPECT_EQ(oracle::direct_all_to_all({}, n, n * bytes),
                (n - 1) * bytes * 20 + 2 * 500'000 + packet * 20);
    }
  }
}

// Uneven parts drift apart by a byte a step and so meet at ports: between the smallest and the
// largest part everywhere, and one packet a step for meeting.
TEST(StarOracle, DirectWithUnevenPartsStaysWithinOnePacketAStep) {
  for (const auto& [name, star] : oracle::stars()) {
    std::vector<Work> work;
    for (std::int64_t n = 2; n <= kEnds; ++n) {
      work.push_back({"all_to_all", "direct", n, {4'097 * n - 1, 1'000'003}});
    }
    for (const auto& one : played::play_all(oracle::text_of(star, kEnds, work))) {
      const std::int64_t n = one.ranks;
      const std::int64_t least = oracle::direct_all_to_all(star, n, one.bytes / n * n);
      const std::int64_t most = oracle::direct_all_to_all(star, n, (one.bytes + n - 1) / n * n);
      const std::int64_t packet = oracle::duration(star.packet + star.header, star.bandwidth);
      EXPECT_GE(one.time_ps, least) << one.name << " on " << name;
      EXPECT_LE(one.time_ps, most + (n - 1) * packet) << one.name << " on " << name;
    }
  }
}

TEST(StarOracle, IncastDrainsWithoutAPause) {
  for (const std::string flow : {"unbounded", "credits"}) {
    for (const auto& [name, star] : oracle::stars()) {
      const std::string more = "    link.flow: " + flow + "\n    link.buffer: 256 KiB\n";
      const auto scenario = played::load(
          oracle::text_of(star, kEnds, {{"all_to_all", "direct", kEnds, {kEnds}}}, more));
      for (std::uint32_t n = 2; n <= kEnds; ++n) {
        std::vector<sim::EndpointId> ends;
        for (std::uint32_t i = 0; i < n; ++i) ends.push_back(sim::EndpointId{i});
        for (const std::int64_t bytes : {1, 4'096, 70'001, 1'000'000}) {
          const auto outcome = played::play_writes(scenario, ends, sim::Bytes(bytes));
          EXPECT_EQ(outcome.time_ps, oracle::incast(star, n, bytes))
              << n - 1 << " to 1, " << bytes << " B, " << flow << " on " << name;
        }
      }
    }
  }
}

}  // namespace
