// SPDX-License-Identifier: GPL-2.0-only
// Rings and tori of chips that are joined directly, against closed forms, to the picosecond: where
// each way round has links of its own, nothing contends and a step is one transfer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/oracles/alpha_beta.h"
#include "tests/oracles/play.h"

namespace {

struct Grid {
  std::vector<std::int64_t> sizes;
  std::int64_t launch = 0;
  std::int64_t per_transfer = 0;
  std::int64_t memory = 0;

  [[nodiscard]] std::int64_t chips() const {
    std::int64_t all = 1;
    for (const std::int64_t size : sizes) all *= size;
    return all;
  }
};

constexpr std::int64_t kRate = 50'000'000'000;
constexpr std::int64_t kWire = 500'000;
constexpr std::int64_t kPacket = 4'096;

// To a neighbour: no switch, one link.
std::int64_t hop(const Grid& grid, std::int64_t bytes) {
  std::int64_t time = grid.per_transfer + 2 * grid.memory + kWire;
  for (std::int64_t left = bytes; left > 0; left -= kPacket) {
    time += oracle::duration(std::min(left, kPacket), kRate);
  }
  return time;
}

std::string text_of(const Grid& grid, const std::string& item) {
  std::string text = "scenario: grid\ncluster:\n  topology: tpu-v5p\n  overrides:\n";
  const char* names[] = {"x", "y", "z"};
  for (std::size_t i = 0; i < 3; ++i) {
    text += fmt::format(
        "    torus.{0}: {1}\n    torus.{0}.bandwidth: {2} B/s\n    torus.{0}.wire_latency: {3} "
        "ps\n",
        names[i], i < grid.sizes.size() ? grid.sizes[i] : 1, kRate, kWire);
  }
  text += fmt::format(
      "    packet.size: {} B\n    collective.launch: {} ps\n    endpoint.per_transfer: {} ps\n"
      "    endpoint.issue_gap: 0 ns\n    endpoint.memory_latency: {} ps\n"
      "    endpoint.reduce_rate: unlimited\n    endpoint.copy_rate: unlimited\nworkload:\n",
      kPacket, grid.launch, grid.per_transfer, grid.memory);
  return text + item;
}

std::int64_t time_of(const Grid& grid, const std::string& collective, const std::string& algorithm,
                     std::int64_t bytes, const std::string& more = "") {
  const std::string item = fmt::format("  - collective: {}\n    bytes: {} B\n    algorithm: {}\n{}",
                                       collective, bytes, algorithm, more);
  return played::play_one(text_of(grid, item)).time_ps;
}

std::vector<Grid> with_and_without_costs(const std::vector<std::int64_t>& sizes) {
  return {{sizes}, {sizes, 6'000'000, 1'500'000, 200'000}};
}

TEST(RingOracle, ARingTakesAStepPerRankAndBothWaysHalfOfThem) {
  for (const std::int64_t n : {3, 4, 5, 8}) {
    for (const Grid& grid : with_and_without_costs({n})) {
      for (const std::int64_t part : {4'096, 5'000, 65'536}) {
        const std::int64_t step = hop(grid, part);
        for (const std::string kind : {"all_gather", "reduce_scatter", "all_reduce"}) {
          const std::int64_t phases = kind == "all_reduce" ? 2 : 1;
          EXPECT_EQ(time_of(grid, kind, "ring", n * part), grid.launch + phases * (n - 1) * step)
              << kind << " over " << n;
          EXPECT_EQ(time_of(grid, kind, "bidirectional_ring", n * part),
                    grid.launch + phases * (n / 2) * step)
              << kind << " over " << n;
        }
      }
    }
  }
}

// Two channels are a ring each way round, each with half of the bytes, on links of their own.
TEST(RingOracle, TwoChannelsGoBothWaysWithHalfOfTheBytesEach) {
  for (const std::int64_t n : {3, 4, 5, 8}) {
    for (const Grid& grid : with_and_without_costs({n})) {
      const std::int64_t part = 65'536;
      for (const std::string kind : {"all_gather", "reduce_scatter", "all_reduce"}) {
        const std::int64_t phases = kind == "all_reduce" ? 2 : 1;
        EXPECT_EQ(time_of(grid, kind, "ring", n * part, "    channels: 2\n"),
                  grid.launch + phases * (n - 1) * hop(grid, part / 2))
            << kind << " over " << n;
      }
    }
  }
}

// Along x with a part of one chip, then along y with those of a row.
TEST(TorusOracle, GathersARowAndThenTheRows) {
  for (const auto& [x, y] : {std::pair{4, 4}, std::pair{4, 2}, std::pair{8, 4}}) {
    for (const Grid& grid : with_and_without_costs({x, y})) {
      for (const std::int64_t part : {4'096, 65'536}) {
        const std::int64_t time =
            grid.launch + (x / 2) * hop(grid, part) + (y / 2) * hop(grid, x * part);
        const std::string more = fmt::format("    torus: {{dimensions: {}x{}}}\n", x, y);
        for (const std::string kind : {"all_gather", "reduce_scatter"}) {
          EXPECT_EQ(time_of(grid, kind, "torus", x * y * part, more), time)
              << kind << " on " << x << "x" << y;
        }
      }
    }
  }
}

// On a square both halves of an all-reduce, which begin along different dimensions, take as long.
TEST(TorusOracle, AnAllReduceHasAllLinksBusy) {
  for (const Grid& grid : with_and_without_costs({4, 4})) {
    for (const std::int64_t part : {4'096, 65'536}) {
      const std::int64_t half = 2 * (hop(grid, part) + hop(grid, 4 * part));
      EXPECT_EQ(
          time_of(grid, "all_reduce", "torus", 2 * 16 * part, "    torus: {dimensions: 4x4}\n"),
          grid.launch + 2 * half);
    }
  }
}

// KangaRing's pairs go round the torus as a snake: every hop is one link, each cycle has links of
// its own, and a part goes to both ranks of the next pair: to one over the cycle's own link, to the
// other by a second one. Without such an order hops would cross the torus.
TEST(TorusOracle, KangaRingHopsToNeighbours) {
  for (const Grid& grid : with_and_without_costs({4, 4})) {
    const auto scenario = played::load(
        text_of(grid, "  - collective: all_gather\n    bytes: 1 MiB\n    algorithm: kangaring\n"));
    ASSERT_EQ(scenario.cases.size(), 1U);
    std::vector<sim::Rank> seats;  // the chip of each rank
    for (const sim::EndpointId end : scenario.cases[0].placement.endpoint_of) {
      seats.push_back(sim::index(end));
    }
    ASSERT_EQ(seats.size(), 16U);
    std::vector<sim::Rank> sorted = seats;
    std::ranges::sort(sorted);
    for (sim::Rank rank = 0; rank < 16; ++rank) EXPECT_EQ(sorted[rank], rank);
    const auto apart = [](sim::Rank a, sim::Rank b) {  // links between two chips of the 4x4 torus
      const auto along = [](sim::Rank from, sim::Rank to) {
        const sim::Rank d = (to + 4 - from) % 4;
        return std::min(d, 4 - d);
      };
      return along(a % 4, b % 4) + along(a / 4, b / 4);
    };
    for (std::size_t seat = 0; seat < 16; ++seat) {
      EXPECT_EQ(apart(seats[seat], seats[(seat + 2) % 16]), 1U) << seat;
    }
    // n/2 - 1 hops one after another; the last write to a pair's other rank takes a second link.
    const std::int64_t hops = grid.launch + 7 * hop(grid, 65'536);
    const std::int64_t time = played::play(scenario, scenario.cases[0]).time_ps;
    EXPECT_GE(time, hops);
    EXPECT_LE(time, hops + 2 * hop(grid, 65'536));
  }
}

}  // namespace
